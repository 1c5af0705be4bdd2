// Chooses the first test of an endpoint: a few rows of its tables for which the query returns rows, and a request.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf } from '../../functions/core/parameter-type.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { readJsonRows } from '../sources/read-rows.ts';
import type { Source } from '../sources/read-sources.ts';
import { queryString } from '../start/own-example.ts';
import { isSampleTable, lastDays, sampleLogs } from '../start/rows/sample-logs.ts';

/** The numbers of rows of a table that are tried; more would be no test to read. */
const ROWS = [5, 50, 500];
/** The number of rows considered: the first of a sample, the newest of sample logs. */
const LOOKED_AT_MAX = 5000;

export type Tables = ReadonlyMap<Source, readonly object[]>;

interface Question {
  /** The rows of the tables that the query reads. */
  all: Tables;
  parameters: CanonicalParameters;
  nowMs: number;
  /** Whether the query returns rows of these tables at this instant. */
  hasRows: (tables: Tables, atMs: number) => Promise<boolean>;
}

/** The sample rows of tables, or else their sample logs. */
export async function readSample(sources: readonly Source[], directory: string, nowMs: number) {
  const all = new Map<Source, readonly object[]>();
  for (const source of sources) {
    const { name } = source;
    const file = join(directory, 'sources', name, 'sample.ndjson');
    const logs = isSampleTable(name) ? [...sampleLogs(name, lastDays(nowMs))] : [];
    all.set(source, existsSync(file) ? await firstRows(file) : logs.slice(-LOOKED_AT_MAX));
  }
  return all;
}

/** The test, without the expected rows. If the query returns none for any of the choices, the test has five rows of each. */
export async function firstCase({ all, parameters, nowMs, hasRows }: Question): Promise<object> {
  const written = (tables: Tables, at: number): object => ({
    name: 'sample rows',
    now: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
    tables: Object.fromEntries([...tables].map(([{ name }, rows]) => [name, rows])),
    parameters: queryString(parameters),
  });
  const few = ROWS.map((count) => chosenRows(all, parameters, count));
  for (const at of [nowMs, newestMs(all)]) {
    for (const tables of few) {
      if (await hasRows(tables, at)) return written(tables, at);
    }
  }
  return written(few[0] ?? all, nowMs);
}

/** A second after the newest row by a partition column, so that a query of the last days finds it; else the epoch. */
function newestMs(all: Tables): number {
  const times = [...all].flatMap(([{ definition }, rows]) => {
    const field = definition.partitioning?.field ?? '';
    return rows.map((row) => utcMs(String((row as Record<string, unknown>)[field])));
  });
  const isKnown = (ms: number): boolean => !Number.isNaN(ms);
  return times.filter(isKnown).reduce((last, ms) => Math.max(last, ms), 0) + 1000;
}

/** A time without a zone is one in UTC for BigQuery, and one of the machine's zone for Node.js. */
const utcMs = (text: string): number =>
  Date.parse(/^[\d-]+[T ][\d:.]+$/.test(text) ? `${text.replace(' ', 'T')}Z` : text);

function chosenRows(all: Tables, parameters: CanonicalParameters, count: number): Tables {
  const tables = new Map<Source, readonly object[]>();
  const texts = Object.values(parameters).flatMap(textsOf);
  for (const [source, rows] of all) {
    const chosen = newestWith(rows, texts, count, source.definition.partitioning?.field);
    tables.set(source, chosen);
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
