// Tests that every way of writing the current time follows the fixed clock of a test.
import { casesBeside } from '../../../support/cases.ts';
import { testBigQuery } from '../rest/local-bigquery.ts';

const NOW_MS = Date.UTC(2030, 0, 2, 3, 4, 5);
const bigquery = await testBigQuery({ clock: { nowMs: () => NOW_MS }, tables: [] });

it.each(casesBeside(import.meta.filename)<[string, string]>('current time'))(
  '%s',
  async (query, expected) => {
    expect(await bigquery.first(query)).toEqual([expected]);
  },
);
