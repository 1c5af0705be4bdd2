// The reference of tokens, docs/reference/tokens.md, compared with the code that reads them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { JWTPayload } from 'jose';
import { rightsOf } from '../../functions/keys/token.ts';
import { readmeBlocks } from '../support/sql/readme-example.ts';

it('has an example that the service reads, whose subject the command finds', () => {
  const FILE = 'docs/reference/tokens.md';
  const PAGE = readFileSync(FILE, 'utf8');
  const [claims = ''] = readmeBlocks('json', PAGE);
  const [, findSubject = ''] = readmeBlocks('sh', PAGE);
  const { subject, parameters, fixed, expiresAtMs } = rightsOf(
    JSON.parse(claims) as JWTPayload,
    3600,
  );
  expect({ parameters, fixed, expires: new Date(expiresAtMs).toISOString() }).toEqual({
    parameters: { project: ['kfqzwmxhvtrnjdbyplca'], interval: ['1day', '7day'] },
    fixed: ['project'],
    expires: '2026-11-21T10:10:00.000Z',
  });
  const found = execFileSync('bash', ['-euc', findSubject], { encoding: 'utf8' });
  expect(found.trimEnd()).toBe(subject);
});
