// Tests that warming leaves out what has not changed, and nothing else: both functions over HTTP, with a table that the test writes.
import fc from 'fast-check';
import type { QueryRunner } from '../../functions/core/query-runner.ts';
import { createCatalogue } from '../../functions/endpoints/catalogue.ts';
import type { Dependencies } from '../../functions/endpoints/endpoint.ts';
import type { SourceStates } from '../../functions/core/result-store.ts';
import { type Ask, createAsk } from '../../functions/warming/ask-tables.ts';
import type { WarmReport } from '../../functions/warming/terms.ts';
import { describeRun } from '../../scripts/warm/wait-for-run.ts';
import { FakeLog } from '../support/fakes/fake-log.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import {
  type QueryServer,
  createQueryServer,
  type WarmServer,
  createWarmServer,
} from '../support/world.ts';
import { testCatalogue } from '../support/sql/test-sql.ts';

const ENDPOINT = 'web.visit-counts';
const PATH = `/api/endpoints/query/${ENDPOINT}?interval=daily&project=`;
const TABLE = 'test-project.logs.web_visits';
const NIGHTLY: Dependencies = { sources: [{ table: 'web_visits' }], clocks: [] };

let query: QueryServer;
let warm: WarmServer;
/** What the table holds: each write makes it one more. */
let version: number;
/** Called at each step between a question, a query and a write of results, so that something happens in between. */
let step: () => Promise<void>;
/** What BigQuery says of its tables; undefined where it does not say. */
let stated: () => SourceStates | undefined;

beforeEach(() => start());

function start(
  settings: { warmUnchanged?: 'on' | 'off'; dependsOn?: Dependencies | undefined } = {},
): void {
  const { dependsOn, ...config } = { dependsOn: NIGHTLY, ...settings };
  const catalogue = createCatalogue(
    testCatalogue().endpoints.map((endpoint) => ({ ...endpoint, dependsOn })),
  );
  version = 1;
  step = () => Promise.resolve();
  stated = () => ({
    askedAtMs: query.clock.nowMs(),
    byTable: new Map([[TABLE, `state ${version}`]]),
    byView: new Map(),
  });
  query = createQueryServer({ catalogue, memoryCacheSeconds: 0, ...config });
  const ask: Ask = async ({ tables }) => {
    expect(tables).toEqual([TABLE]);
    const states = stated();
    await step();
    return { states, jobs: 1, bytes: 10 };
  };
  const { clock, resultStore, refreshStore, queryRunner } = query;
  warm = createWarmServer({
    ...{ catalogue, clock, resultStore, refreshStore, queryRunner, ask },
    ...config,
  });
  queryRunner.answerWith(async ({ keys, onPage }) => {
    await step();
    const row = { v: String(version) };
    await step();
    const schema = [{ name: 'version', type: 'INT64' }];
    if (keys === undefined) return queryResult({ schema, rows: [{ f: [row] }] });
    const rows = keys.map(({ key }) => ({ f: [{ v: key }, row] }));
    const batch = [{ name: 'key', type: 'STRING' }, ...schema];
    await onPage({ schema: batch, rows: rows.sort(byKey), jobId: 'batch' });
    return queryResult({ schema: batch, rows: [] });
  });
}

const byKey = (a: { f: { v: unknown }[] }, b: typeof a): number =>
  String(a.f[0]?.v) < String(b.f[0]?.v) ? -1 : 1;

/** The version that a caller gets, with its age and whether it was a hit. */
async function read(project = 'a'): Promise<string> {
  const { text, headers } = await query.get(PATH + project);
  const { result } = JSON.parse(text) as { result: { version: number }[] };
  const [, outcome] = String(headers['cache-status']).split('; ');
  return `${result[0]?.version} after ${headers.age} s, ${outcome}`;
}

const run = (): Promise<Partial<WarmReport>> => warm.run();

const jobs = (): number => query.queryRunner.requests.length;
const pass = (minutes: number): void => void query.clock.advance(minutes * 60_000);

/** What a run five minutes later did. */
function runLater(): Promise<Partial<WarmReport>> {
  pass(5);
  return run();
}

/** A result whose rows have the state of their table, because a run has computed them. */
async function computeByRun(): Promise<void> {
  await read();
  await runLater();
}

it('runs no query while no table changes, and rows are as fresh as the change check', async () => {
  expect(await read()).toBe('1 after 0 s, fwd=uri-miss');
  pass(5);
  // The rows of the miss have no state: no run has asked before.
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
  for (let count = 0; count < 60; count += 1) {
    pass(5);
    expect(await run()).toMatchObject({
      ...{ live: 1, refreshed: 0, unchanged: 1, jobs: 0, failed: [] },
      ...{ questionJobs: 1, questionBytes: 10, leftOver: 0 },
    });
    pass(1);
    expect(await read()).toBe('1 after 60 s, hit');
    query.clock.advance(-60_000);
  }
  expect(jobs()).toBe(2);
});

it('assigns the table state of the last run to the rows of a miss', async () => {
  await read('a');
  pass(5);
  await run();
  await read('b');
  expect(await runLater()).toMatchObject({ refreshed: 0, unchanged: 2 });
  version += 1;
  await read('c');
  expect(await runLater()).toMatchObject({ refreshed: 3, unchanged: 0 });
});

it.each<[string, Dependencies | undefined, number]>([
  ['only its tables', NIGHTLY, 1],
  ['a wildcard', { sources: [{ table: 'web_visits*' }], clocks: [] }, 0],
  ['more', undefined, 0],
])('reads the table states for a miss that depends on %s', async (_, dependsOn, reads) => {
  start({ dependsOn });
  let count = 0;
  query.refreshStore.before = (method) => {
    if (method === 'found') count += 1;
  };
  await read();
  expect(count).toBe(reads);
});

