// Conformance of the local BigQuery: values, types and functions, with the rows that BigQuery's SQL reference gives.
import { casesIn, expectRows, filesOf, runCase, startWithTables } from './run-case.ts';

const url = await startWithTables();

describe.each(filesOf('values'))('%s', (file) => {
  it.each(casesIn(file))('%s', async (_, sql) => expectRows(await runCase(url, sql), sql));
});
