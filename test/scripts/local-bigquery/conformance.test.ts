// Conformance of the local BigQuery: small queries with the rows that BigQuery's SQL reference gives.
import type { RowsCase } from './conformance/case.ts';
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
import { numbers } from './conformance/numbers.ts';
import { queries } from './conformance/queries.ts';
import { testBigQuery } from './rest/local-bigquery.ts';

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

/** `it.fails` is red when the test passes: then the mark goes. */
const test = ({ pending }: { pending?: string }) => (pending === undefined ? it : it.fails);

for (const [family, cases] of Object.entries(families)) {
  describe(family, () => {
    for (const given of cases) {
      test(given)(given.name, async () => {
        const outcome = await runCase(bigquery.url, given.sql);
        expect('rows' in outcome ? outcome.rows : outcome).toEqual(given.rows);
        if (given.columns) expect(outcome).toMatchObject({ columns: given.columns });
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
