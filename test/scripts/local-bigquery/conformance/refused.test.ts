// What the local BigQuery refuses: the whole messages, with the line and column of the author's text.
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import { FOLDER, runCase, startWithTables } from './run-case.ts';

const url = await startWithTables();

it.each(readExpectations(`${FOLDER}/errors.sql`).errors ?? [])('%j fails: %s', async (sql, error) =>
  expect(await runCase(url, sql)).toEqual({ error }),
);

/** By the item of docs/reference/local-sql.md, which says what is not run. */
const notRun = Object.values(readExpectations(`${FOLDER}/not-run.sql`)).flat();
it.each(notRun)('%j is not run: %s', async (sql, reason) =>
  expect(await runCase(url, sql)).toEqual({
    error: `Not run locally: ${reason}; run the query on BigQuery, or rewrite it without this`,
  }),
);
