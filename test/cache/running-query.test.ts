// Tests of queries that outlive their requests: one for a result, whoever asks, dies or takes over.
import fc from 'fast-check';
import { gunzipSync } from 'node:zlib';
import { ServiceError } from '../../functions/core/errors.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { Served } from '../../functions/cache/reading.ts';
import { type Failure, STOPPED, failure } from '../support/bigquery/bigquery-runs.ts';
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

/** An instance whose request was answered before its query had finished. */
async function leaveQuery(ms: number | null = 60_000) {
  const world = createWorld();
  world.bigquery.behaves.queryMs = ms;
  const instance = world.createInstance();
  const ask = (...how: Parameters<typeof instance.ask>) => world.settled(instance.ask(...how));
  expect(outcomeOf(await ask())).toBe('QUERY_RUNNING');
  return {
    ...world,
    ask,
    warm: () => world.settled(instance.warm()),
    endAll: (outcome: Failure): void => world.bigquery.running().forEach((run) => run.end(outcome)),
  };
}

it('is collected by warming if nobody asks again, so that who returns has a hit', async () => {
  const { advance, ask, bigquery, warm } = await leaveQuery();
  await advance(60);
  expect(await warm()).toMatchObject({ refreshed: 1, jobs: 0 });
  expect(outcomeOf(await ask())).toBe('hit');
  expect(bigquery.runs.size).toBe(1);
});

it('goes on when a run of warming ends, and is collected by the next one', async () => {
  const world = createWorld();
  const instance = world.createInstance();
  await world.settled(instance.ask());
  await world.advance(300);
  await world.settled(instance.ask());
  world.bigquery.behaves.queryMs = 400_000;
  expect(await world.settled(instance.warm())).toMatchObject({
    running: 1,
    refreshed: 0,
    jobs: 1,
  });
  await world.advance(20);
  expect(await world.settled(instance.warm())).toMatchObject({
    running: 0,
    refreshed: 1,
    jobs: 0,
  });
  expect(world.bigquery.runs.size).toBe(2);
});

it('tells the next who asks of its failure, once', async () => {
  const { ask, bigquery, endAll, warm } = await leaveQuery();
  endAll(failure(403, 'quotaExceeded'));
  // Warming finds it first, and leaves it to the caller.
  expect(await warm()).toMatchObject({ failed: [], refreshed: 0 });
  expect(outcomeOf(await ask())).toBe('QUERY_QUOTA_EXHAUSTED');
  bigquery.behaves.queryMs = 300;
  expect(outcomeOf(await ask())).toBe('miss');
});

it('is told of as stopped if it was cancelled by hand', async () => {
  const { ask, endAll } = await leaveQuery();
  endAll(STOPPED);
  expect(outcomeOf(await ask())).toBe('QUERY_DEADLINE_EXCEEDED');
});

it('is cancelled after JOB_TIMEOUT_SECONDS if it hangs, and the next request starts anew', async () => {
  // BigQuery does not keep to the bound of the job.
  const { advance, ask, bigquery } = await leaveQuery(null);
  await advance(560);
  expect(outcomeOf(await ask())).toBe('QUERY_DEADLINE_EXCEEDED');
  expect(bigquery.running()).toEqual([]);
  bigquery.behaves.queryMs = 300;
  expect(outcomeOf(await ask())).toBe('miss');
});

it('is not joined after its time, and ended if it hangs', async () => {
  const { advance, ask, bigquery } = await leaveQuery(null);
  await advance(700);
  bigquery.behaves.queryMs = 300;
  expect(outcomeOf(await ask())).toBe('miss');
  expect(bigquery.running()).toEqual([]);
});

it('is not joined if newer rows were demanded since it was started', async () => {
  const { ask, bigquery, clock, refreshStore } = await leaveQuery();
  const demandedMs = clock.nowMs();
  refreshStore.demands.set(STATS.id, demandedMs);
  bigquery.behaves.queryMs = 300;
  const outcome = await ask();
  expect('served' in outcome && rowOf(outcome.served).startedMs).toBeGreaterThanOrEqual(demandedMs);
  expect(bigquery.running()).toEqual([]);
});

