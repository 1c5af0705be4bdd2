// Conformance of the local BigQuery: small queries with the rows that BigQuery's SQL reference gives.
import { startGoogleSql } from '../../../scripts/local/googlesql/engine.ts';
import type { GoogleSql } from '../../../scripts/local/googlesql/engine.ts';
import { createLocalBigQuery } from '../../../scripts/local/bigquery/server.ts';
import type { LocalBigQuery } from '../../../scripts/local/bigquery/server.ts';
import type { ErrorCase, RowsCase } from './conformance/case.ts';
import { runCase } from './conformance/run-case.ts';
import { tables } from './conformance/tables.ts';
import { arrays } from './conformance/arrays.ts';
import { json } from './conformance/json.ts';
import { structs } from './conformance/structs.ts';
import { types } from './conformance/types.ts';
import { strings } from './conformance/strings.ts';
import { dates } from './conformance/dates.ts';
import { aggregates } from './conformance/aggregates.ts';
import { windows } from './conformance/windows.ts';
import { joins } from './conformance/joins.ts';

const families: Record<string, readonly RowsCase[]> = {
  types,
  arrays,
  structs,
  json,
  strings,
  dates,
  aggregates,
  windows,
  joins,
};
const errors: ErrorCase[] = [];

let engine: GoogleSql;
let bigquery: LocalBigQuery;
beforeAll(async () => {
  engine = await startGoogleSql();
  bigquery = await createLocalBigQuery({ engine, tables, freshMs: 0 });
});
afterAll(async () => {
  await bigquery.close();
  await engine.close();
});

/** `it.failing` is red when the test passes: then the mark goes. */
const test = ({ pending }: { pending?: string }) => (pending === undefined ? it : it.failing);

for (const [family, cases] of Object.entries(families)) {
  describe(family, () => {
    for (const given of cases) {
      test(given)(given.name, async () => {
        const expected = given.columns
          ? { columns: given.columns, rows: given.rows }
          : { rows: given.rows };
        expect(await runCase(bigquery.url, given.sql)).toMatchObject(expected);
      });
    }
  });
}

describe('errors', () => {
  for (const given of errors) {
    test(given)(given.name, async () => {
      expect(await runCase(bigquery.url, given.sql)).toEqual({ error: given.error });
    });
  }
});
