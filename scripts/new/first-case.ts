// Creates the first test of an endpoint: a few rows of its tables and a request, without the expected rows.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf } from '../../functions/core/parameter-type.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { readJsonRows } from '../sources/read-rows.ts';
import type { Source } from '../sources/read-sources.ts';
import { queryString } from '../start/examples/find-example.ts';
import { sampleLogs } from '../start/rows/sample-logs.ts';

const ROWS = 5;
/** The number of rows considered: the first of a sample, the newest of sample logs. */
const LOOKED_AT_MAX = 5000;

/** `parameters` are those of the request; `sources` the tables that the query reads. */
export async function firstCase(
  sources: readonly Source[],
  parameters: CanonicalParameters,
  sqlDirectory: string,
  nowMs: number,
): Promise<object> {
  const logs: Readonly<Record<string, readonly object[]>> = { ...sampleLogs({ nowMs }) };
  const tables: Record<string, object[]> = {};
  const texts = Object.values(parameters).flatMap(textsOf);
  for (const { name, definition } of sources) {
    const file = join(sqlDirectory, 'sources', name, 'sample.ndjson');
    const all = existsSync(file) ? await firstRows(file) : logs[name]?.slice(-LOOKED_AT_MAX);
    const chosen = newestWith(all ?? [], texts, definition.partitioning?.field);
    tables[name] = chosen;
    // The next table is joined with these rows.
    for (const value of chosen.flatMap((row): unknown[] => Object.values(row))) {
      if (typeof value === 'string' && value.length > 1) texts.push(value);
    }
  }
  const now = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return { name: 'sample rows', now, tables, parameters: queryString(parameters) };
}

async function firstRows(file: string): Promise<object[]> {
  const rows: object[] = [];
  for await (const { value } of readJsonRows(file)) {
    if (rows.push(value) === LOOKED_AT_MAX) break;
  }
  return rows;
}

/** The newest rows by the partition column, or else the last; those that contain most of the texts first. */
function newestWith(rows: readonly object[], texts: readonly string[], column = ''): object[] {
  const scored = rows.map((row) => {
    const json = JSON.stringify(row);
    const score = texts.filter((text) => json.includes(text)).length;
    const at = JSON.stringify((row as Record<string, unknown>)[column]) ?? '';
    return { row, score, at };
  });
  const best = scored
    .toSorted((a, b) => a.score - b.score || Number(a.at > b.at) - Number(a.at < b.at))
    .slice(-ROWS);
  return rows.filter((row) => best.some((one) => one.row === row));
}
