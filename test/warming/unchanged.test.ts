// Tests that warming leaves out what has not changed, and nothing else: both functions over HTTP, with a table that the test writes.
import fc from 'fast-check';
import type { QueryRunner } from '../../functions/core/query-runner.ts';
import { createCatalogue } from '../../functions/endpoints/catalogue.ts';
import type { Dependencies } from '../../functions/endpoints/endpoint.ts';
import type { Entry, SourceStates } from '../../functions/core/result-store.ts';
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
import { type Acts, type Fields, runSteps, stepsBeside, takeAll } from '../support/steps.ts';
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
let statesRead: number;

beforeEach(() => start());

function start(
  settings: { warmUnchanged?: 'on' | 'off'; dependsOn?: Dependencies | null } = {},
): void {
  const { dependsOn, ...config } = { dependsOn: NIGHTLY, ...settings };
  const catalogue = createCatalogue(
    testCatalogue().endpoints.map((of) => ({ ...of, dependsOn: dependsOn ?? undefined })),
  );
  version = 1;
  step = () => Promise.resolve();
  stated = () => ({
    askedAtMs: query.clock.nowMs(),
    byTable: new Map([[TABLE, `state ${version}`]]),
    byView: new Map(),
  });
  query = createQueryServer({ catalogue, memoryCacheSeconds: 0, ...config });
  statesRead = 0;
  query.refreshStore.before = (method) => {
    if (method === 'found') statesRead += 1;
  };
  const ask: Ask = async ({ tables }) => {
    expect(tables).toEqual([TABLE]);
    const states = stated();
    await step();
    return { states, jobs: 1, bytes: 10 };
  };
  warm = createWarmServer({ catalogue, ask, shared: query, ...config });
  query.queryRunner.answerWith(async ({ keys, onPage }) => {
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

const pass = (minutes: number): void => void query.clock.advance(minutes * 60_000);
const run = (): Promise<Partial<WarmReport>> => warm.run();

it.each(stepsBeside(import.meta.filename))('%s', async (_, steps) => {
  const acts: Acts = {
    /** Another service, which has what is stored. */
    service: (settings: Parameters<typeof start>[0]) => {
      const { resultStore, refreshStore } = query;
      start(settings);
      for (const [key, entry] of resultStore.entries) query.resultStore.entries.set(key, entry);
      Object.assign(query.refreshStore.findings, refreshStore.findings);
    },
    /** The version that a caller gets, with its age and whether it was a hit. */
    read: async (expected: string | null, { project = 'a' }: Fields) =>
      expect(await read(project as string)).toEqual(expected ?? (expect.any(String) as string)),
    /** What a run some minutes later does. */
    run: async (expected: object, { after = 5 }: Fields) => {
      pass(after as number);
      expect(await run()).toMatchObject(expected);
    },
    pass,
    times: async (count: number, { do: steps }: Fields) => {
      for (let done = 0; done < count; done += 1) await takeAll(acts, steps as Fields[]);
    },
    /** The table changes. */
    write: () => void (version += 1),
    /** The rows are replaced during the next question. */
    replaced: () => {
      const [[key, entry] = []] = query.resultStore.entries;
      step = async () => {
        step = () => Promise.resolve();
        const computedAtMs = query.clock.nowMs();
        if (entry) await query.resultStore.set(key!, { ...entry, computedAtMs, etag: 'newer' });
      };
    },
    jobs: (count: number) => expect(query.queryRunner.requests).toHaveLength(count),
    /** How often the states of the tables were read from Firestore. */
    statesRead: (count: number) => expect(statesRead).toBe(count),
    /** Fields of the stored results, absent ones as null. */
    entries: (expected: Fields[]) => {
      const entries = [...query.resultStore.entries.values()];
      const seen = entries.map((entry, index) =>
        Object.keys(expected[index] ?? {}).map((name) => entry[name as keyof Entry] ?? null),
      );
      expect(seen).toEqual(expected.map((fields) => Object.values(fields)));
    },
    /** When runs until then refresh the rows, which are read all the time. */
    until: async (time: string, { refreshed: expected }: Fields) => {
      const refreshed: string[] = [];
      while (query.clock.nowMs() < Date.parse(time)) {
        pass(5);
        if ((await run()).refreshed === 1)
          refreshed.push(new Date(query.clock.nowMs()).toISOString());
        await read();
      }
      expect(refreshed).toEqual(expected);
    },
    /** Moves the clock to this time. */
    at: (time: string) => query.clock.advance(Date.parse(time) - query.clock.nowMs()),
  };
  await runSteps(acts, steps);
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
  const { clock } = query;
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
  warm = createWarmServer({ catalogue, ask, shared: query, warmBudgetSeconds: 30 });
  await read();
  pass(5);
  expect(await run()).toMatchObject({ refreshed: 1, leftOver: 0 });
});

// `npm run deploy` waits for such a run, and stops where its command fails.
it('counts a run with unchanged results as successful, although one failed', () => {
  const counts = { live: 1000, refreshed: 0, unchanged: 999, failed: 1, leftOver: 0, jobs: 1 };
  expect(describeRun(counts)).toContain('999 unchanged');
});
