// Tests of damaged documents in Firestore: whatever they contain, answers are complete, and no row is too old.
import { type QueryDocumentSnapshot, Timestamp } from '@google-cloud/firestore';
import fc from 'fast-check';
import { systemClock } from '../../functions/clock.ts';
import { sha256Hex } from '../../functions/core/bytes.ts';
import type { Test } from 'supertest';
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import { listen } from '../support/service/listen.ts';
import { createTestService, firestoreWithKey, storeKey } from '../support/world.ts';

const CACHING_SECONDS = 900;
const DAY_MS = 86_400_000;

const firestore = await firestoreWithKey();
const { url: bigQueryUrl } = await startBigQueryStub();
const uncached = { memoryCacheSeconds: 0, keyCacheSeconds: 0 };
const service = createTestService({ clock: systemClock, firestore, bigQueryUrl, ...uncached });
await listen(service.server);
let count = 0;

const ask = (project: string, key?: string): Test =>
  service.ask(`tasks.run-stats?project=${project}`, key);

const times = fc
  .integer({ min: -3 * DAY_MS, max: 3 * DAY_MS })
  .map((aheadMs) => Timestamp.fromMillis(Date.now() + aheadMs));
const values = fc.oneof(
  times,
  times,
  fc.constantFrom(null, true, -1, 1.5, 0, 2 ** 40, Infinity, NaN, '', '\r\nX-A: b', 'ü', 'a"b'),
  fc.constantFrom([], ['a'], [{ keyName: 'x', readAt: Timestamp.fromMillis(0) }], {}, { a: 'b' }),
  fc.string(),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
);

type Change = Record<string, unknown>;

/** Checks random changes of fields, one to three at a time; fields that are named twice more often. */
function checkChanges(
  fields: readonly string[],
  numRuns: number,
  check: (change: Change) => Promise<void>,
  examples: [Change][] = [],
): Promise<void> {
  const changes = fc.dictionary(fc.constantFrom(...fields), values, { minKeys: 1, maxKeys: 3 });
  return fc.assert(fc.asyncProperty(changes, check), { numRuns, examples });
}

async function resultOf(project: string): Promise<QueryDocumentSnapshot | undefined> {
  const results = firestore.collection('results').where('parameters.project', '==', project);
  return (await results.get()).docs[0];
}

it('a mutated result never yields rows past their freshness or an excessive ttl', async () => {
  const fields = [
    ...['endpointId', 'endpoint', 'resultDigest', 'parameters', 'body', 'bodyBytes', 'etag'],
    ...['rowCount', 'truncated', 'computedAt', 'computedAt', 'freshUntil', 'freshUntil'],
    ...['lastReadAt', 'readers', 'jobId', 'bytesProcessed', 'checkedAt', 'checkedAt', 'sources'],
  ];
  const check = async (change: Change): Promise<void> => {
    const project = `mutated-${(count += 1)}`;
    expect((await ask(project)).status).toBe(200);
    await (await resultOf(project))?.ref.update(change);
    const answer = await ask(project);
    expect(answer.status).toBe(200);
    const ttl = Number(/ttl=(\d+)/.exec(String(answer.headers['cache-status']))?.[1]);
    expect(ttl).toBeGreaterThanOrEqual(0);
    expect(ttl).toBeLessThanOrEqual(CACHING_SECONDS);
    expect(Number(answer.headers.age)).toBeLessThanOrEqual(CACHING_SECONDS);
    // What was not readable is replaced by what is.
    expect((await ask(project)).headers['cache-status']).toContain('; hit');
  };
  const ahead = (ms: number): Timestamp => Timestamp.fromMillis(Date.now() + ms);
  await checkChanges(fields, 25, check, [
    [{ computedAt: ahead(DAY_MS), freshUntil: ahead(DAY_MS + 900_000) }],
    [{ freshUntil: ahead(DAY_MS) }],
    [{ etag: 'a\nb' }],
  ]);
}, 60_000);

it('a mutated key grants at most what it states', async () => {
  const fields = ['name', 'endpoints', 'parameters', 'createdAt', 'expiresAt', 'revokedAt'];
  await checkChanges(fields, 15, async (change) => {
    const key = `sqk_mutated-${(count += 1)}`;
    await storeKey(firestore, key);
    await firestore.doc(`apiKeys/${sha256Hex(key)}`).update(change);
    expect([200, 401, 403, 404, 503]).toContain((await ask('a', key)).status);
  });
}, 60_000);

it('a mutated lease blocks no request', async () => {
  const fields = ['owner', 'until', 'until', 'outcome', 'deleteAt'];
  await checkChanges(fields, 15, async (lease) => {
    const project = `leased-${(count += 1)}`;
    expect((await ask(project)).status).toBe(200);
    const document = await resultOf(project);
    await document?.ref.delete();
    await firestore.doc(`leases/${document?.id}`).set(lease);
    expect((await ask(project)).status).toBe(200);
  });
}, 60_000);
