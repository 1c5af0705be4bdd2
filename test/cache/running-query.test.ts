// Tests of queries that outlive their requests: one for a result, whoever asks, dies or takes over.
import fc from 'fast-check';
import { gunzipSync } from 'node:zlib';
import { ServiceError } from '../../functions/core/errors.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { Served } from '../../functions/cache/reading.ts';
import { type Acts, type Fields, runSteps } from '../support/steps.ts';
import { STOPPED, failure } from '../support/bigquery/bigquery-runs.ts';
import {
  DEADLINE_MS,
  type Instance,
  STATS,
  type World,
  createWorld,
  outcomeOf,
} from '../support/world.ts';

const CHANGED: Endpoint = { ...STATS, sql: `${STATS.sql} `, resultDigest: 'changed' };
const MIB = 1024 * 1024;

/** Of the query: when it was started, and which one it is. */
function rowOf({ entry }: Pick<Served, 'entry'>) {
  const { result } = JSON.parse(gunzipSync(entry.body).toString()) as {
    result: { timestamp: string; avg_duration: number; count: number }[];
  };
  const [row] = result;
  const project = String.fromCharCode(row?.avg_duration ?? 0);
  return { startedMs: Date.parse(row?.timestamp ?? ''), sqlLength: row?.count, project };
}

/** Asks as told, one request after the other, until there are rows. Returns when the last was sent. */
async function askUntilRows(
  world: World,
  instance: () => Instance,
  asked: Parameters<Instance['ask']>[1] = {},
) {
  const { advance, clock, settled } = world;
  for (let times = 1; times <= 60; times += 1) {
    const askedMs = clock.nowMs();
    const outcome = await settled(instance().ask(STATS, asked));
    if ('served' in outcome) return { served: outcome.served, askedMs };
    const { retryAfterSeconds = 1 } = outcome.error as ServiceError;
    await advance(retryAfterSeconds);
  }
  throw new Error('There were no rows.');
}

type Asked = Omit<NonNullable<Parameters<Instance['ask']>[1]>, 'project'> & { project?: string };
/** Who asks for what: of several projects of a letter each, one after the other. What is expected of each, or null. */
type Ask = [instance: string, asked: Asked, told: string | Told | null];
interface Told extends Fields {
  outcome: string;
  tookMs?: number;
  withinMs?: number;
  startedMs?: number;
}

function createActs(): Acts {
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

  return {
    '': async (of: Ask) => {
      for (const one of each(of)) await world.settled(one());
    },
    /** Asks, and goes on while they wait, until `settle`. */
    send: (of: Ask) => {
      for (const one of each(of)) {
        const asked = one();
        asked.catch(() => undefined);
        if (of[2] !== null) open.push(asked);
      }
    },
    settle: () => world.settled(Promise.all(open.splice(0))),
    untilRows: (name: string) => askUntilRows(world, () => instanceOf(name)),
    warm: async (expected: object) =>
      expect(await world.settled(instanceOf('a').warm())).toMatchObject(expected),
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
    demand: () => void refreshStore.demands.set(STATS.id, clock.nowMs()),
    runs: (count: number) => expect(bigquery.runs.size).toBe(count),
    running: (count: number) => expect(bigquery.running()).toHaveLength(count),
    inserts: (count: number) => expect(bigquery.counts.insert).toBe(count),
    /** Of the key with a bound: its bytes of the day, and how many of its queries are not counted yet. */
    spent: async (expected: [number, number]) => {
      const { bytes, open: debts } = await spent(world);
      expect([bytes, debts]).toEqual(expected);
    },
  };
}

runSteps(import.meta.filename, createActs);

const SLOW_MS = 90_000;

