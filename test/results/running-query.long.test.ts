// Tests of queries that outlive their requests, in real processes: instances share Google's emulator and one BigQuery.
import { setTimeout as delay } from 'node:timers/promises';
import type { Firestore } from '@google-cloud/firestore';
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import { type RunningFunction, runFunction } from '../support/service/running-function.ts';
import { API_KEY, firestoreWithKey } from '../support/service/service.ts';

const ENV = { QUERY_TIMEOUT_SECONDS: '3', LEASE_SECONDS: '1' };
let firestore: Firestore;

beforeEach(async () => {
  firestore = await firestoreWithKey();
});

function start(bigQueryUrl: string, target: 'query' | 'warm' = 'query', env = {}) {
  return runFunction({ target, firestore, bigQueryUrl, env: { ...ENV, ...env } });
}

function ask({ url }: RunningFunction, project: string): Promise<Response> {
  const path = `/api/endpoints/query/tasks.run-stats?project=${project}`;
  return fetch(`${url}${path}`, { headers: { 'X-API-KEY': API_KEY } });
}

async function reasonOf(answer: Response): Promise<string | undefined> {
  const body = (await answer.json()) as { error?: { details: { reason: string }[] } };
  return body.error?.details[0]?.reason;
}

/** As told, until there are rows. */
async function askUntilRows(instance: RunningFunction, project: string): Promise<void> {
  for (;;) {
    const answer = await ask(instance, project).catch(() => undefined);
    if (answer?.status === 200) return;
    await delay(Number(answer?.headers.get('retry-after') ?? 1) * 1000);
  }
}

it('runs one job for twenty callers on four instances, who have rows with the first request after its end', async () => {
  const bigquery = await startBigQueryStub({ queryMs: null });
  const instances = await Promise.all([1, 2, 3, 4].map(() => start(bigquery.url)));
  let isEnded = false;
  const callers = Array.from({ length: 20 }, async (_, caller) => {
    for (;;) {
      const isAfter = isEnded;
      const answer = await ask(instances[caller % 4]!, 'a');
      if (answer.status === 200) return answer.text();
      expect([answer.status, await reasonOf(answer), isAfter]).toEqual([
        503,
        'QUERY_RUNNING',
        false,
      ]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      await delay(Number(answer.headers.get('retry-after')) * 1000);
    }
  });
  await delay(12_000);
  await bigquery.control({ end: {} });
  isEnded = true;
  expect(new Set(await Promise.all(callers)).size).toBe(1);
  expect(await bigquery.control()).toMatchObject({ queries: 1, jobs: 1, cancel: 0 });
}, 60_000);

it('loses no query of an instance that is killed, at whichever of twenty points each of them is', async () => {
  const bigquery = await startBigQueryStub({ queryMs: 3500 });
  // Time enough, so that the second leaves none itself: it may leave only five.
  const env = { QUERY_TIMEOUT_SECONDS: '25' };
  const [first, second] = await Promise.all([
    start(bigquery.url, 'query', env),
    start(bigquery.url, 'query', env),
  ]);
  const projects = Array.from({ length: 20 }, (_, index) => `p${index}`);
  for (const project of projects) {
    void ask(first, project).catch(() => undefined);
    await delay(220);
  }
  process.kill(first.pid, 'SIGKILL');
  await Promise.all(projects.map((project) => askUntilRows(second, project)));
  expect(await bigquery.control()).toMatchObject({ queries: 20, running: [] });
}, 60_000);

it('collects in a run of warming what a killed run, and a request that nobody repeated, have left', async () => {
  const bigquery = await startBigQueryStub();
  const query = await start(bigquery.url);
  for (const project of ['a', 'b', 'c']) expect((await ask(query, project)).status).toBe(200);
  await bigquery.control({ queryMs: null });
  const left = await ask(query, 'd');
  expect(await reasonOf(left)).toBe('QUERY_RUNNING');
  // All are due again.
  const { docs } = await firestore.collection('results').get();
  for (const { ref } of docs) {
    const computedAt = new Date(Date.now() - 300_000);
    await ref.update({ computedAt });
  }
  const killed = await start(bigquery.url, 'warm');
  void fetch(killed.url, { method: 'POST' }).catch(() => undefined);
  for (let jobs = 0; jobs < 2; { jobs } = await bigquery.control()) await delay(50);
  process.kill(killed.pid, 'SIGKILL');
  await bigquery.control({ end: {}, queryMs: 0 });
  const warm = await start(bigquery.url, 'warm');
  // The lease of the killed run ends.
  await delay(1500);
  const report = (await (await fetch(warm.url, { method: 'POST' })).json()) as object;
  expect(report).toMatchObject({ refreshed: 4, jobs: 0, failed: [], running: 0 });
  expect(await bigquery.control()).toMatchObject({ jobs: 2, running: [] });
  const hit = await ask(query, 'd');
  expect(hit.headers.get('cache-status')).toMatch('saved-queries; hit');
}, 60_000);
