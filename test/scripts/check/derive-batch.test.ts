// Tests of the batch that is derived from query.sql: its rows are those of the query for each key, or there is a reason why there is none.
import type { ScalarType } from '../../../functions/core/parameter-type.ts';
import { createCatalogue } from '../../../functions/endpoints/catalogue.ts';
import { columnType } from '../../../functions/bigquery/check-page.ts';
import { analyseQuery } from '../../../scripts/check/analysed-query.ts';
import { checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { answersOf, withLogs } from '../../support/bigquery/batch-runs.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';
import { source } from '../../support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from '../../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';

const CASES = readExpectations('test/scripts/check/derive-batch.sql');

const TYPES: Record<string, ScalarType> = {
  amount: 'INT64',
  sent: 'DATE',
  good: 'BOOL',
  at: 'TIMESTAMP',
};

/** What callers ask for, by the name of a parameter: also what no row has, and nothing. */
const ASKED: Record<string, (string | null)[]> = {
  shop: ['a', 'b', '', 'none'],
  kind: ['x', '', 'all', 'y'],
  country: ['AT', 'DE', '', 'FR'],
  amount: ['1', null, '2', '7'],
  sent: ['2026-11-19', null, '2026-11-20', null],
  good: ['true', 'false', null, null],
  at: ['2026-11-20T10:07:30.500000Z', null, null, '2026-11-20T08:30:30.500000Z'],
};

/** Those that are batched are the others than `other_…`. */
function parametersOf(query: string): string[] {
  return [...new Set([...query.matchAll(/@(\w+)/g)].map(([, name = '']) => name))];
}

async function derive(query: string, incremental?: object) {
  const engine = await sharedEngine();
  const sources = [
    source(
      'calls',
      `ts TIMESTAMP, shop STRING, kind STRING, amount INT64, ratio FLOAT64, text STRING, sent DATE, good BOOL, key STRING,
      tags STRING REPEATED`,
      { partitioning: { type: 'DAY', field: 'ts' }, requirePartitionFilter: true },
    ),
    source('shops', 'shop STRING, country STRING'),
  ];
  const names = parametersOf(query);
  const typed = names.map((name) => [name, { type: TYPES[name] ?? 'STRING' }] as const);
  const analysed = await analyseQuery(engine, sources, query, Object.fromEntries(typed));
  if (!('analysis' in analysed)) throw analysed;
  const columns = analysed.analysis.columns.map(({ name, type }) => `${name} ${columnType(type)}`);
  const [, column = ''] = /^(\w+) /.exec(columns[0] ?? '') ?? [];
  const step = { hour: 'PT1H', day: 'P1D' }[column];
  const isWhole = query.includes('TIMESTAMP_TRUNC(TIMESTAMP_SUB');
  const window = isWhole ? { window: step === 'P1D' ? 'P3D' : 'PT72H', whole: true } : {};
  const parameters = typed.map(([name, type]) => [
    name,
    parameter({ ...type, example: ASKED[name]?.[0] ?? 'x' }),
  ]);
  const tree = new FakeSqlTree().endpoint(
    {
      warming: { batchOver: names.filter((name) => !name.startsWith('other_')), ...incremental },
      parameters: Object.fromEntries(parameters) as object,
      row: rowOf(columns.join(', ')),
      ...(step && { bucket: { column, step, ...window } }),
    },
    query,
  );
  const [inspected] = inspectCatalogue(tree.directory).endpoints;
  if (inspected === undefined) throw new Error('There is no endpoint.');
  return { ...(await checkEndpoint(engine, sources, inspected)), sources };
}

it.each(CASES.derived ?? [])('derives %s', async (query, reads) => {
  /** Each column has NULL, and texts an empty one. */
  const calls = Array.from({ length: 60 }, (_, index) => ({
    ts: new Date(Date.parse('2026-11-20T10:07:30.5Z') - index * 97 * 60_000).toISOString(),
    shop: ['a', 'b', '', null][index % 4],
    kind: ['x', 'y', null, 'all', ''][index % 5],
    amount: [1, 2, null][index % 3],
    text: `t${index}`,
    sent: ['2026-11-19', null][index % 2],
    good: [true, false, null][index % 3],
    key: `k${index % 2}`,
    tags: index % 7 === 0 ? [] : ['p', 'q'],
  }));
  const shops = ['a', 'b', ''].map((shop) => ({ shop, country: shop === 'a' ? 'AT' : 'DE' }));
  const { endpoint, faults, batch, sources } = await derive(query);
  expect(faults).toEqual([]);
  expect(batch?.isDerived).toBe(true);
  expect(
    batch?.whole ? `all rows in each run: ${batch.whole.message}` : 'only what has changed',
  ).toBe(reads);
  if (endpoint === undefined) throw new Error('It has no endpoint.');
  const batched = endpoint.warming?.batchOver ?? [];
  const keys = ['0123', '1302'].flatMap((turns) =>
    [0, 1, 2, 3].map((at) =>
      Object.fromEntries(
        batched.map((name, place) => [
          name,
          ASKED[name]?.[(at + Number(turns[place % 4])) % 4] ?? (TYPES[name] ? null : ''),
        ]),
      ),
    ),
  );
  const shared = Object.fromEntries(
    parametersOf(query)
      .filter((name) => name.startsWith('other_'))
      .map((name) => [name, 'x']),
  );
  const tables = sources.map((source) => Object.assign(source, { rows: [] }));
  await withLogs(
    endpoint.name,
    { calls, shops },
    async ({ single, batch: many }) => {
      const alone = await Promise.all(keys.map((key) => single({ ...shared, ...key })));
      expect(answersOf(await many(shared, keys))).toEqual(answersOf(alone));
      expect(alone.some(({ rowCount }) => rowCount > 0)).toBe(true);
    },
    undefined,
    { catalogue: createCatalogue([endpoint]), sources: tables },
  );
});

it.each(CASES.refused ?? [])('derives nothing from %s', async (query, reason) => {
  const { endpoint, faults } = await derive(query);
  expect(endpoint).toBeUndefined();
  expect(faults).toHaveLength(1);
  expect(faults[0]?.message).toContain(`no batch can be derived from query.sql: ${reason}`);
  expect(faults[0]?.message).toMatch(/; write warm.sql, or remove warming$/);
});

it('joins each optional parameter by equality, and takes time and bound from the run', async () => {
  const [, , [query = ''] = []] = CASES.derived ?? [];
  const { batch } = await derive(query);
  expect(batch?.query.sql).toBe(
    `SELECT batch.batch_key AS key, DATE(c.ts) AS day, COUNT(*) AS n, ANY_VALUE(c.shop) AS shop FROM \`calls\` AS c
CROSS JOIN UNNEST(['', NULLIF(c.shop, '')]) AS batch_row_1
INNER JOIN (SELECT \`key\` AS batch_key, \`shop\` AS batch_shop FROM UNNEST(@keys)) AS batch
  ON batch_row_1 = batch.batch_shop
WHERE c.ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 3 DAY), DAY)
  AND c.ts >= @since
GROUP BY ALL ORDER BY key, day`,
  );
});

it('refuses "incremental" where only what has changed cannot be read', async () => {
  const query = "SELECT kind FROM calls WHERE ts >= '2026-11-01' AND shop = @shop";
  const { faults } = await derive(query, { incremental: {} });
  expect(faults.map(({ message }) => message)).toEqual([
    'warming.incremental: only what has changed cannot be read: endpoint.json has no bucket',
  ]);
});
