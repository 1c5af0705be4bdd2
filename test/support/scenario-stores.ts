// Steps of scenarios on what is behind a service: its stores and its queries, which fail, are changed, or are waited for by others.
import { once } from 'node:events';
import type { LeaseState } from '../../functions/core/leases.ts';
import type { Entry } from '../../functions/core/result-store.ts';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import type { FakeClock } from './clock.ts';
import type { Exchange } from './scenarios.ts';
import { TEST_SCOPE } from './service/config.ts';
import type { Acts, Fields, Step } from './steps.ts';
import { testCatalogue } from './sql/test-sql.ts';
import { turnsUntil, turnsUntilDone } from './until.ts';
import { STATS, type QueryServer } from './world.ts';

/** What instances of both functions have. */
type Service = Pick<
  QueryServer,
  'keyStore' | 'resultStore' | 'leaseStore' | 'refreshStore' | 'queryRunner' | 'server' | 'log'
> & { clock: Pick<FakeClock, 'nowMs' | 'advance'> };

/** What `before` of each fake is told: a call, or its method. */
type Hook = { before: (call: never) => Promise<void> | void };

/** Calls of a lease, and not of the store. */
const OF_LEASE = new Set(['renew', 'record', 'release']);

/** A call is named `results set`, or `results` for each; a query `query`. */
function behind(service: Service, what: string) {
  const { keyStore, resultStore, leaseStore, refreshStore, queryRunner } = service;
  const fakes = { keys: keyStore, results: resultStore, leases: leaseStore };
  const all = { ...fakes, refreshes: refreshStore, query: queryRunner };
  const [name = '', method] = what.split(' ');
  const fake = all[name as keyof typeof all] as Hook | undefined;
  if (fake === undefined)
    throw new Error(`There is nothing called "${name}", only ${Object.keys(all).join(', ')}.`);
  if (method !== undefined && !(method in fake) && !(fake === leaseStore && OF_LEASE.has(method)))
    throw new Error(`There is no call "${what}".`);
  const methodOf = (call: unknown) => (call as { method?: string }).method ?? call;
  return { fake, isMeant: (call: unknown) => method === undefined || methodOf(call) === method };
}

/** The name of the lease of `tasks.run-stats?project=a`. */
const LEASE = cacheKey(TEST_SCOPE, STATS, { project: 'a', function_id: '', interval: '1day' });

/** Lets everything happen that waits for no clock. */
async function turns(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function storeActs(
  current: () => Service,
  take: (steps: readonly Step[]) => Promise<void>,
  exchange: (of: Exchange) => Promise<void> = () => Promise.resolve(),
): Acts {
  /** What has begun. Its errors are thrown by `end`: the service would take that of a store for one of Firestore. */
  const open: Promise<void>[] = [];
  const begin = (work: Promise<void>): Promise<void> => {
    open.push(work);
    return work.catch(() => undefined);
  };
  /** For which calls steps wait. */
  const awaited = new Set<string>();
  let hidden: (readonly [string, Entry])[] = [];
  const methodsOf = (calls: readonly { method: string }[]) => calls.map(({ method }) => method);
  return {
    turns,
    /** Makes such calls fail, but those for one name. */
    down: (what: string, { but }: Fields) => {
      const { fake, isMeant } = behind(current(), what);
      fake.before = (call: { name?: string }) => {
        if (isMeant(call) && (but === undefined || call.name !== but)) throw new Error('down');
      };
    },
    up: () => {
      for (const name of ['keys', 'results', 'leases', 'refreshes', 'query'])
        behind(current(), name).fake.before = () => undefined;
    },
    /** Takes the steps while the next such call is open. */
    during: (what: string, { do: steps }: Fields) => {
      const { fake, isMeant } = behind(current(), what);
      awaited.add(what);
      fake.before = async (call) => {
        if (!isMeant(call)) return;
        awaited.delete(what);
        fake.before = () => undefined;
        await begin(take(steps as Step[]));
      };
    },
    /** Sends a request, or so many, and goes on while they wait. */
    begin: async (of: Exchange, { times = 1 }: Fields) => {
      for (let sent = 0; sent < (times as number); sent += 1) {
        const arrived = once(current().server, 'request');
        void begin(exchange(of));
        await arrived;
        // It has gone as far as it can.
        await turns(50);
      }
    },
    /** Until they are answered, while the time goes on by so much in each turn. */
    end: async (ms: number) => {
      const all = Promise.allSettled(open.splice(0));
      const ended = await turnsUntilDone(all, () => current().clock.advance(ms));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
      if (awaited.size > 0)
        throw new Error(`There was no call "${[...awaited].join()}", so its steps were not taken.`);
    },
    /** Until there was such a call of the stores of results or leases. */
    await: (what: string) => {
      const { resultStore, leaseStore } = current();
      const { fake, isMeant } = behind(current(), what);
      const { calls } = fake === resultStore ? resultStore : leaseStore;
      return turnsUntil(() => calls.some(isMeant));
    },
    /** How often methods of the store of results were called. */
    calls: (counts: Record<string, number>) => {
      const methods = methodsOf(current().resultStore.calls);
      for (const [method, count] of Object.entries(counts)) {
        behind(current(), `results ${method}`);
        expect([method, methods.filter((one) => one === method).length]).toEqual([method, count]);
      }
    },
    /** The calls of the store of leases since they were last looked at; null to look away. */
    leaseCalls: (methods: string[] | null) => {
      const calls = methodsOf(current().leaseStore.calls.splice(0));
      if (methods !== null) expect(calls).toEqual(methods);
    },
    /** The result that was stored first, or at this place. */
    entry: (expected: object, { at = 0 }: Fields) =>
      expect([...current().resultStore.entries.values()].at(at as number)).toMatchObject(expected),
    stored: (count: number) => expect(current().resultStore.entries.size).toBe(count),
    /** Takes what is stored away, until `show`. */
    hide: () => {
      const { entries } = current().resultStore;
      hidden = [...entries];
      entries.clear();
    },
    show: () => hidden.forEach(([key, entry]) => current().resultStore.entries.set(key, entry)),
    /** Somebody else holds, or has released, the lease of `tasks.run-stats?project=a`, or another one; with null nobody holds any. */
    lease: (held: (Fields & { forMs?: number }) | null, { of = LEASE }: Fields) => {
      const { leaseStore, clock } = current();
      if (held === null) return leaseStore.states.clear();
      const { forMs, ...state } = held;
      const untilMs = forMs === undefined ? 0 : clock.nowMs() + forMs;
      leaseStore.states.set(of as string, { ...state, untilMs } as LeaseState);
    },
    leases: (expected: object[]) =>
      expect([...current().leaseStore.states.values()]).toMatchObject(expected),
    /** Demands newer rows of the endpoint. */
    demand: (name: string) => {
      const { refreshStore, clock } = current();
      const { id = '' } = testCatalogue().resolve(name) ?? {};
      refreshStore.demands.set(id, clock.nowMs());
    },
    /** A line of the log, and how many there are of it. */
    event: (name: string, { count, severity, fields = {} }: Fields) => {
      const lines = current().log.lines.filter((line) => line.fields.event === name);
      expect([name, lines.length]).toEqual([name, count ?? Math.max(1, lines.length)]);
      const line = { ...(severity !== undefined && { severity }), fields };
      if (lines.length > 0) expect(lines[0]).toMatchObject(line);
    },
    unlogged: (pattern: string) =>
      expect(JSON.stringify(current().log.lines)).not.toMatch(new RegExp(pattern)),
  };
}
