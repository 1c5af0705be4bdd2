// Makes the first test of an endpoint: rows of its tables and a request, without the expected rows.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf } from '../../functions/core/parameter-type.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { queryString } from '../start/examples/find-example.ts';
import { sampleLogs } from '../start/rows/sample-logs.ts';

/** How many sample logs are taken. */
const ROWS = 5;

/** `parameters` are those of the request; `tables` those that the query reads. */
export function firstCase(
  tables: readonly string[],
  parameters: CanonicalParameters,
  sqlDirectory: string,
  nowMs: number,
): object {
  const logs: Readonly<Record<string, readonly object[]>> = { ...sampleLogs({ nowMs }) };
  const rows = tables.map((table): [string, object[] | string] => {
    const isSampled = existsSync(join(sqlDirectory, 'sources', table, 'sample.ndjson'));
    // As the folder of the endpoint sees it from tests/.
    if (isSampled) return [table, `../../../sources/${table}/sample.ndjson`];
    return [table, newestWith(logs[table] ?? [], parameters)];
  });
  return {
    name: 'sample rows',
    now: new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z'),
    tables: Object.fromEntries(rows),
    parameters: queryString(parameters),
  };
}

/** The newest rows, those that hold most of the values before others. */
function newestWith(rows: readonly object[], parameters: CanonicalParameters): object[] {
  const texts = Object.values(parameters).flatMap(textsOf);
  const score = (row: object): number => {
    const json = JSON.stringify(row);
    return texts.filter((text) => json.includes(text)).length;
  };
  const best = Math.max(0, ...rows.map(score));
  return rows.filter((row) => score(row) === best).slice(-ROWS);
}