it('goes on for at most five queries of a key; the sixth is cancelled with JOBS_RUNNING', async () => {
  const { ask: send, bigquery } = await leaveQuery();
  const ask = async (project: string, keyName = 'dashboard') =>
    outcomeOf(await send(STATS, { project, waitMs: 5000, keyName }));
  for (const project of ['2', '3', '4', '5']) expect(await ask(project)).toBe('QUERY_RUNNING');
  expect(await ask('6')).toBe('JOBS_RUNNING');
  expect(bigquery.running()).toHaveLength(5);
  expect(await ask('7', 'other')).toBe('QUERY_RUNNING');
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

it('does not count what has ended, though nobody has read its rows', async () => {
  const { ask, advance, bigquery } = await leaveQuery(40_000);
  const left = async (project: string) => outcomeOf(await ask(STATS, { project, waitMs: 3000 }));
  for (const project of ['2', '3', '4', '5']) expect(await left(project)).toBe('QUERY_RUNNING');
  expect(await left('6')).toBe('JOBS_RUNNING');
  await advance(40);
  expect(await left('7')).toBe('QUERY_RUNNING');
  expect(bigquery.running()).toHaveLength(1);
});

it('counts those that run behind many that have ended', async () => {
  const world = createWorld();
  const { bigquery } = world;
  const instance = world.createInstance();
  const left = async (project: string) =>
    outcomeOf(await world.settled(instance.ask(STATS, { project, waitMs: 1000 })));
  bigquery.behaves.queryMs = 900;
  for (let index = 0; index < 25; index += 1) await left(`ended ${index}`);
  bigquery.behaves.queryMs = 100_000;
  const reasons = [];
  for (const project of '1234567') reasons.push(await left(project));
  expect(reasons.slice(4)).toEqual(['QUERY_RUNNING', 'JOBS_RUNNING', 'JOBS_RUNNING']);
  expect(bigquery.running()).toHaveLength(5);
});

it('counts for its key also while that key waits for it again', async () => {
  const world = createWorld();
  world.bigquery.behaves.queryMs = 100_000;
  const [instance, other] = [world.createInstance(), world.createInstance()];
  const left = async (project: string) =>
    outcomeOf(await world.settled(instance.ask(STATS, { project, waitMs: 1000 })));
  for (const project of '12345') expect(await left(project)).toBe('QUERY_RUNNING');
  const again = [...'12345'].map((project) => other.ask(STATS, { project, waitMs: 20_000 }));
  await world.advance(1);
  for (const project of '67') expect(await left(project)).toBe('JOBS_RUNNING');
  expect((await world.settled(Promise.all(again))).map(outcomeOf)).toEqual(
    Array(5).fill('QUERY_RUNNING'),
  );
  expect(world.bigquery.running()).toHaveLength(5);
});

it.each([1, 2])(
  'who has joined a query neither counts nor cancels it (instance %d)',
  async (of) => {
    const world = createWorld();
    world.bigquery.behaves.queryMs = 90_000;
    const instances = [world.createInstance(), world.createInstance()];
    const ask = (project: string, keyName: string, instance = instances[0]!) =>
      world.settled(instance.ask(STATS, { project, keyName, waitMs: 5000 }));
    expect(outcomeOf(await ask('joined', 'first'))).toBe('QUERY_RUNNING');
    const joined = instances[of - 1]!.ask(STATS, { project: 'joined', keyName: 'second' });
    for (const project of ['2', '3', '4']) await ask(project, 'first');
    expect(outcomeOf(await world.settled(joined))).toBe('QUERY_RUNNING');
    await ask('5', 'first');
    expect(outcomeOf(await ask('joined', 'second', instances[of - 1]))).toBe('QUERY_RUNNING');
    expect(world.bigquery.running()).toHaveLength(5);
    // A query that is cancelled for one key goes on for the other.
    const both = [ask('6', 'first'), ask('6', 'second')];
    expect((await Promise.all(both)).map(outcomeOf)).toEqual([
      ...['JOBS_RUNNING', 'QUERY_RUNNING'],
    ]);
  },
);

it.each([
  ['a query of 0.3 s', 300, 0, ['QUERY_RUNNING', 'miss', 'hit']],
  ['a query of 3 s', 3000, 0, ['QUERY_RUNNING', 'QUERY_RUNNING', 'QUERY_RUNNING', 'miss']],
  ['answers that are late', 300, 700, ['QUERY_STARTING', 'QUERY_RUNNING']],
])(
  'one who has a second each time, and %s, starts one query',
  async (_, queryMs, answerMs, first) => {
    const world = createWorld();
    world.bigquery.behaves.queryMs = queryMs;
    world.bigquery.behaves.answerMs = answerMs;
    const [instance, other] = [world.createInstance(), world.createInstance()];
    const reasons: string[] = [];
    for (let asked = 0; asked < 8; asked += 1) {
      const ask = (asked % 2 ? instance : other).ask(STATS, { waitMs: 1000 });
      reasons.push(outcomeOf(await world.settled(ask)));
    }
    expect(reasons.slice(0, first.length)).toEqual(first);
    world.bigquery.behaves.answerMs = 0;
    await askUntilRows(world, () => instance);
    expect(world.bigquery.runs.size).toBe(1);
  },
);

describe('the bytes of a key with a bound', () => {
  const left = (world: World, project: string, instance = world.createInstance()) =>
    world.settled(instance.ask(STATS, { ...BOUND, project, waitMs: 1000 })).then(outcomeOf);

  it('are taken by queries that nobody fetches, whatever becomes of them, and counted by a later run', async () => {
    const world = createWorld();
    world.bigquery.behaves.queryMs = 20_000;
    const reasons = [];
    for (const project of '12345') reasons.push(await left(world, project));
    expect(reasons).toEqual([...Array<string>(4).fill('QUERY_RUNNING'), 'BYTES_PER_DAY']);
    expect(await spent(world)).toEqual({ bytes: 0, open: 4 });
    const [first, second] = world.bigquery.running();
    first!.end(STOPPED);
    second!.end(failure(400, 'fail'));
    // After the time of the queries.
    await world.advance(700);
    await world.settled(world.createInstance().warm());
    expect(await spent(world)).toEqual({ bytes: 40 * MIB, open: 0 });
    await world.settled(world.createInstance().warm());
    expect(await spent(world)).toEqual({ bytes: 40 * MIB, open: 0 });
  });

  it('are not taken by a job that BigQuery refuses', async () => {
    const world = createWorld();
    world.bigquery.behaves.isFull = true;
    const reasons = [];
    for (const project of '123456') reasons.push(await left(world, project));
    expect(reasons).toEqual(Array(6).fill('QUERY_QUOTA_EXHAUSTED'));
    expect(await spent(world)).toEqual({ bytes: 0, open: 0 });
  });

  it('are not taken, and the lease not held again, after a request without time to send its job', async () => {
    const world = createWorld();
    world.leaseStore.before = ({ method }) =>
      method === 'reserve' ? world.clock.wait(1500) : undefined;
    expect(await left(world, 'a')).toBe('QUERY_STARTING');
    await world.advance(1);
    world.leaseStore.before = () => undefined;
    expect(await spent(world)).toEqual({ bytes: 0, open: 0 });
    const beganMs = world.clock.nowMs();
    const asked = world.createInstance().ask(STATS, { project: 'a', keyName: 'other' });
    expect(outcomeOf(await world.settled(asked))).toBe('miss');
    expect(world.clock.nowMs() - beganMs).toBeLessThan(3000);
    expect(await spent(world)).toEqual({ bytes: 0, open: 0 });
  });

  it('do not keep a request that has a second each time from its rows, though the answers take most of it', async () => {
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
    expect(await left(world, 'a', instance)).toBe('miss');
    expect(await spent(world)).toEqual({ bytes: 10 * MIB, open: 0 });
  });

  it('bound a job that replaces one that failed, which is not sent if Firestore cannot be written', async () => {
    const world = createWorld();
    world.bigquery.behaves.queryMs = 5000;
    const asked = world.createInstance().ask(STATS, BOUND);
    await world.advance(2);
    world.leaseStore.before = ({ method }) => {
      if (method === 'reserve') throw new Error('down');
    };
    for (const run of world.bigquery.running()) run.end(failure(400, 'jobBackendError'));
    expect(outcomeOf(await world.settled(asked))).toBe('RESULT_STORE_UNAVAILABLE');
    expect(world.bigquery.runs.size).toBe(1);
    expect(await spent(world)).toEqual({ bytes: 10 * MIB, open: 0 });
  });

  it('are those of whoever asks, if another key may not have sent its query', async () => {
    const world = createWorld();
    const first = world.createInstance();
    world.leaseStore.before = ({ method }) => {
      if (method === 'queries' || method === 'record') first.kill();
    };
    world.bigquery.behaves.answerMs = 60_000;
    void first.ask(STATS, { keyName: 'first' });
    await world.advance(1);
    first.kill();
    world.bigquery.behaves.answerMs = 0;
    await world.advance(20);
    const asked = world.createInstance().ask(STATS, BOUND);
    expect(outcomeOf(await world.settled(asked))).toBe('miss');
    expect(await spent(world)).toEqual({ bytes: 10 * MIB, open: 0 });
  });
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

it('keeps each caller waiting for as long as that caller has time', async () => {
  const world = createWorld();
  world.bigquery.behaves.queryMs = 20_000;
  const instance = world.createInstance();
  const beganMs = world.clock.nowMs();
  const first = instance.ask(STATS, { waitMs: 5000 });
  const longer = instance.ask();
  const shorter = instance.ask(STATS, { waitMs: 1000 });
  expect(outcomeOf(await world.settled(shorter))).toBe('QUERY_RUNNING');
  expect(world.clock.nowMs() - beganMs).toBe(1000);
  expect(outcomeOf(await world.settled(first))).toBe('QUERY_RUNNING');
  expect(outcomeOf(await world.settled(longer))).toBe('miss');
  expect(world.bigquery.runs.size).toBe(1);
});

it('says when to ask again from how long the last run took', async () => {
  const world = createWorld();
  world.bigquery.behaves.queryMs = SLOW_MS;
  const instance = world.createInstance();
  const first = await world.settled(instance.ask());
  expect('error' in first && first.error).toMatchObject({
    retryAfterSeconds: 5,
    metadata: { runningSeconds: '24' },
  });
  await askUntilRows(world, () => instance);
  const other = await world.settled(instance.ask(STATS, { project: 'b' }));
  expect('error' in other && (other.error as ServiceError).retryAfterSeconds).toBe(60);
});

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

it('tells a request that joins a wait for another instance that the query runs', async () => {
  const world = createWorld();
  world.bigquery.behaves.queryMs = SLOW_MS;
  const [first, second] = [world.createInstance(), world.createInstance()];
  void first.ask();
  await world.advance(10);
  void second.ask();
  await world.advance(2);
  const outcome = await world.settled(second.ask(STATS, { waitMs: 2000 }));
  expect(outcomeOf(outcome)).toBe('QUERY_RUNNING');
});

it('does not cancel the query of a key with too many, once another key has joined it', async () => {
  const world = createWorld();
  const { bigquery, clock, leaseStore } = world;
  bigquery.behaves.queryMs = SLOW_MS;
  const [first, second] = [world.createInstance(), world.createInstance()];
  for (const project of ['b', 'c', 'd', 'e', 'f']) void first.ask(STATS, { project });
  await world.advance(26);
  const left = first.ask(STATS, { keyName: 'dashboard' });
  const joined = second.ask(STATS, { keyName: 'agent', waitMs: 240_000 });
  // The other key takes the lease between its release and the list of the queries that were left.
  leaseStore.before = ({ method }) => (method === 'queries' ? clock.wait(3000) : undefined);
  expect(outcomeOf(await world.settled(left))).toBe('QUERY_RUNNING');
  expect(outcomeOf(await world.settled(joined))).toBe('miss');
});

it('sends no job again that BigQuery has', async () => {
  const world = createWorld();
  world.bigquery.behaves.queryMs = SLOW_MS;
  const instance = world.createInstance();
  const short = await world.settled(instance.ask(STATS, { waitMs: 3000 }));
  expect(outcomeOf(short)).toBe('QUERY_RUNNING');
  const { insert } = world.bigquery.counts;
  await world.advance(90);
  expect(outcomeOf(await world.settled(instance.ask()))).toBe('miss');
  expect(world.bigquery.counts.insert).toBe(insert);
});
