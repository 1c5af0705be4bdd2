// Baseline with Firestore: reads one document and sends its bytes.
import { readFileSync } from 'node:fs';
import { Firestore } from '@google-cloud/firestore';
import { http } from '@google-cloud/functions-framework';
import type { PreparedAnswers } from '../answers.ts';

const answers = JSON.parse(readFileSync(process.env.ANSWERS ?? '', 'utf8')) as PreparedAnswers;
const firestore = new Firestore();

http('bare-firestore', async (req, res) => {
  // `/<collection>/<document>`
  const snapshot = await firestore.doc(req.path.slice(1)).get();
  const isGzip = String(req.headers['accept-encoding']).includes('gzip');
  const { headers } = isGzip ? answers.gzip : answers.identity;
  res.writeHead(200, headers).end(snapshot.get('body') as Buffer);
});
