// Baseline: the functions framework, sending one prepared answer.
import { readFileSync } from 'node:fs';
import { http } from '@google-cloud/functions-framework';
import type { PreparedAnswers } from '../answers.ts';

const answers = JSON.parse(readFileSync(process.env.ANSWERS ?? '', 'utf8')) as PreparedAnswers;
const gzip = Buffer.from(answers.gzip.body, 'base64');
const identity = Buffer.from(answers.identity.body, 'base64');

http('bare', (req, res) => {
  if (String(req.headers['accept-encoding']).includes('gzip')) {
    res.writeHead(200, answers.gzip.headers).end(gzip);
  } else {
    res.writeHead(200, answers.identity.headers).end(identity);
  }
});
