// Compares what warm.sql reads of each table with what query.sql reads.
import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { InspectedQueries } from '../compile/inspect-endpoint.ts';
import { inFile } from '../compile/sql-parts.ts';
import type { CatalogueFault } from '../faults/definition-fault.ts';
import { parametersOf } from '../lexer/sql-text.ts';
import {
  ALL_VALUES,
  GoogleSqlError,
  constantsIn,
  queryName,
  union,
} from '../local-bigquery/index.ts';
import type { ColumnValues } from '../local-bigquery/index.ts';
import type { AnalysedQueries } from './analysed-query.ts';
import { listedText } from './dry-run.ts';
import { type ScanWindow, spanOf } from './scan-windows.ts';

/**
 * A fault for each table of which they read different windows in a call. If batched parameters bound the window, one job
 * of `warm.sql` reads the windows of all its keys: it may read more than a call of `query.sql`, but never less.
 */
export function compareWindows(
  endpoint: Endpoint,
  queries: AnalysedQueries,
  warming: InspectedQueries['warming'],
  reads: readonly ScanWindow[],
  nowMs: number,
): CatalogueFault[] {
  // A query that the engine cannot analyse has no reads.
  if (!warming || [...queries.values()].some((one) => one instanceof GoogleSqlError)) return [];
  const tables = Map.groupBy(reads, ({ table }) => queryName(table.source));
  return [...tables].flatMap(([name, ofTable]) => {
    const isOfKeys = ofTable.some((read) => isBoundBy(read, warming.batchOver));
    const place = ofTable.find(({ fileName }) => fileName === 'warm.sql')?.scan.offset;
    const calls = Map.groupBy(ofTable, ({ shared }) => JSON.stringify(shared));
    for (const call of calls.values()) {
      const [own, warm] = ['query.sql', 'warm.sql'].map((file) =>
        union(call.filter((one) => one.fileName === file).map(({ values = ALL_VALUES }) => values)),
      ) as [ColumnValues, ColumnValues];
      if (isDeepStrictEqual(isOfKeys ? union([own, warm]) : own, warm)) continue;
      const [read, ofQuery] = [warm, own].map((window) => spanText(window, nowMs));
      const values = listedText(endpoint, call[0]?.shared ?? {}).replace(/^ (.*)/, ' ($1)');
      const message = `reads of ${name}: ${read}, but query.sql: ${ofQuery}${values}: filter both by the same times, or rows change when they are warmed`;
      const at = place === undefined ? { file: warming.file } : inFile(warming, place);
      return [{ ...at, message }];
    }
    return [];
  });
}

function isBoundBy({ scan, fileName }: ScanWindow, parameters: readonly string[]): boolean {
  const constants = [...scan.conditions.values()].flatMap(constantsIn);
  const names = constants.flatMap(({ sql }) => parametersOf(sql).map(({ name }) => name));
  return fileName === 'query.sql' && names.some((name) => parameters.includes(name));
}

/** `1.7 days from 2026-11-25T00:00:00Z` */
function spanText(values: ColumnValues, nowMs: number): string {
  const { from, until, text } = spanOf(values, nowMs);
  return `${text}${from && ` from ${from}`}${until && ` until ${until}`}`;
}
