// Chooses the first test of an endpoint: a few rows of its tables for which the query returns rows, and a request.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf } from '../../functions/core/parameter-type.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { readJsonRows } from '../sources/read-rows.ts';
import type { Source } from '../sources/read-sources.ts';
import { queryString } from '../start/own-example.ts';
import { sampleLogs } from '../start/rows/sample-logs.ts';

/** The number of rows of a table that are tried first; then all, of which halves are left out. */
const ROWS = [5, 50];
/** The number of rows considered: the first of a sample, the newest of sample logs. */
const LOOKED_AT_MAX = 5000;
/** More rows would be no test to read. */
const WRITTEN_MAX = 500;

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
  const logs: Readonly<Record<string, readonly object[]>> = { ...sampleLogs({ nowMs }) };
  const all = new Map<Source, readonly object[]>();
  for (const source of sources) {
    const file = join(directory, 'sources', source.name, 'sample.ndjson');
    const rows = existsSync(file) ? await firstRows(file) : logs[source.name];
    all.set(source, rows?.slice(-LOOKED_AT_MAX) ?? []);
  }
  return all;
}

/** The test, without the expected rows. If the query returns none for all rows of the samples, the test has five rows of each. */
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
    if (!(await hasRows(all, at))) continue;
    const needed = await neededRows(all, (tables) => hasRows(tables, at));
    if ([...needed.values()].every((rows) => rows.length <= WRITTEN_MAX))
      return written(needed, at);
  }
  return written(few[0] ?? all, nowMs);
}

/** Some of the rows for which the query returns rows: of each table halves are left out, the older one first, while it does. */
async function neededRows(all: Tables, hasRows: (tables: Tables) => Promise<boolean>) {
  let needed = all;
  for (const source of all.keys()) {
    let rows = needed.get(source) ?? [];
    while (rows.length > (ROWS[0] ?? 0)) {
      const middle = Math.ceil(rows.length / 2);
      const halves = [rows.slice(-middle), rows.slice(0, middle)];
      let half: readonly object[] | undefined;
      for (const tried of halves) {
        if (half === undefined && (await hasRows(new Map(needed).set(source, tried)))) half = tried;
      }
      if (half === undefined) break;
      rows = half;
      needed = new Map(needed).set(source, half);
    }
  }
  return needed;
}

/** A second after the newest row by a partition column, so that a query of the last days finds it; else the epoch. */
function newestMs(all: Tables): number {
  const times = [...all].flatMap(([{ definition }, rows]) => {
    const field = definition.partitioning?.field ?? '';
    return rows.map((row) => Date.parse(String((row as Record<string, unknown>)[field])));
  });
  const isKnown = (ms: number): boolean => !Number.isNaN(ms);
  return times.filter(isKnown).reduce((last, ms) => Math.max(last, ms), 0) + 1000;
}

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