it('runs one query of 90 s for twenty callers on four instances, who have rows with the first request after its end', async () => {
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

const BOUND = { keyName: 'agent', bytesPerDay: 45 * MIB };
const spent = async ({ leaseStore }: World) => ({
  bytes: await leaseStore.bytesOf('agent', '2026-11-20'),
  open: leaseStore.open.length,
});

const POINTS = Array.from({ length: 20 }, (_, index) => index);

it.each(POINTS)(
  'joins the query of an instance that was killed at point %d, whose bytes are counted once',
  async (point) => {
    const world = createWorld();
    const { bigquery, resultStore, leaseStore, advance } = world;
    bigquery.behaves.queryMs = 6000;
    const [first, second] = [world.createInstance(), world.createInstance()];
    // The first points are the calls of the request, the others times.
    let calls = 0;
    const killAt = (): void => {
      calls += 1;
      if (calls === point) first.kill();
    };
    resultStore.before = leaseStore.before = killAt;
    void first.ask(STATS, BOUND);
    for (let second = 10; second < 18; second += 1) {
      await advance(1);
      if (second === point) first.kill();
    }
    resultStore.before = leaseStore.before = () => undefined;
    first.kill();
    await askUntilRows(world, () => second, BOUND);
    expect(bigquery.runs.size).toBe(1);
    await advance(700);
    await world.settled(world.createInstance().warm());
    expect(await spent(world)).toEqual({ bytes: 10 * MIB, open: 0 });
  },
);

it.each(POINTS)(
  'collects the queries of a run of warming that was killed at point %d',
  async (point) => {
    const world = createWorld();
    const { bigquery, resultStore, leaseStore, advance } = world;
    const projects = ['a', 'b', 'c'];
    const reader = world.createInstance();
    for (const project of projects) await world.settled(reader.ask(STATS, { project }));
    await advance(300);
    for (const project of projects) await world.settled(reader.ask(STATS, { project }));
    const { size } = bigquery.runs;
    bigquery.behaves.queryMs = 250_000;
    const [first, second] = [world.createInstance(), world.createInstance()];
    let calls = 0;
    resultStore.before = leaseStore.before = () => {
      calls += 1;
      if (calls === point) first.kill();
    };
    void first.warm();
    await advance(Math.max(1, 12 * point));
    resultStore.before = leaseStore.before = () => undefined;
    first.kill();
    await advance(300 - Math.max(1, 12 * point));
    const report = await world.settled(second.warm());
    expect(report).toMatchObject({ refreshed: 3, failed: [], leftOver: 0 });
    expect(bigquery.runs.size).toBe(size + 1);
    const stored = [...resultStore.entries.values()];
    expect(new Set(stored.map(({ jobId }) => jobId)).size).toBe(1);
    for (const entry of stored) expect(rowOf({ entry }).project).toBe(entry.parameters.project);
  },
);

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

it('the bytes of a key with a bound do not keep a request that has a second each time from its rows, though the answers take most of it', async () => {
  const world = createWorld();
  world.bigquery.behaves.answerMs = 450;
  const instance = world.createInstance();
  const reasons = [];
  for (const _ of '123') {
    const asked = instance.ask(STATS, { ...BOUND, waitMs: 1000 });
    for (let tenth = 0; tenth < 12; tenth += 1) {
      await world.advance(0);
      world.clock.advance(100);
    }
    reasons.push(outcomeOf(await asked));
    await world.advance(5);
  }
  // The first one has sent the job, without the estimate, which would have come too late.
  expect(reasons).toEqual(['QUERY_STARTING', 'QUERY_STARTING', 'QUERY_RUNNING']);
  expect(world.bigquery.runs.size).toBe(1);
  expect(await spent(world)).toEqual({ bytes: 0, open: 1 });
  world.bigquery.behaves.answerMs = 0;
  expect(outcomeOf(await world.settled(instance.ask(STATS, { ...BOUND, waitMs: 1000 })))).toBe(
    'miss',
  );
  expect(await spent(world)).toEqual({ bytes: 10 * MIB, open: 0 });
});

it.each([
  ['a key with a bound', 'record', 'a request', 'first'],
  ['a key with a bound', 'record', 'warming', 'first'],
  ['a key', 'acquire', 'a request', 'first'],
  ['a key', 'acquire', 'warming', 'first'],
  ['warming', 'acquire', 'a request', undefined],
])(
  'has the labels of %s that died before it was sent (at %s), though %s sends it',
  async (starter, diesAt, sender, key) => {
    const world = createWorld();
    const { leaseStore, resultStore } = world;
    const first = world.createInstance();
    if (starter === 'warming') {
      expect(outcomeOf(await world.settled(first.ask()))).toBe('miss');
      await world.advance(310);
    }
    world.bigquery.runs.clear();
    leaseStore.before = ({ method }) => void (method === diesAt && first.kill());
    const bound = starter === 'a key with a bound' ? BOUND : {};
    const asked = { ...bound, keyName: 'first', waitMs: 5000 };
    void (starter === 'warming' ? first.warm() : first.ask(STATS, asked));
    await world.advance(1);
    expect(world.bigquery.runs.size).toBe(0);
    leaseStore.before = () => undefined;
    resultStore.entries.clear();
    await world.advance(30);
    const second = world.createInstance();
    const ask = () => second.ask(STATS, { ...BOUND, keyName: 'second' });
    await world.settled<unknown>(sender === 'warming' ? second.warm() : ask());
    const labels = [...world.bigquery.runs.values()].map((query) => query.labels);
    const some: unknown = expect.any(String);
    const keyLabels = key === undefined ? {} : { key, key_id: 'first' };
    const expected = { service: some, deployment: some, endpoint: some, cause: some };
    expect(labels).toEqual([{ ...expected, ...keyLabels }]);
  },
);

type Event =
  | { do: 'ask' | 'kill' | 'stop' | 'warm' | 'deploy'; instance: number }
  | { do: 'wait' | 'take'; seconds: number }
  | { do: 'cancel' | 'fail' };

const doing = <Name extends Event['do']>(...names: Name[]) => fc.constantFrom(...names);
const instance = fc.nat(2);
const EVENT: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: doing('ask'), instance }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: doing('wait'), seconds: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: doing('kill', 'stop', 'warm', 'deploy'), instance }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: doing('take'), seconds: fc.constantFrom(0, 2, 10, 90, 700) }),
  },
  { weight: 1, arbitrary: fc.record({ do: doing('cancel', 'fail') }) },
);

