// Records an answer of the service, and stores its results for the functions that it is compared with.
import { once } from 'node:events';
import { type IncomingMessage, get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Firestore } from '@google-cloud/firestore';
import { sha256Hex } from '../../functions/core/bytes.ts';

export type Encoding = 'gzip' | 'identity';

/** The headers, and the body as base64. */
export type PreparedAnswers = Record<Encoding, { headers: Record<string, string>; body: string }>;

export const API_KEY = 'sqk_bench-key-that-opens-everything-0000000000000';

/** The headers that authenticate a request. */
export type Credential = Record<string, string>;

export const headersFor = (
  encoding: Encoding,
  credential: Credential = { 'X-API-KEY': API_KEY },
): Record<string, string> => ({
  ...credential,
  'Accept-Encoding': encoding,
});

/** Headers that Node adds to every answer. */
const OF_THE_SERVER = new Set(['Date', 'Connection', 'Keep-Alive']);

export async function recordAnswers(url: string): Promise<PreparedAnswers> {
  return { gzip: await record(url, 'gzip'), identity: await record(url, 'identity') };
}

async function record(url: string, encoding: Encoding): Promise<PreparedAnswers[Encoding]> {
  const { status, rawHeaders, body } = await ask(url, encoding);
  if (status !== 200) throw new Error(`${url} answers ${status}: ${body.toString()}`);
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!OF_THE_SERVER.has(name)) headers[name] = rawHeaders[at + 1] ?? '';
  }
  return { headers, body: body.toString('base64') };
}

/** The answer as sent, not decompressed. */
export async function ask(url: string, encoding: Encoding) {
  const request = get(url, { headers: headersFor(encoding), agent: false });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const { statusCode: status, rawHeaders } = answer;
  return { status, rawHeaders, body: await buffer(answer) };
}

/**
 * For the baseline, `identity/…` has the uncompressed bytes; for the handwritten function, `handwritten/…` has
 * its rows. Returns the names of the service's own documents in `results`, which `identity` uses too.
 */
export async function storeForOthers(
  firestore: Firestore,
  paths: readonly string[],
  answers: PreparedAnswers,
): Promise<string[]> {
  const results = await firestore.collection('results').get();
  for (const result of results.docs) {
    const body = gunzipSync(result.get('body') as Buffer);
    await firestore.doc(`identity/${result.id}`).set({ ...result.data(), body });
  }
  const identity = Buffer.from(answers.identity.body, 'base64').toString();
  const { result: rows } = JSON.parse(identity) as { result: object[] };
  for (const path of paths) {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    const { project, interval } = Object.fromEntries(searchParams);
    const parameters = { project, function_id: '', interval };
    const id = sha256Hex(JSON.stringify([pathname.split('/').at(-1), parameters]));
    await firestore.doc(`handwritten/${id}`).set({ rows, computedAt: Date.now() });
  }
  return results.docs.map(({ id }) => id);
}
