// Table test of the step `decide` of a run: which due results are unchanged, and which rows of the others are kept.
import type { LiveEntry, SourceStates } from '../../functions/core/result-store.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { sourceState } from '../../functions/cache/source-state.ts';
import { decide } from '../../functions/warming/decide.ts';
import { casesBeside } from '../support/cases.ts';
import { TEST_CONFIG } from '../support/service/config.ts';
import { FakeSqlTree, rowOf } from '../support/sql/fake-sql-tree.ts';
import { liveEntry } from '../support/world.ts';

/** Each with its default: a result of whole days over one partitioned table and one dimension, whose tables are as they were. */
interface Case {
  age: string;
  dimension?: 'changed';
  rows?: 'changed' | 'unknown';
  /** The partition that has changed since the result was computed. */
  partition?: string;
  history?: 'none' | 'begun after the result' | 'of an earlier question';
  clock?: 'hour';
  demanded?: 'before' | 'after';
  isUnstored?: true;
  sources?: 'none';
  states?: 'none';
  warmUnchanged?: 'off';
  warmIncremental?: 'off';
}

const [bucketed] = new FakeSqlTree()
  .endpoint({
    row: rowOf('day DATE'),
    bucket: { column: 'day', step: 'P1D', window: 'P30D', whole: true },
  })
  .catalogue().endpoints;

it.each(casesBeside(import.meta.filename)<[Case, string]>('decided'))(
  '%j: %s',
  (given, decision) => {
    const NOW = Date.parse('2026-11-28T10:30:00Z');
    const MINUTE = 60_000;
    const UNITS: Record<string, number> = { m: MINUTE, h: 60 * MINUTE, d: 1440 * MINUTE };
    const PLACES = { ...TEST_CONFIG, sourceTables: new Map<string, string>() };
    const TABLE = `${PLACES.project}.${PLACES.dataset}.sales`;
    const DIMENSION = `${PLACES.project}.${PLACES.dataset}.shops`;

    function endpointOf({ clock, warmIncremental }: Case): Endpoint {
      const incremental = { settleSeconds: 3600, fullEverySeconds: 21_600 };
      const tables = {
        partitioned: { table: 'sales' },
        column: 'at',
        others: [{ table: 'shops' }],
      };
      const clocks = clock ? [{ unit: 'HOUR' as const, timeZone: 'UTC' }] : [];
      return {
        ...(bucketed as Endpoint),
        dependsOn: { sources: [{ table: 'sales' }, { table: 'shops' }], clocks },
        ...(warmIncremental === undefined && { incremental: tables }),
        warming: { batchOver: [], maxKeys: 10, sql: '', incremental },
      };
    }

    const statesAt = (askedAtMs: number, rows = '1', dimension = '1'): SourceStates => ({
      askedAtMs,
      byTable: new Map([
        ...(rows === 'unknown' ? [] : [[TABLE, rows] as const]),
        [DIMENSION, dimension] as const,
      ]),
      byView: new Map(),
    });

    function decisionOf(given: Case): string {
      const endpoint = endpointOf(given);
      const [, count, unit = ''] = /^(\d+)(\w)$/.exec(given.age) ?? [];
      const computedAtMs = NOW - Number(count) * (UNITS[unit] ?? 0);
      const before = sourceState(endpoint, statesAt(computedAtMs), PLACES);
      const entry: LiveEntry = {
        ...liveEntry(endpoint, {}, 'k', computedAtMs),
        ...{ cacheKey: 'k', version: undefined, computedAtMs },
        sources: given.sources === 'none' ? undefined : before,
        ...(given.isUnstored && { isUnstored: true }),
      };
      const partitions = new Map(
        [given.partition ?? []].flat().map((id) => [id, { digest: '2', changedAtMs: NOW }]),
      );
      const sinceMs = given.history === 'begun after the result' ? computedAtMs + 1 : 0;
      const byTable = new Map([
        [
          TABLE,
          { sinceMs, askedAtMs: given.history === 'of an earlier question' ? 1 : NOW, partitions },
        ],
      ]);
      const history = { askedAtMs: NOW, fromDay: '20261001', byTable };
      const demandedMs = computedAtMs + (given.demanded === 'after' ? 1 : -1);
      const run = {
        ...{ ...PLACES, startedMs: NOW, warmFullSeconds: 21_600 },
        warmUnchanged: given.warmUnchanged ?? ('on' as const),
        demands: new Map(given.demanded ? [[endpoint.id, demandedMs]] : []),
      };
      const { unchanged, changed, keptUntilMsOf } = decide(run, [{ endpoint, entry }], {
        states: given.states ? undefined : statesAt(NOW, given.rows ?? '1', given.dimension ?? '1'),
        history: given.history === 'none' ? undefined : history,
      });
      expect(unchanged.length + changed.length).toBe(1);
      if (unchanged.length > 0) return 'unchanged';
      const keptMs = keptUntilMsOf(entry);
      if (keptMs === -Infinity) return 'all rows';
      return `kept before ${new Date(keptMs).toISOString().replace('.000', '')}`;
    }

    expect(decisionOf(given)).toBe(decision);
  },
);
