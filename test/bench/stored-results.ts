// Stores the results of the service as documents for the functions that it is compared with.
import { gunzipSync } from 'node:zlib';
import type { Firestore } from '@google-cloud/firestore';
import { sha256Hex } from '../../functions/core/hashes.ts';
import type { PreparedAnswers } from './answers.ts';

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
    const parameters = {
      project: searchParams.get('project'),
      function_id: '',
      interval: searchParams.get('interval'),
    };
    const id = sha256Hex(JSON.stringify([pathname.split('/').at(-1), parameters]));
    await firestore.doc(`handwritten/${id}`).set({ rows, computedAt: Date.now() });
  }
  return results.docs.map(({ id }) => id);
}