it('law: at most one query of a result runs, no rows are too old, and no answer without rows is a 200', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(EVENT, { minLength: 4, maxLength: 14 }), async (events) => {
      const world = createWorld();
      const { clock, bigquery, advance } = world;
      const instances = [0, 1, 2].map(() => world.createInstance());
      let endpoint = STATS;
      const faults: string[] = [];
      const check = (): void => {
        for (const [sql, running] of Map.groupBy(bigquery.running(), (query) => query.sql)) {
          if (running.length > 1) faults.push(`${running.length} queries at once: ${sql.length}`);
        }
      };
      const ask = async (at: number): Promise<void> => {
        const asked = endpoint;
        const beganMs = clock.nowMs();
        const outcome = await instances[at]!.ask(asked);
        if (clock.nowMs() - beganMs > DEADLINE_MS + 2000) faults.push('late');
        if ('error' in outcome) {
          const { error } = outcome;
          // Others are told of the error of the query without its text.
          const isKnown =
            error instanceof ServiceError || /is fail\./.test((error as Error).message);
          if (!isKnown) faults.push(String(error));
          return;
        }
        const { startedMs, sqlLength } = rowOf(outcome.served);
        if (clock.nowMs() - startedMs > asked.cachingSeconds * 1000) faults.push('too old');
        if (sqlLength !== asked.sql.length) faults.push('of another definition');
      };
      for (const event of events) {
        if (event.do === 'wait') {
          for (let second = 0; second < event.seconds; second += 1) {
            await advance(1);
            check();
          }
        } else if (event.do === 'take') bigquery.behaves.queryMs = event.seconds * 1000;
        else if (event.do === 'ask') void ask(event.instance);
        else if (event.do === 'warm') void instances[event.instance]?.warm([endpoint]);
        else if (event.do === 'deploy') endpoint = endpoint === STATS ? CHANGED : STATS;
        else if (event.do === 'cancel' || event.do === 'fail') {
          for (const run of bigquery.running()) {
            run.end(event.do === 'cancel' ? STOPPED : failure(400, 'fail'));
          }
        } else if (event.do === 'kill' || event.do === 'stop') {
          instances[event.instance]?.[event.do]();
          instances[event.instance] = world.createInstance();
        }
        await advance(0);
        check();
      }
      // Whatever has happened, it is soon over.
      bigquery.behaves.queryMs = 300;
      await advance(30);
      await askUntilRows(world, () => instances[0]!);
      expect(faults).toEqual([]);
    }),
    { numRuns: 50 },
  );
}, 60_000);
