// Tests of queries that outlive their requests: one for a result, whoever asks.
import type { ServiceError } from '../../functions/core/errors.ts';
import { type Acts, type Fields, runSteps, stepsBeside } from '../support/steps.ts';
import { failure } from '../support/bigquery/bigquery-runs.ts';
import { type Instance, STATS, createWorld, outcomeOf } from '../support/world.ts';
import { askUntilRows, rowOf, spent } from './left-queries.ts';

it.each(stepsBeside(import.meta.filename))('%s', async (_, steps) => {
  type Asked = Omit<NonNullable<Parameters<Instance['ask']>[1]>, 'project'> & { project?: string };

  /** Who asks for what: of several projects of a letter each, one after the other. What is expected of each, or null. */
  type Ask = [instance: string, asked: Asked, told: string | Told | null];

  interface Told extends Fields {
    outcome: string;
    tookMs?: number;
    withinMs?: number;
    startedMs?: number;
  }

  const world = createWorld();
  const { bigquery, clock, leaseStore, refreshStore } = world;
  const instances = new Map<string, Instance>();
  const instanceOf = (name: string): Instance => {
    const instance = instances.get(name) ?? world.createInstance();
    instances.set(name, instance);
    return instance;
  };
  const open: Promise<void>[] = [];

  async function ask(name: string, asked: Asked, told: Ask[2]): Promise<void> {
    const beganMs = clock.nowMs();
    const outcome = await instanceOf(name).ask(STATS, asked);
    const expected = typeof told === 'string' ? { outcome: told } : (told ?? {});
    const { tookMs, withinMs = Infinity, startedMs, outcome: how, ...fields } = expected as Told;
    if (told !== null) expect([asked.project, outcomeOf(outcome)]).toEqual([asked.project, how]);
    const ms = clock.nowMs() - beganMs;
    expect(ms).toBe(tookMs ?? ms);
    expect(ms).toBeLessThan(withinMs);
    if ('error' in outcome) expect(outcome.error).toMatchObject(fields);
    else if (startedMs !== undefined) expect(rowOf(outcome.served)).toMatchObject({ startedMs });
  }
  const each = ([name, { project = 'a', ...asked }, told]: Ask) =>
    [...project].map((one) => () => ask(name, { ...asked, project: one }, told));

  const acts: Acts = {
    '': async (of: Ask) => {
      for (const one of each(of)) await world.settled(one());
    },
    /** Asks, and goes on while they wait, until `end`. */
    send: (of: Ask) => {
      for (const one of each(of)) {
        const asked = one();
        asked.catch(() => undefined);
        if (of[2] !== null) open.push(asked);
      }
    },
    end: () => world.settled(Promise.all(open.splice(0))),
    untilRows: (name: string) => askUntilRows(world, () => instanceOf(name)),
    warm: async (expected: object, { on = 'a' }: Fields) =>
      expect(await world.settled(instanceOf(on as string).warm())).toMatchObject(expected),
    advance: (seconds: number) => world.advance(seconds),
    kill: (name: string) => void instanceOf(name).kill(),
    /** How long queries and answers take from now on. */
    behaves: (how: object) => void Object.assign(bigquery.behaves, how),
    /** Ends the queries that run: all with one error, or the first of them with one each. */
    endAll: ([code, reason]: [number, string]) =>
      bigquery.running().forEach((run) => run.end(failure(code, reason))),
    endFirst: (errors: [number, string][]) => {
      const running = bigquery.running();
      errors.forEach(([code, reason], index) => running[index]?.end(failure(code, reason)));
    },
    /** What happens at each such call of the store of leases. */
    before: (method: string | null, { waitMs, fails, kills }: Fields) => {
      const before = leaseStore.before;
      if (method === null) return void (leaseStore.before = () => undefined);
      leaseStore.before = (call) => {
        if (call.method !== method) return before(call);
        if (fails === true) throw new Error('down');
        if (kills !== undefined) instanceOf(kills as string).kill();
        return waitMs === undefined ? undefined : clock.wait(waitMs as number);
      };
    },
    /** Lets time pass in steps of 100 ms. */
    tenths: async (count: number) => {
      for (let tenth = 0; tenth < count; tenth += 1) {
        await world.advance(0);
        clock.advance(100);
      }
    },
    /** Begins a run, which is not awaited. */
    beginWarm: (name: string) => void instanceOf(name).warm(),
    forgetRuns: () => bigquery.runs.clear(),
    forgetRows: () => world.resultStore.entries.clear(),
    /** The labels of all queries, of which each has some. */
    labels: (expected: object) => {
      const some: unknown = expect.any(String);
      const usual = { service: some, deployment: some, endpoint: some, cause: some };
      const labels = [...bigquery.runs.values()].map((query) => query.labels);
      expect(labels).toEqual([{ ...usual, ...expected }]);
    },
    demand: () => void refreshStore.demands.set(STATS.id, clock.nowMs()),
    runs: (count: number) => expect(bigquery.runs.size).toBe(count),
    running: (count: number) => expect(bigquery.running()).toHaveLength(count),
    inserts: (count: number) => expect(bigquery.counts.insert).toBe(count),
    /** Of the key with a bound: its bytes of the day, and how many of its queries are not counted yet. */
    spent: async (expected: [number, number]) => {
      expect(await spent(world)).toEqual(expected);
    },
  };
  await runSteps(acts, steps);
});

it('runs one query of 90 s for twenty callers on four instances, who have rows with the first request after its end', async () => {
  const SLOW_MS = 90_000;
  const world = createWorld();
  world.bigquery.behaves.queryMs = SLOW_MS;
  const instances = [0, 1, 2, 3].map(() => world.createInstance());
  const beganMs = world.clock.nowMs();
  let ended = 0;
  for (let caller = 0; caller < 20; caller += 1) {
    void askAgain(instances[caller % 4]!);
    await world.advance(1);
  }
  await world.advance(180);
  expect(ended).toBe(20);
  expect(world.bigquery.runs.size).toBe(1);

  async function askAgain(instance: (typeof instances)[number]): Promise<void> {
    for (;;) {
      const isAfter = world.clock.nowMs() - beganMs > SLOW_MS;
      const outcome = await instance.ask();
      if ('served' in outcome) break;
      expect([isAfter, outcomeOf(outcome)]).toEqual([false, 'QUERY_RUNNING']);
      await world.clock.wait((outcome.error as ServiceError).retryAfterSeconds! * 1000);
    }
    ended += 1;
  }
});

it('goes on for exactly five of thirty whose time ends together, on three instances', async () => {
  const world = createWorld();
  world.bigquery.behaves.queryMs = 30_000;
  const instances = [0, 1, 2].map(() => world.createInstance());
  const asked = Array.from({ length: 30 }, (_, index) =>
    instances[index % 3]!.ask(STATS, { project: String(index), waitMs: 3000 }),
  );
  const reasons = (await world.settled(Promise.all(asked))).map(outcomeOf);
  expect(Map.groupBy(reasons, (reason) => reason).get('QUERY_RUNNING')).toHaveLength(5);
  expect(new Set(reasons)).toEqual(new Set(['QUERY_RUNNING', 'JOBS_RUNNING']));
  expect(world.bigquery.running()).toHaveLength(5);
  // They have left nothing that another joins.
  expect(await world.leaseStore.queries(0)).toHaveLength(5);
});
