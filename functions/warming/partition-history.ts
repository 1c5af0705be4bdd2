// Follows the partitions of tables from question to question, so that it is known since when each has had its rows.
import { DAY_MS } from '../core/clock.ts';
import type { PartitionHistory, SourceStates, TableHistory } from '../core/result-store.ts';
import type { Uses } from '../core/services.ts';
import { bucketParameters, spanOf } from '../endpoints/bucket-span.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';

/**
 * The day from which partitions are asked for: two days before the longest window of all endpoints, so that no change at
 * the start of a window is missed. Undefined without incremental endpoints.
 */
export function firstDay(endpoints: readonly Endpoint[], nowMs: number): string | undefined {
  const windowsMs = endpoints.flatMap((endpoint) =>
    bucketParameters(endpoint).map((set) => spanOf(endpoint, set)?.windowMs ?? 0),
  );
  if (windowsMs.length === 0) return undefined;
  const from = new Date(nowMs - Math.max(...windowsMs) - 2 * DAY_MS);
  return from.toISOString().slice(0, 10).replaceAll('-', '');
}

/**
 * Passes on the states of the tables, for results that `query` computes until the next run. With `fromDay`, returns the history of
 * their partitions. If it fails, the next run computes the results of `query` once more, and reads all rows.
 */
export async function recordStates(
  { refreshStore, log }: Uses<'refreshStore' | 'log'>,
  states: SourceStates,
  fromDay: string | undefined,
): Promise<PartitionHistory | undefined> {
  const { partitions: _, ...sources } = states;
  await orWarn(refreshStore.recordFound('sources', sources));
  if (fromDay === undefined) return undefined;
  const history = advance(await orWarn(refreshStore.found('partitions')), states, fromDay);
  await orWarn(refreshStore.recordFound('partitions', history));
  return history;

  async function orWarn<T>(call: Promise<T>): Promise<T | undefined> {
    try {
      return await call;
    } catch (error) {
      const message = 'The states of the tables cannot be recorded.';
      log.write('WARNING', message, { event: 'warm_record_failed', error });
      return undefined;
    }
  }
}

/** The history with the answer to one more question. Without an earlier one, everything counts as changed since it. */
function advance(
  before: PartitionHistory | undefined,
  { askedAtMs, partitions = new Map() }: SourceStates,
  fromDay: string,
): PartitionHistory {
  // A clock that was set back would make changes look older than results.
  const isUsable =
    before !== undefined && before.askedAtMs < askedAtMs && before.fromDay <= fromDay;
  // Tables that were not asked about stay as they were: what changes meanwhile counts as changed at the next question.
  const byTable = new Map<string, TableHistory>(isUsable ? before.byTable : []);
  for (const [table, present] of partitions) {
    const earlier = isUsable ? before.byTable.get(table) : undefined;
    byTable.set(table, advanceTable(earlier, present, askedAtMs, fromDay));
  }
  return { askedAtMs, fromDay, byTable };
}

function advanceTable(
  before: TableHistory | undefined,
  present: ReadonlyMap<string, string>,
  askedAtMs: number,
  fromDay: string,
): TableHistory {
  // A partition that is gone is remembered: stored results may still have its rows.
  const ids = new Set([...present.keys(), ...(before?.partitions.keys() ?? [])]);
  const partitions = new Map<string, { digest: string; changedAtMs: number }>();
  for (const id of ids) {
    if (id < fromDay.slice(0, id.length)) continue;
    const digest = present.get(id) ?? '';
    const earlier = before?.partitions.get(id);
    partitions.set(id, earlier?.digest === digest ? earlier : { digest, changedAtMs: askedAtMs });
  }
  return { sinceMs: before?.sinceMs ?? askedAtMs, askedAtMs, partitions };
}
