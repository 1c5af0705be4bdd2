// Tests of what the check says to write in place of SQL that GoogleSQL refuses.
import { analyseQuery } from '../../../scripts/check/analysed-query.ts';
import { faultOfSql, faultsOfAnalysis } from '../../../scripts/check/query-faults.ts';
import { GoogleSqlError } from '../../../scripts/local-bigquery/index.ts';
import { quotedParameters } from '../../../scripts/check/cases/result-warnings.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';
import { source } from '../../support/sql/columns.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';

const engine = await sharedEngine();
const TABLES = [
  source(
    't',
    `id INTEGER, name STRING, day DATE, ts TIMESTAMP, dt DATETIME, tm TIME, price NUMERIC, ok BOOLEAN, doc JSON,
    f FLOAT, tags STRING REPEATED, legs RECORD REPEATED (city STRING, stops RECORD REPEATED (city STRING))`,
  ),
  source('rides', 'id INTEGER, started_at TIMESTAMP', {
    partitioning: { type: 'DAY', field: 'started_at' },
    requirePartitionFilter: true,
  }),
  source('events', 'id INTEGER', { shards: { prefix: 'events_', format: 'YYYYMMDD' } }),
];
const PARAMETERS = {
  day: { type: 'DATE' },
  text: { type: 'STRING' },
  number: { type: 'INT64' },
  texts: { type: 'ARRAY', arrayType: { type: 'STRING' } },
};

const texts = readExpectations('test/scripts/check/sql-remedy.sql');

/** The fault of a query, with the place in its text; undefined if it has none. */
async function faultOf(sql: string): Promise<string | undefined> {
  const parts = [{ file: 'query.sql', offset: 0, text: sql }];
  const query = { file: 'query.sql', sql, parts, parameters: PARAMETERS };
  const analysed = await analyseQuery(engine, TABLES, sql, PARAMETERS).catch(
    (failure: unknown) => failure as GoogleSqlError,
  );
  const [fault] =
    analysed instanceof GoogleSqlError
      ? [faultOfSql(analysed, query, TABLES)]
      : faultsOfAnalysis(analysed, query);
  return fault && `${fault.offset}: ${fault.message}`;
}

/** The fault of a text, and the remedy that it must name. Fails if a mended text has one too; `…` is the place of each. */
async function refused(text: string, expected: string, around = '…') {
  const within = (one: string): string => around.replace('…', () => one);
  const [remedy = '', ...mended] = expected.split('\n');
  for (const one of mended) expect([one, await faultOf(within(one))]).toEqual([one, undefined]);
  return { remedy, fault: (await faultOf(within(text))) ?? '' };
}

describe.each([
  ['a condition', texts.conditions, 'SELECT id FROM t WHERE …'],
  ['an expression', texts.expressions, 'SELECT … FROM t'],
  ['a query', texts.queries, '…'],
])('%s that GoogleSQL refuses gets what to write, which has no fault', (_, cases = [], around) => {
  it.each(cases)('%s', async (text, expected) => {
    const { remedy, fault } = await refused(text, expected, around);
    expect(fault.replace(/^[^]*?[;:] write /, '')).toBe(remedy);
    expect(fault).not.toContain('Supported');
  });
});

it.each(texts.orders ?? [])('refuses an order by one value: %s', async (text, expected) => {
  const { remedy, fault } = await refused(text, expected);
  expect(fault).toContain(`${text.indexOf(remedy)}: ORDER BY sorts by one value for all rows`);
});

it.each(texts.filters ?? [])('says where a filter belongs: %s', async (text, expected) => {
  const { remedy, fault } = await refused(text, expected);
  expect(fault).toContain(`${remedy} for the last 30 days`);
});

it.each(texts.quoted ?? [])('warns of a parameter in a text: %s', (text, expected) => {
  const found = quotedParameters(`SELECT id FROM t WHERE ${text}`, Object.keys(PARAMETERS));
  expect(found.map(({ message }) => message).join() || 'none').toBe(expected);
});

it.each([...(texts.unchanged ?? []), ...(texts.statements ?? [])])(
  'says of %j: %s',
  async (sql, fault) => {
    expect(await faultOf(sql)).toBe(fault);
  },
);
