// Tests of queries that outlive their requests and the instances that started them: one for a result, whoever dies or takes over.
import fc from 'fast-check';
import { ServiceError } from '../../functions/core/errors.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { type Run, STOPPED, failure } from '../support/bigquery/bigquery-runs.ts';
import { DEADLINE_MS, STATS, createWorld } from '../support/world.ts';
import { BOUND, MIB, askUntilRows, rowOf, spent } from './left-queries.ts';

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
    expect(await spent(world)).toEqual([10 * MIB, 0]);
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

it('law: at most one query of a result runs, no rows are too old, and no answer without rows is a 200', async () => {
  const CHANGED: Endpoint = { ...STATS, sql: `${STATS.sql} `, resultDigest: 'changed' };

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
  await fc.assert(
    fc.asyncProperty(fc.array(EVENT, { minLength: 4, maxLength: 14 }), async (events) => {
      const world = createWorld();
      const { clock, bigquery, advance } = world;
      const instances = [0, 1, 2].map(() => world.createInstance());
      let endpoint = STATS;
      const faults: string[] = [];
      let hasEnded = false;
      /** If an instance ends before BigQuery has answered it, only its key joins a query without a job: slow-queries.md. */
      const resultOf = ({ sql, labels }: Run): string => `${sql}${hasEnded ? labels.key : ''}`;
      const check = (): void => {
        for (const [of, running] of Map.groupBy(bigquery.running(), resultOf)) {
          if (running.length > 1) faults.push(`${running.length} queries at once: ${of}`);
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
          hasEnded = true;
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
    { numRuns: 200 },
  );
}, 60_000);
