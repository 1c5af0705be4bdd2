// Creates the first test of an endpoint: a few rows of its tables and a request, without the expected rows.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf } from '../../functions/core/parameter-type.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { readJsonRows } from '../sources/read-rows.ts';
import type { Source } from '../sources/read-sources.ts';
import { queryString } from '../start/examples/find-example.ts';
import { sampleLogs } from '../start/rows/sample-logs.ts';

/** The number of rows, and more of them if the query has no result for these. */
const ROWS = [5, 50];
/** The number of rows considered: the first of a sample, the newest of sample logs. */
const LOOKED_AT_MAX = 5000;

/**
 * Tests to choose from, the best first: the next ones for a query that has no rows in those before. `parameters` are those of
 * the request; `sources` the tables that the query reads.
 */
export async function firstCases(
  sources: readonly Source[],
  parameters: CanonicalParameters,
  sqlDirectory: string,
  nowMs: number,
): Promise<object[]> {
  const logs: Readonly<Record<string, readonly object[]>> = { ...sampleLogs({ nowMs }) };
  const all = new Map<Source, readonly object[]>();
  for (const source of sources) {
    const file = join(sqlDirectory, 'sources', source.name, 'sample.ndjson');
    const rows = existsSync(file) ? await firstRows(file) : logs[source.name];
    all.set(source, rows?.slice(-LOOKED_AT_MAX) ?? []);
  }
  return [nowMs, newestMs(all)].flatMap((at) =>
    ROWS.map((count) => {
      const now = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
      const tables = chosenRows(all, parameters, count);
      return { name: 'sample rows', now, tables, parameters: queryString(parameters) };
    }),
  );
}

/** A second after the newest row by a partition column, so that a query of the last days finds it; else the epoch. */
function newestMs(all: ReadonlyMap<Source, readonly object[]>): number {
  const times = [...all].flatMap(([{ definition }, rows]) => {
    const field = definition.partitioning?.field ?? '';
    return rows.map((row) => Date.parse(String((row as Record<string, unknown>)[field])));
  });
  const isKnown = (ms: number): boolean => !Number.isNaN(ms);
  return times.filter(isKnown).reduce((last, ms) => Math.max(last, ms), 0) + 1000;
}

function chosenRows(
  all: ReadonlyMap<Source, readonly object[]>,
  parameters: CanonicalParameters,
  count: number,
): Record<string, object[]> {
  const tables: Record<string, object[]> = {};
  const texts = Object.values(parameters).flatMap(textsOf);
  for (const [{ name, definition }, rows] of all) {
    const chosen = newestWith(rows, texts, count, definition.partitioning?.field);
    tables[name] = chosen;
    // The next table is joined with these rows.
    for (const value of chosen.flatMap((row): unknown[] => Object.values(row))) {
      if (typeof value === 'string' && value.length > 1) texts.push(value);
    }
  }
  return tables;
}

async function firstRows(file: string): Promise<object[]> {
  const rows: object[] = [];
  for await (const { value } of readJsonRows(file)) {
    if (rows.push(value) === LOOKED_AT_MAX) break;
  }
  return rows;
}

/** The newest rows by the partition column, or else the last; those that contain most of the texts first. */
function newestWith(rows: readonly object[], texts: readonly string[], count: number, column = '') {
  const scored = rows.map((row) => {
    const json = JSON.stringify(row);
    const score = texts.filter((text) => json.includes(text)).length;
    const at = JSON.stringify((row as Record<string, unknown>)[column]) ?? '';
    return { row, score, at };
  });
  const best = scored
    .toSorted((a, b) => a.score - b.score || Number(a.at > b.at) - Number(a.at < b.at))
    .slice(-count);
  return rows.filter((row) => best.some((one) => one.row === row));
}
