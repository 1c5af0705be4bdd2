// Tests of what the check says to write in place of SQL that GoogleSQL refuses.
import { analyseQuery } from '../../../scripts/check/analysed-query.ts';
import { faultOfSql, faultsOfAnalysis } from '../../../scripts/check/query-faults.ts';
import { GoogleSqlError, type PartitionedTable } from '../../../scripts/local-bigquery/index.ts';
import { quotedParameters } from '../../../scripts/check/cases/result-warnings.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';
import { columns } from '../../support/sql/columns.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';

const engine = await sharedEngine();
const TABLES: PartitionedTable[] = [
  {
    name: 't',
    fields: columns(
      `id INTEGER, name STRING, day DATE, ts TIMESTAMP, dt DATETIME, tm TIME, price NUMERIC, ok BOOLEAN, doc JSON,
      f FLOAT, tags STRING REPEATED, legs RECORD REPEATED (city STRING, stops RECORD REPEATED (city STRING))`,
    ),
  },
  {
    name: 'rides',
    fields: columns('id INTEGER, started_at TIMESTAMP'),
    definition: {
      partitioning: { type: 'DAY', field: 'started_at' },
      requirePartitionFilter: true,
    },
  },
  {
    name: 'events',
    fields: columns('id INTEGER'),
    definition: {
      shards: { prefix: 'events_', format: 'YYYYMMDD' },
      partitioning: null,
      requirePartitionFilter: false,
    },
  },
];
const PARAMETERS = {
  day: { type: 'DATE' },
  text: { type: 'STRING' },
  number: { type: 'INT64' },
  texts: { type: 'ARRAY', arrayType: { type: 'STRING' } },
};

const {
  conditions = [],
  expressions = [],
  queries = [],
  orders = [],
  filters = [],
  quoted = [],
  unchanged = [],
  statements = [],
} = readExpectations('test/scripts/check/sql-remedy.sql');

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

/** A case with the text around it: the fault, the remedy that it must name, and the faults of the mended texts. */
async function tried(text: string, expected: string, around: (text: string) => string) {
  const [remedy = '', ...mended] = expected.split('\n');
  const faults = mended.map(async (one) => await faultOf(around(one)));
  return { remedy, fault: (await faultOf(around(text))) ?? '', left: await Promise.all(faults) };
}

describe.each([
  ['a condition', conditions, (text: string) => `SELECT id FROM t WHERE ${text}`],
  ['an expression', expressions, (text: string) => `SELECT ${text} FROM t`],
  ['a query', queries, (text: string) => text],
])('%s that GoogleSQL refuses gets what to write, which has no fault', (_, cases, around) => {
  it.each(cases)('%s', async (text, expected) => {
    const { remedy, fault, left } = await tried(text, expected, around);
    expect(fault.replace(/^[^]*?[;:] write /, '')).toBe(remedy);
    expect(fault).not.toContain('Supported');
    expect(left.filter((one) => one !== undefined)).toEqual([]);
  });
});

it.each(orders)('refuses an order by one value: %s', async (text, expected) => {
  const { remedy, fault, left } = await tried(text, expected, (sql) => sql);
  expect(fault).toContain(`${text.indexOf(remedy)}: ORDER BY sorts by one value for all rows`);
  expect(left.filter((one) => one !== undefined)).toEqual([]);
});

it.each(filters)('says where a filter belongs: %s', async (text, expected) => {
  const { remedy, fault, left } = await tried(text, expected, (sql) => sql);
  expect(fault).toContain(`${remedy} for the last 30 days`);
  expect(left.filter((one) => one !== undefined)).toEqual([]);
});

it.each(quoted)('warns of a parameter in a text: %s', (text, expected) => {
  const found = quotedParameters(`SELECT id FROM t WHERE ${text}`, Object.keys(PARAMETERS));
  expect(found.map(({ message }) => message).join() || 'none').toBe(expected);
});

it.each([...unchanged, ...statements])('says of %j: %s', async (sql, fault) => {
  expect(await faultOf(sql)).toBe(fault);
});
