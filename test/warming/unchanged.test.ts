// Tests that warming leaves out what has not changed, and nothing else: both functions over HTTP, with a table that the test writes.
import fc from 'fast-check';
import type { Dependencies } from '../../functions/endpoints/endpoint.ts';
import type { Entry } from '../../functions/core/result-store.ts';
import { type Ask, createAsk } from '../../functions/warming/ask-tables.ts';
import { describeRun } from '../../scripts/warm/wait-for-run.ts';
import { answerEach } from '../support/fakes/fake-query-runner.ts';
import { createQueryServer, createWarmServer } from '../support/world.ts';
import { type Acts, type Fields, runSteps, stepsBeside, takeAll } from '../support/steps.ts';
import { testCatalogueWith } from '../support/sql/test-sql.ts';

const CALL = 'web.visit-counts?interval=daily&project=';
const NIGHTLY: Dependencies = { sources: [{ table: 'web_visits' }], clocks: [] };
const MINUTE = 60_000;

/** Both functions, and the table that their queries read. */
function start(settings: { warmUnchanged?: 'on' | 'off'; dependsOn?: Dependencies | null } = {}) {
  const { dependsOn = NIGHTLY, ...config } = settings;
  const catalogue = testCatalogueWith({ dependsOn: dependsOn ?? undefined });
  const query = createQueryServer({ catalogue, memoryCacheSeconds: 0, ...config });
  const table = {
    /** What it holds: each write makes it one more. */
    version: 1,
    /** Called at each step between a question, a query and a write of results, so that something happens in between. */
    step: () => Promise.resolve(),
  };
  const ask: Ask = async ({ tables: [name = '', ...others] }) => {
    expect([name, others]).toEqual(['test-project.logs.web_visits', []]);
    const byTable = new Map([[name, `state ${table.version}`]]);
    const states = { askedAtMs: query.clock.nowMs(), byTable, byView: new Map() };
    await table.step();
    return { states, jobs: 1, bytes: 10 };
  };
  query.queryRunner.answerWith(async (request) => {
    await table.step();
    const { version } = table;
    await table.step();
    return answerEach(request, 'version INT64', () => [String(version)]);
  });
  /** The version that a caller gets, with its age and whether it was a hit. */
  const read = async (project = 'a'): Promise<string> => {
    const { text, headers } = await query.ask(CALL + project);
    const { result } = JSON.parse(text) as { result: { version: number }[] };
    const [, outcome] = String(headers['cache-status']).split('; ');
    return `${result[0]?.version} after ${headers.age} s, ${outcome}`;
  };
  const warm = createWarmServer({ catalogue, ask, shared: query, ...config });
  return { query, warm, table, read };
}

it.each(stepsBeside(import.meta.filename))('%s', async (_, steps) => {
  let { query, warm, table, read } = start();
  let statesRead = 0;
  query.refreshStore.before = (method) => void (statesRead += method === 'found' ? 1 : 0);
  const pass = (minutes: number): void => query.clock.advance(minutes * MINUTE);
  const acts: Acts = {
    /** Another service, which has what is stored. */
    service: (settings: Parameters<typeof start>[0]) => {
      const { resultStore, refreshStore } = query;
      ({ query, warm, table, read } = start(settings));
      query.refreshStore.before = refreshStore.before;
      statesRead = 0;
      for (const [key, entry] of resultStore.entries) query.resultStore.entries.set(key, entry);
      Object.assign(query.refreshStore.findings, refreshStore.findings);
    },
    /** The version that a caller gets, with its age and whether it was a hit. */
    read: async (expected: string | null, { project = 'a' }: Fields) =>
      expect(await read(project as string)).toEqual(expected ?? (expect.any(String) as string)),
    /** What a run some minutes later does. */
    run: async (expected: object, { after = 5 }: Fields) => {
      pass(after as number);
      expect(await warm.run()).toMatchObject(expected);
    },
    pass,
    times: async (count: number, { do: steps }: Fields) => {
      for (let done = 0; done < count; done += 1) await takeAll(acts, steps as Fields[]);
    },
    /** The table changes. */
    write: () => void (table.version += 1),
    /** The rows are replaced during the next question. */
    replaced: () => {
      const [[key, entry] = []] = query.resultStore.entries;
      table.step = async () => {
        table.step = () => Promise.resolve();
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
        if ((await warm.run()).refreshed === 1)
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
  const event = fc.constantFrom('write', 'miss', 'run', 'nothing' as const);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(event, fc.array(fc.array(event, { maxLength: 2 }), { maxLength: 3 })), {
        maxLength: 3,
      }),
      async (events) => {
        const { query, warm, table, read } = start();
        const projects = ['seen'];
        const happen = async (what: 'write' | 'miss' | 'run' | 'nothing'): Promise<void> => {
          if (what === 'write') table.version += 1;
          // Each of other rows: two of the same would wait for each other.
          else if (what === 'miss')
            await read(projects[projects.push(`missed-${projects.length}`) - 1]);
          // One that begins while another runs is skipped.
          else if (what === 'run') await warm.post();
        };
        await read('seen');
        for (const [outer, inner] of events) {
          const between = [...inner];
          // So long that runs compute what is there, and so short that all of it stays alive.
          query.clock.advance(3 * MINUTE);
          table.step = async () => {
            const next = between.shift();
            const outerStep = table.step;
            table.step = () => Promise.resolve();
            for (const what of next ?? []) await happen(what);
            table.step = outerStep;
          };
          await happen(outer);
          table.step = () => Promise.resolve();
        }
        query.clock.advance(5 * MINUTE);
        await warm.run();
        for (const project of projects) {
          expect(await read(project)).toMatch(new RegExp(`^${table.version} after`));
        }
      },
    ),
    {
      ...{ numRuns: 100, seed: 30 },
      examples: [[[['run', [['write'], ['miss']]]]], [[['miss', [[], ['write', 'run']]]]]],
    },
  );
});

it('computes results if BigQuery does not answer the change check', async () => {
  const catalogue = testCatalogueWith({ dependsOn: NIGHTLY });
  const query = createQueryServer({ catalogue, memoryCacheSeconds: 0 });
  const { clock, log } = query;
  const timedOut = () => Promise.reject(new Error('timed out'));
  const silent: Parameters<typeof createAsk>[0]['queryRunner'] = {
    run({ deadlineMs }) {
      clock.advance(deadlineMs - clock.nowMs());
      return timedOut();
    },
  };
  const ask = createAsk({ queryRunner: silent, describeTable: timedOut, clock, log });
  const warm = createWarmServer({ catalogue, ask, shared: query, warmBudgetSeconds: 30 });
  await query.ask(`${CALL}a`);
  clock.advance(5 * MINUTE);
  expect(await warm.run()).toMatchObject({ refreshed: 1, leftOver: 0 });
});

// `npm run deploy` waits for such a run, and stops where its command fails.
it('counts a run with unchanged results as successful, although one failed', () => {
  const counts = { live: 1000, refreshed: 0, unchanged: 999, failed: 1, leftOver: 0, jobs: 1 };
  expect(describeRun(counts)).toContain('999 unchanged');
});
