// Conformance of the local BigQuery: small queries with the rows that BigQuery's SQL reference gives.
import type { RowsCases } from './conformance/case.ts';
import { aggregates } from './conformance/aggregates.ts';
import { approximations } from './conformance/approximations.ts';
import { arrays } from './conformance/arrays.ts';
import { dates } from './conformance/dates.ts';
import { errors } from './conformance/errors.ts';
import { generatedValues } from './conformance/generated-values.ts';
import { joins } from './conformance/joins.ts';
import { json } from './conformance/json.ts';
import { pipes } from './conformance/pipes.ts';
import { pivot } from './conformance/pivot.ts';
import { ranges } from './conformance/ranges.ts';
import { recursive } from './conformance/recursive.ts';
import { routines } from './conformance/routines.ts';
import { runCase } from './conformance/run-case.ts';
import { sampling } from './conformance/sampling.ts';
import { setOperations } from './conformance/set-operations.ts';
import { storedTables } from './conformance/stored-tables.ts';
import { strings } from './conformance/strings.ts';
import { structs } from './conformance/structs.ts';
import { systemVariables } from './conformance/system-variables.ts';
import { tables } from './conformance/tables.ts';
import { types } from './conformance/types.ts';
import { windows } from './conformance/windows.ts';
import { readFileSync } from 'node:fs';
import { notRun } from './conformance/not-run.ts';
import { numbers } from './conformance/numbers.ts';
import { queries } from './conformance/queries.ts';
import { testBigQuery } from './rest/local-bigquery.ts';

const families: Record<string, RowsCases> = {
  types,
  arrays,
  structs,
  json,
  strings,
  dates,
  aggregates,
  windows,
  joins,
  'set operations': setOperations,
  pivot,
  recursive,
  sampling,
  routines,
  approximations,
  pipes,
  'system variables': systemVariables,
  ranges,
  'generated values': generatedValues,
  numbers,
  queries,
  'stored tables': storedTables,
};

const bigquery = await testBigQuery({ tables });
afterAll(() => bigquery.close());

for (const [family, cases] of Object.entries(families)) {
  describe(family, () => {
    for (const [name, [sql, ...rows]] of Object.entries(cases)) {
      it(name, async () => {
        const outcome = await runCase(bigquery.url, sql);
        expect('rows' in outcome ? outcome.rows : outcome).toEqual(
          rows.map((row) => Object.values(row)),
        );
        for (const row of rows.filter((row) => !Array.isArray(row))) {
          expect(outcome).toMatchObject({ columns: Object.keys(row) });
        }
      });
    }
  });
}

describe('errors', () => {
  it.each(Object.entries(errors))('%j', async (sql, error) => {
    expect(await runCase(bigquery.url, sql)).toEqual({ error });
  });
});

describe('what is listed as not run locally', () => {
  const readme = readFileSync('sql/README.md', 'utf8');
  const list = /### What does not run locally\n([\s\S]*?)\nAll functions/.exec(readme)?.[1] ?? '';
  const items = list.split('\n- ').slice(1);

  it('has queries here for each item of the list', () => {
    expect(items).toHaveLength(Object.keys(notRun).length);
    for (const [index, start] of Object.keys(notRun).entries()) {
      expect(items[index]?.replaceAll(/\s+/g, ' ').slice(0, start.length)).toBe(start);
    }
  });

  const cases = Object.entries(notRun).flatMap(([item, queries]) =>
    Object.entries(queries).map(([sql, reason]) => [item, sql, reason] as const),
  );
  it.each(cases)('%s …: %s', async (_, sql, reason) => {
    const error = `Not run locally: ${reason}; run the query on BigQuery, or write it without`;
    expect(await runCase(bigquery.url, sql)).toEqual({ error });
  });
});
