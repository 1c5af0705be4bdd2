// Table test of the step `plan` of a run: which results one job computes, whether it keeps rows, in which order, and how many at once.
import type { NamedQuery } from '../../functions/core/leases.ts';
import type { LiveEntry } from '../../functions/core/result-store.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { planTasks } from '../../functions/warming/plan.ts';
import { casesBeside } from '../support/cases.ts';
import { TEST_CONFIG } from '../support/service/config.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { liveEntry } from '../support/world.ts';

/** Entries by name, oldest first: `b/other` has another value of the parameter that is not batched, `b/r2` two readers. */
interface Case {
  entries: string[];
  /** Without it, there are no batches. */
  maxKeys?: number;
  /** The names of those that may keep their rows before today. */
  keeps?: string;
  /** The names of entries that a query computes already. */
  running?: string[];
  /** The names of those whose rows a batch of an earlier run computes, and the day from which on it reads buckets. */
  batch?: [names: string, readsFrom: string];
  /** Of the 100 GB of a day, at noon: 62.5 GB may be read by now. */
  spentGb?: number;
}

const [plain] = new FakeSqlTree()
  .endpoint({
    parameters: { shop: parameter(), kind: parameter() },
    row: rowOf('day DATE'),
    bucket: { column: 'day', step: 'P1D', window: 'P30D', whole: true },
  })
  .catalogue().endpoints;

it.each(casesBeside(import.meta.filename)<[Case, string, string]>('planned'))(
  '%j: %s, %s',
  (given, jobs, atOnce) => {
    const NOON = Date.parse('2026-11-28T11:55:00Z');
    const GB = 1e9;

    function endpointOf({ maxKeys, keeps }: Case): Endpoint {
      if (maxKeys === undefined) return plain as Endpoint;
      const terms = { settleSeconds: 3600, fullEverySeconds: 21_600 };
      const tables = { partitioned: { table: 'sales' }, column: 'at', others: [] };
      return {
        ...(plain as Endpoint),
        warming: { batchOver: ['shop'], maxKeys, sql: '', ...(keeps && { incremental: terms }) },
        ...(keeps && { incremental: tables }),
      };
    }

    function planOf(given: Case): [jobs: string, atOnce: string] {
      const endpoint = endpointOf(given);
      const entries = given.entries.map((name): LiveEntry => {
        const [shop = '', other] = name.split('/');
        const parameters = { shop, kind: other === 'other' ? 'y' : 'x' };
        const readers = ['one', 'two'].slice(0, other === 'r2' ? 2 : 1);
        return {
          ...liveEntry(endpoint, parameters, '', NOON),
          ...{ cacheKey: name, version: undefined },
          readers: readers.map((keyName) => ({ keyName, readAtMs: NOON })),
        };
      });
      const query = {
        ...{ requestId: 'r', jobId: 'j', startedAtMs: NOON, endsAtMs: NOON + 1, keyName: '' },
        ...{ endpointId: endpoint.id, resultDigest: endpoint.resultDigest, parameters: {} },
      };
      const running: NamedQuery[] = (given.running ?? []).map((name) => {
        return { name, isHeld: false, query };
      });
      const [names, readsFrom] = given.batch ?? ['', ''];
      const left = { cacheKeys: [...names], scan: { sinceMs: Date.parse(readsFrom) } };
      if (names !== '')
        running.push({ name: 'batch', isHeld: false, query: { ...query, ...left } });
      const run = {
        ...{
          ...TEST_CONFIG,
          startedMs: NOON,
          warmConcurrency: 8,
          catalogue: { endpoints: [endpoint] },
        },
        warmBytesPerDay: given.spentGb === undefined ? 0 : 100 * GB,
      };
      const midnightMs = Date.parse('2026-11-28T00:00:00Z');
      const keptUntilMsOf = ({ cacheKey }: LiveEntry): number =>
        given.keeps?.includes(cacheKey) ? midnightMs : -Infinity;
      const changed = entries.map((entry) => ({ endpoint, entry }));
      const spentBytes = (given.spentGb ?? 0) * GB;
      const { tasks, atOnce } = planTasks(run, { changed, keptUntilMsOf }, running, spentBytes);
      const jobs = tasks.map((task) => {
        const names = task.entries.map((entry) => entry?.cacheKey ?? '-').join(' ');
        return names + (task.keepsRows ? ' (keeps rows)' : '') + (task.joined ? ' (joined)' : '');
      });
      return [jobs.join(' | '), `${atOnce} at once`];
    }

    expect(planOf(given)).toEqual([jobs, atOnce]);
  },
);
