// API keys in a database of their own: `query` as deployed, in a process, with two databases in Firestore.
import { createFirestore } from '../../functions/firestore/client.ts';
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import { projectOf, testFirestore } from '../support/service/firestore-emulators.ts';
import { type FirestoreFault, startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { runFunction } from '../support/service/running-function.ts';
import { API_KEY, storeKey } from '../support/world.ts';
import { undo } from '../support/undo.ts';

const KEYS_DATABASE = 'saved-queries-keys';

const { url: bigQueryUrl } = await startBigQueryStub();
const proxy = await startFirestoreProxy();
const results = testFirestore();
const keys = createFirestore({
  ...{ project: projectOf(results), database: KEYS_DATABASE },
  emulatorHost: process.env.FIRESTORE_EMULATOR_HOST,
});
undo(() => keys.terminate());
const { port } = await runFunction({
  ...{ target: 'query', firestore: results, bigQueryUrl },
  // The default.
  env: { FIRESTORE_EMULATOR_HOST: proxy.host, KEYS_DATABASE: '' },
});

async function ask(key: string): Promise<{ status: number; reason: string | undefined }> {
  const url = `http://127.0.0.1:${port}/api/endpoints/query/tasks.run-stats?project=apart`;
  const answer = await fetch(url, { headers: { 'X-API-KEY': key } });
  const { error } = (await answer.json()) as { error?: { details: [{ reason: string }] } };
  return { status: answer.status, reason: error?.details[0].reason };
}

it('reads keys from the keys database and stores results in the other', async () => {
  await storeKey(keys);
  proxy.calls.length = 0;
  expect(await ask(API_KEY)).toEqual({ status: 200, reason: undefined });
  const used = proxy.calls.map(({ collection, database }) => `${collection} ${database}`);
  expect(new Set(used)).toEqual(
    new Set([
      `apiKeys ${KEYS_DATABASE}`,
      ...['results', 'leases', 'refreshes'].map((name) => `${name} (default)`),
    ]),
  );
  expect((await results.collection('results').get()).size).toBe(1);
  expect((await keys.collection('results').get()).size).toBe(0);
});

// The function itself may write there: a key that it could write must open nothing.
it('rejects a key that is only in the results database', async () => {
  const key = 'sqk_that-somebody-has-put-beside-the-results';
  await storeKey(results, key);
  expect(await ask(key)).toEqual({ status: 401, reason: 'API_KEY_INVALID' });
});

it.each<[string, FirestoreFault]>([
  ['does not answer', 'stall'],
  ['is unavailable', 'unavailable'],
  ['may not be read', { status: 7 }],
  ['does not exist', { status: 5 }],
])('answers 503 to a key that is not cached while the keys database %s', async (what, fault) => {
  const key = `sqk_looked-up-while-it-${what.replaceAll(' ', '-')}`;
  await storeKey(keys, key);
  undo(() => void (proxy.fault = () => 'pass'));
  proxy.fault = ({ database }) => (database === KEYS_DATABASE ? fault : 'pass');
  expect(await ask(key)).toEqual({ status: 503, reason: 'KEY_STORE_UNAVAILABLE' });
  proxy.endStalls();
  proxy.fault = () => 'pass';
  expect(await ask(key)).toEqual({ status: 200, reason: undefined });
});
