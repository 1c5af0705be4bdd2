// Tests of what the check says to write in place of SQL that GoogleSQL refuses.
import { analyseQuery } from '../../../scripts/check/analysed-query.ts';
import { faultOfSql, faultsOfAnalysis } from '../../../scripts/check/check-endpoint.ts';
import { GoogleSqlError } from '../../../scripts/local-bigquery/index.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';
import { columns } from '../../support/sql/columns.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';

const engine = await sharedEngine();
const TABLES = [
  {
    name: 't',
    fields: columns(
      `id INTEGER, name STRING, day DATE, ts TIMESTAMP, dt DATETIME, tm TIME, price NUMERIC, ok BOOLEAN, doc JSON,
      tags STRING REPEATED, legs RECORD REPEATED (city STRING, stops RECORD REPEATED (city STRING))`,
    ),
  },
];
const PARAMETERS = {
  day: { type: 'DATE' },
  text: { type: 'STRING' },
  texts: { type: 'ARRAY', arrayType: { type: 'STRING' } },
};

const {
  conditions = [],
  expressions = [],
  unchanged = [],
  statements = [],
} = readExpectations('test/scripts/check/sql-remedy.sql');

/** The fault of a query, with the place in its text. */
async function faultOf(sql: string): Promise<string> {
  const parts = [{ file: 'query.sql', offset: 0, text: sql }];
  const query = { file: 'query.sql', sql, parts };
  const analysed = await analyseQuery(engine, TABLES, sql, PARAMETERS).catch(
    (failure: unknown) => failure as GoogleSqlError,
  );
  const [fault] =
    analysed instanceof GoogleSqlError
      ? [faultOfSql(analysed, query)]
      : faultsOfAnalysis(analysed, query);
  return `${fault?.offset}: ${fault?.message}`;
}

it.each(conditions)('a condition %s gets what to write', async (condition, remedy) => {
  const fault = await faultOf(`SELECT id FROM t WHERE ${condition}`);
  expect(fault.replace(/^[^]*; write /, '')).toBe(remedy);
  expect(fault).not.toContain('Supported');
});

it.each(expressions)('an expression %s gets what to write', async (expression, remedy) => {
  expect((await faultOf(`SELECT ${expression} FROM t`)).replace(/^[^]*; write /, '')).toBe(remedy);
});

it.each([...unchanged, ...statements])('says of %j: %s', async (sql, fault) => {
  expect(await faultOf(sql)).toBe(fault);
});
