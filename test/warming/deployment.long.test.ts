// A deployment of changed queries and its rollback, rehearsed: functions in processes of their own, on an emulator, under requests.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Firestore } from '@google-cloud/firestore';
import { eachLimit } from '../../functions/core/each-limit.ts';
import type { Entry } from '../../functions/core/result-store.ts';
import { COMPILED_CATALOGUE } from '../../functions/endpoints/catalogue.ts';
import { createFirestoreResultStore } from '../../functions/firestore/result-store.ts';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import { compileCatalogue, loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import type { LocalBigQuery } from '../../scripts/local-bigquery/rest/server.ts';
import { main as warmCommand } from '../../scripts/warm.ts';
import { startLocalBigQuery, tablesOf } from '../support/bigquery/local-bigquery.ts';
import { runCommand } from '../support/command.ts';
import { startFakeScheduler } from '../support/fakes/fake-scheduler.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { projectOf } from '../support/service/firestore-emulators.ts';
import { type RunningFunction, runFunction } from '../support/service/running-function.ts';
import { API_KEY, firestoreWithKey, liveEntry } from '../support/world.ts';
import { testDirectory } from '../support/temporary-directory.ts';

const PROJECTS = Array.from({ length: 28 }, (_, index) => `project-${100 + index}-x`);
/** All groups of both endpoints: 9 × 28 results. */
const GROUPS: [string, Record<string, string>][] = [
  ...['5min', '15min', '1hr', '1day', '7day'].map((interval): [string, Record<string, string>] => [
    'functions.invocation-stats',
    { function_id: '', interval },
  ]),
  ...['hourly', 'minutely', '1day', 'daily'].map((interval): [string, Record<string, string>] => [
    'usage.api-counts',
    { interval },
  ]),
];
/** What a changed query adds to a number, so that each row says of which query it is. */
const ADDED = 1000;
const CHANGES: [RegExp, string][] = [
  [/statistics\.error_count(?=\n)/, `${ADDED} + statistics.error_count AS error_count`],
  [/SUM\(counted\.rest_requests\)/, `${ADDED} + SUM(counted.rest_requests)`],
  [/COUNTIF\(.*\) AS total_rest_requests/, `${ADDED} + $&`],
];

const folder = testDirectory('deployment-');
const scheduler = await startFakeScheduler();
let bundleCount = 0;
let bigquery: LocalBigQuery;
let jobCount = 0;
let firestore: Firestore;

beforeAll(async () => {
  bigquery = await startLocalBigQuery({
    tables: await tablesOf('sql', rowsOfLastHour()),
    beforeRun: () => Promise.resolve(void (jobCount += 1)),
  });
  firestore = await firestoreWithKey();
});

function rowsOfLastHour(): Record<string, object[]> {
  const timestamp = new Date(Date.now() - 60_000).toISOString();
  return {
    function_relay_logs: PROJECTS.map((project_ref) => ({
      id: project_ref,
      timestamp,
      metadata: [
        { project_ref, function_id: 'f', execution_time_ms: 5, response: [{ status_code: 200 }] },
      ],
    })),
    edge_logs: PROJECTS.map((project) => ({
      id: project,
      timestamp,
      metadata: [{ request: [{ url: `https://${project}.example/rest/v1`, path: '/rest/v1' }] }],
    })),
  };
}

/** One version of the saved queries, with `query` and `warm` that serve it, and the folder of its bundle. */
async function bringUp(sql: string) {
  const bundle = join(folder, `bundle-${(bundleCount += 1)}`);
  mkdirSync(join(bundle, 'functions'), { recursive: true });
  const compiled = compileCatalogue(loadCatalogue(sql));
  writeFileSync(join(bundle, 'functions', COMPILED_CATALOGUE), compiled);
  const env = {
    BIGQUERY_DATASET: TEST_SCOPE.dataset,
    // Longer than a busy machine lets anything wait.
    FIRESTORE_TIMEOUT_SECONDS: '60',
    QUERY_TIMEOUT_SECONDS: '59',
  };
  const start = (target: 'query' | 'warm'): Promise<RunningFunction> =>
    runFunction({ target, firestore, bigQueryUrl: bigquery.url, sql, env });
  const warm = await start('warm');
  return { bundle, warm, start };
}

/** What the commands of a deployment run between `warm` and `query`, or `refresh`. */
async function command(warm: RunningFunction, ...args: string[]): Promise<string> {
  scheduler.warmPort = warm.port;
  const { code, stdout, stderr } = await runCommand(
    warmCommand,
    [...args, '--project', projectOf(firestore), '--database', '(default)'],
    { CLOUD_SCHEDULER_EMULATOR_HOST: scheduler.host },
  );
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}

/** 252 results that callers have read, by a query of before those in `sql`. */
async function seed(): Promise<void> {
  const store = createFirestoreResultStore(firestore);
  const catalogue = loadCatalogue('sql');
  const nowMs = Date.now();
  const body = gzipSync('{"result":[]}');
  const entries = GROUPS.flatMap(([name, others]) =>
    PROJECTS.map((project): [string, Entry] => {
      const endpoint = catalogue.resolve(name);
      if (endpoint === undefined) throw new Error(`no ${name}`);
      const parameters = { project, ...others };
      const definition = { ...endpoint, resultDigest: 'of-a-query-of-before' };
      const entry = {
        ...liveEntry(definition, parameters, 'test', nowMs, nowMs),
        ...{ computedAtMs: nowMs - 1000, freshUntilMs: nowMs + 899_000, body, bodyBytes: 13 },
      };
      const scope = { ...TEST_SCOPE, project: projectOf(firestore) };
      return [cacheKey(scope, definition, parameters), entry];
    }),
  );
  await eachLimit(entries, 32, async ([key, entry]) => void (await store.set(key, entry)));
}

let asked = 0;

/** Asks for so many results in turn, three at a time; counts what comes. */
async function ask(url: string, count: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await eachLimit(Array.from({ length: count }), 3, async () => {
    const index = (asked += 1);
    const [name, others] = GROUPS[index % GROUPS.length] as [string, Record<string, string>];
    const project = PROJECTS[Math.floor(index / GROUPS.length) % PROJECTS.length] as string;
    const search = new URLSearchParams({ project, ...others });
    const answer = await fetch(`${url}/api/endpoints/query/${name}?${search}`, {
      headers: { 'X-API-KEY': API_KEY },
    });
    const { result } = (await answer.json()) as { result?: Record<string, number>[] };
    const [, state = ''] = (answer.headers.get('Cache-Status') ?? '').split('; ');
    const number = result?.[0]?.error_count ?? result?.[0]?.total_rest_requests ?? -1;
    const query = number >= ADDED ? 'changed' : number < 0 ? 'no' : 'first';
    const counted = `${answer.status} ${state}, ${query} query`;
    counts[counted] = (counts[counted] ?? 0) + 1;
  });
  return counts;
}

/** Asks all the time while `work` is done; returns which answers there were. */
async function askDuring(url: string, work: () => Promise<unknown>): Promise<string[]> {
  const seen = new Set<string>();
  let isDone = false;
  const asking = (async () => {
    while (!isDone) {
      for (const answer of Object.keys(await ask(url, 3))) seen.add(answer);
      await delay(20);
    }
  })();
  await Promise.all([asking, work().finally(() => (isDone = true))]);
  return [...seen];
}

it('a deployment and its rollback affect no caller', async () => {
  const changedSql = join(folder, 'sql');
  cpSync('sql', changedSql, { recursive: true });
  for (const name of ['functions.invocation-stats', 'usage.api-counts']) {
    for (const file of ['query.sql', 'warm.sql']) {
      const path = join(changedSql, 'endpoints', name, file);
      const text = readFileSync(path, 'utf8');
      const changed = CHANGES.reduce((now, [from, to]) => now.replace(from, to), text);
      expect(changed).not.toBe(text);
      writeFileSync(path, changed);
    }
  }
  await seed();
  const first = await bringUp('sql');
  const firstQuery = await first.start('query');
  expect(await command(first.warm, 'run', '--wait', '--bundle', first.bundle)).toBe(
    'Live results: 252, 252 refreshed. BigQuery jobs: 2.\n',
  );
  expect(await ask(firstQuery.url, 100)).toEqual({ '200 hit, first query': 100 });

  // As the commands do it: warm, a run of it, query.
  jobCount = 0;
  let changedUrl = '';
  const deploying = askDuring(firstQuery.url, async () => {
    const changed = await bringUp(changedSql);
    expect(await command(changed.warm, 'run', '--wait', '--bundle', changed.bundle)).toBe(
      'Live results: 252, 252 refreshed. BigQuery jobs: 2.\n',
    );
    changedUrl = (await changed.start('query')).url;
  });
  expect(await deploying).toEqual(['200 hit, first query']);
  // Each of them once.
  expect(await ask(changedUrl, 252)).toEqual({ '200 hit, changed query': 252 });
  expect(jobCount).toBe(2);

  jobCount = 0;
  const back = askDuring(changedUrl, () =>
    command(first.warm, 'run', '--wait', '--bundle', first.bundle),
  );
  expect(await back).toEqual(['200 hit, changed query']);
  expect(await ask(firstQuery.url, 100)).toEqual({ '200 hit, first query': 100 });
  expect(jobCount).toBe(0);
}, 300_000);
