// Changes rows of a local BigQuery as BigQuery does without a load job: they are streamed, flushed and deleted.
import { engineRoot } from '../../../scripts/local-bigquery/engine/engine-process.ts';
import { engineProtocol } from '../../../scripts/local-bigquery/engine/engine-protocol.ts';
import type { LocalBigQuery } from '../../../scripts/local-bigquery/index.ts';
import { partitionId } from '../../../scripts/local-bigquery/rest/stored-bytes.ts';
import {
  type EncodedRow,
  createTableRowEncoder,
} from '../../../scripts/local-bigquery/values/row-encoder.ts';

type Stored = Pick<LocalBigQuery, 'store'>;

const tableData = engineProtocol(engineRoot()).message('TableData');

function tableOf({ store }: Stored, name: string) {
  const table = store.tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`no such table: ${name}`);
  return { table, portions: store.portions.get(name) ?? [] };
}

/** By insertAll: they stay in the streaming buffer until `flush`. */
export async function streamRows(of: Stored, name: string, rows: Iterable<object>): Promise<void> {
  const encode = createTableRowEncoder(tableOf(of, name).table);
  await of.store.append(
    name,
    Array.from(rows, (row) => encode(row)),
    true,
  );
}

/** The rows of the streaming buffer reach their partitions. */
export function flush({ store }: Stored, name: string): void {
  const flushed = { isStreaming: false, modifiedMs: store.nowMs() };
  const all = tableOf({ store }, name).portions;
  store.portions.set(
    name,
    all.map((one) => (one.isStreaming ? { ...one, ...flushed } : one)),
  );
}

/** Removes rows by their partition and their place in the table. As in BigQuery, no timestamp shows it. */
export function deleteRows(
  { store }: Stored,
  name: string,
  isDeleted: (partitionId: string | null, row: number) => boolean,
): void {
  const { table, portions } = tableOf({ store }, name);
  let place = 0;
  const kept = portions.flatMap((before) => {
    const suffix = before.suffix === undefined ? [] : [{ stringValue: before.suffix }];
    const { row = [] } = tableData.decode(before.encoded) as { row?: { cell?: EncodedRow }[] };
    const rows = row
      .filter(() => !isDeleted(partitionId(table, before.partition), place++))
      .map(({ cell = [] }) => [...cell, ...suffix]);
    return store.encodedPortions(table, rows, before);
  });
  // The time of a table never goes back.
  const times = store.statesOf(name).map(({ modifiedMs }) => modifiedMs);
  table.changedMs = Math.max(table.changedMs ?? 0, ...times);
  store.portions.set(name, kept);
}