it('checks nothing if WARM_UNCHANGED is off, and ignores earlier checks when it is on again', async () => {
  await computeByRun();
  const { resultStore, refreshStore } = query;
  start({ warmUnchanged: 'off' });
  for (const [key, entry] of resultStore.entries) query.resultStore.entries.set(key, entry);
  Object.assign(query.refreshStore.findings, refreshStore.findings);
  query.clock.advance(600_000);
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0, questionJobs: 0 });
  await read('b');
  const sources = [...query.resultStore.entries.values()].map((entry) => entry.sources);
  expect(sources).toEqual([undefined, undefined]);
});

it('does not confirm rows that were replaced during the change check', async () => {
  await computeByRun();
  pass(5);
  const [key = ''] = query.resultStore.entries.keys();
  const entry = query.resultStore.entries.get(key);
  step = async () => {
    step = () => Promise.resolve();
    const computedAtMs = query.clock.nowMs();
    if (entry) await query.resultStore.set(key, { ...entry, computedAtMs, etag: 'newer' });
  };
  expect(await run()).toMatchObject({ refreshed: 0, unchanged: 0, skipped: 1 });
  expect(query.resultStore.entries.get(key)?.etag).toBe('newer');
  expect(query.resultStore.entries.get(key)?.checkedAtMs).toBeUndefined();
});

it.each([
  [
    ...(['HOUR', 'Australia/Lord_Howe', '2026-04-04T13:32:00Z', '2026-04-04T15:35:00Z'] as const),
    // A clock is set back by half an hour.
    ['2026-04-04T14:02:00.000Z', '2026-04-04T15:02:00.000Z', '2026-04-04T15:32:00.000Z'],
  ],
  [
    ...(['DAY', 'America/New_York', '2026-11-20T04:03:00Z', '2026-11-20T05:20:00Z'] as const),
    ['2026-11-20T05:03:00.000Z'],
  ],
  [
    ...(['DAY', 'America/New_York', '2026-03-09T03:03:00Z', '2026-03-09T05:20:00Z'] as const),
    // After clocks went forward.
    ['2026-03-09T04:03:00.000Z'],
  ],
])('runs the query once after each tick of the %s in %s', async (...row) => {
  const [unit, timeZone, from, until, expected] = row;
  start({ dependsOn: { ...NIGHTLY, clocks: [{ unit, timeZone }] } });
  query.clock.advance(Date.parse(from) - query.clock.nowMs());
  await computeByRun();
  const refreshed: string[] = [];
  while (query.clock.nowMs() < Date.parse(until)) {
    pass(5);
    if ((await run()).refreshed === 1) refreshed.push(new Date(query.clock.nowMs()).toISOString());
    await read();
  }
  expect(refreshed).toEqual(expected);
});

// The law: whatever happens between a question, a query and a write, a run after the last change leaves no old rows.
it('leaves no outdated rows, whatever the order of writes, misses, checks and computations', async () => {
  let projects: string[];
  const event = fc.constantFrom('write', 'miss', 'run', 'nothing' as const);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(event, fc.array(fc.array(event, { maxLength: 2 }), { maxLength: 3 })), {
        maxLength: 3,
      }),
      async (events) => {
        start();
        projects = ['seen'];
        await read('seen');
        for (const [outer, inner] of events) {
          const between = [...inner];
          // So long that runs compute what is there, and so short that all of it stays alive.
          pass(3);
          step = async () => {
            const next = between.shift();
            const outerStep = step;
            step = () => Promise.resolve();
            for (const what of next ?? []) await happen(what);
            step = outerStep;
          };
          await happen(outer);
          step = () => Promise.resolve();
        }
        pass(5);
        await run();
        for (const project of projects) {
          expect(await read(project)).toMatch(new RegExp(`^${version} after`));
        }
      },
    ),
    {
      ...{ numRuns: 100, seed: 30 },
      examples: [[[['run', [['write'], ['miss']]]]], [[['miss', [[], ['write', 'run']]]]]],
    },
  );

  async function happen(what: 'write' | 'miss' | 'run' | 'nothing'): Promise<void> {
    if (what === 'write') version += 1;
    // Each of other rows: two of the same would wait for each other.
    else if (what === 'miss') await read(projects[projects.push(`missed-${projects.length}`) - 1]);
    // One that begins while another runs is skipped.
    else if (what === 'run') await warm.post();
  }
});

it('computes results if BigQuery does not answer the change check', async () => {
  const { clock, resultStore, refreshStore, queryRunner } = query;
  const timedOut = () => Promise.reject(new Error('timed out'));
  const silent: Pick<QueryRunner, 'run'> = {
    run({ deadlineMs }) {
      clock.advance(deadlineMs - clock.nowMs());
      return timedOut();
    },
  };
  const log = new FakeLog();
  const ask = createAsk({ queryRunner: silent, describeTable: timedOut, clock, log });
  const { catalogue } = warm;
  const backends = { catalogue, clock, resultStore, refreshStore, queryRunner };
  warm = createWarmServer({ ...backends, ask, warmBudgetSeconds: 30 });
  await read();
  expect(await runLater()).toMatchObject({ refreshed: 1, leftOver: 0 });
});

// `npm run deploy` waits for such a run, and stops where its command fails.
it('counts a run with unchanged results as successful, although one failed', () => {
  const counts = { live: 1000, refreshed: 0, unchanged: 999, failed: 1, leftOver: 0, jobs: 1 };
  expect(describeRun(counts)).toContain('999 unchanged');
});
