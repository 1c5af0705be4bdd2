// The examples that `npm start` prints: values that give rows, where some can be found.
import { loadCatalogue } from '../../../../scripts/compile/inspect-catalogue.ts';
import type { Endpoint } from '../../../../functions/endpoints/endpoint.ts';
import { createLocalBigQuery } from '../../../../scripts/local-bigquery/rest/server.ts';
import { findExample } from '../../../../scripts/start/examples/find-example.ts';
import { createRunLocally } from '../../../../scripts/start/examples/run-locally.ts';
import { readSources } from '../../../../scripts/sources/read-sources.ts';
import { FakeSqlTree, parameter } from '../../../support/fake-sql-tree.ts';
import { TEST_SQL, testCatalogue } from '../../../support/test-sql.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { columns } from '../../../support/columns.ts';

const HOUR_MS = 3_600_000;

const engine = await sharedEngine();

interface Found {
  /** The query string, then the fault. */
  example: string;
  /** How many queries were run. */
  runs: number;
}

async function find(
  endpoint: Endpoint | undefined,
  sql: string,
  rows: Record<string, object[]>,
  runsMax = Infinity,
): Promise<Found> {
  if (endpoint === undefined) throw new Error('no such endpoint');
  const sources = await readSources(`${sql}/sources`);
  const tables = sources.map((source) => ({ ...source, rows: rows[source.name] ?? [] }));
  const bigquery = await createLocalBigQuery({ engine, tables });
  const run = createRunLocally(bigquery.url);
  let runs = 0;
  try {
    const { values, fault } = await findExample(endpoint, sources, (...query) => {
      runs++;
      return runs > runsMax ? Promise.reject(new Error('too late')) : run(...query);
    });
    const query = Object.entries(values).map(([name, value]) => `${name}=${String(value)}`);
    return { example: [query.join('&'), ...(fault ? [fault] : [])].join(': '), runs };
  } finally {
    await bigquery.close();
  }
}

describe('of the endpoints of the tests', () => {
  const ofTests = (name: string, rows: Record<string, object[]>, runsMax?: number) =>
    find(
      testCatalogue().endpoints.find((endpoint) => endpoint.name === name),
      TEST_SQL,
      rows,
      runsMax,
    );
  const run = (project: string, hoursAgo: number) => ({
    timestamp: (Date.now() - hoursAgo * HOUR_MS) / 1000,
    project,
    function_id: 'f',
    duration_ms: 1,
  });
  const visit = (url: string, hoursAgo: number) => ({
    timestamp: (Date.now() - hoursAgo * HOUR_MS) / 1000,
    requests: [{ url }],
  });

  it('stays the one of the definition if that gives rows', async () => {
    expect(
      await ofTests('tasks.run-stats', {
        task_runs: [run('other', 0), run('other', 0), run('kfqzwmxhvtrnjdbyplca', 0)],
      }),
    ).toEqual({ example: 'project=kfqzwmxhvtrnjdbyplca&interval=1hr', runs: 1 });
  });

  it.each([
    ['has values to try', 1],
    ['has tried them', 2],
  ])('says that the search for values was cut short before it %s', async (_, runsMax) => {
    const rows = { task_runs: [run('mine', 0)] };
    expect(await ofTests('tasks.run-stats', rows, runsMax)).toMatchObject({
      example:
        'project=kfqzwmxhvtrnjdbyplca&interval=1hr: its example gives no rows, and the search for others failed or took too long',
    });
  });

  it('names the value of the column of its name that most rows have', async () => {
    expect(
      await ofTests('tasks.run-stats', {
        task_runs: [run('rare', 0), run('mine', 0), run('', 0), run('', 0), run('mine', 0)],
      }),
    ).toEqual({ example: 'project=mine&interval=1hr', runs: 3 });
  });

  it('names another listed value where the rows are older than that of the definition reaches', async () => {
    expect(
      await ofTests('tasks.run-stats', { task_runs: [run('mine', 50), run('mine', 51)] }),
    ).toEqual({ example: 'project=mine&interval=7day', runs: 7 });
  });

  it('leaves out values that the endpoint refuses', async () => {
    expect(
      await ofTests('tasks.run-stats', {
        task_runs: [run('not valid', 0), run('not valid', 0), run('mine', 0)],
      }),
    ).toMatchObject({ example: 'project=mine&interval=1hr' });
  });

  it('names the first label of the host for a regular expression', async () => {
    expect(
      await ofTests('web.visit-counts', {
        web_visits: [
          visit('https://shop.example.com/a', 0),
          visit('https://shop.example.com/b', 0),
          visit('http://admin:x@10.0.0.1:80/', 0),
        ],
      }),
    ).toMatchObject({ example: 'project=shop&interval=hourly' });
  });

  it('stays the one of the definition, with the fault, where nothing gives rows in 14 queries', async () => {
    const old = Array.from({ length: 10 }, (_, index) => run(`project-${index}`, 24 * 100));
    expect(await ofTests('tasks.run-stats', { task_runs: old })).toEqual({
      example: 'project=kfqzwmxhvtrnjdbyplca&interval=1hr: its example gives no rows',
      runs: 14,
    });
    expect(await ofTests('web.visit-counts', {})).toMatchObject({
      example: 'project=kfqzwmxhvtrnjdbyplca&interval=hourly: its example gives no rows',
    });
  });
});

describe('of an own endpoint', () => {
  const SCHEMA = [
    { name: 'shop_id', type: 'STRING' },
    { name: 'place', type: 'RECORD', fields: [{ name: 'Region', type: 'STRING' }] },
    { name: 'tag', type: 'STRING', mode: 'REPEATED' },
    {
      name: 'lines',
      type: 'RECORD',
      mode: 'REPEATED',
      fields: columns('product STRING, part_ref STRING, on DATE'),
    },
    { name: 'on', type: 'DATE' },
  ];
  const row = (shop_id: string, Region: string, tag: string[], products: string[] = []) => ({
    shop_id,
    place: { Region },
    tag,
    lines: products.map((product) => ({ product })),
    on: '2026-11-20',
  });

  let tree: FakeSqlTree;
  beforeEach(() => {
    tree = new FakeSqlTree()
      .write('sources/orders/schema.json', SCHEMA)
      .write('sources/orders/table.json', {
        partitioning: { type: 'DAY', field: 'on' },
        requirePartitionFilter: true,
      });
  });
  afterEach(() => tree.remove());

  function ofOwn(
    names: string[],
    where: string,
    rows: object[],
    fields: object = {},
  ): Promise<Found> {
    const parameters = Object.fromEntries(
      names.map((name) => [name, parameter({ required: true, example: 'none', ...fields })]),
    );
    tree.endpoint(
      { parameters },
      `SELECT 1 AS count FROM orders WHERE ${where} AND orders.on > '2026-01-01'`,
    );
    return find(loadCatalogue(tree.directory).endpoints[0], tree.directory, { orders: rows });
  }

  it('takes a field that ends with _ref too', async () => {
    expect(
      await ofOwn(['part'], 'EXISTS (SELECT 1 FROM UNNEST(lines) WHERE part_ref = @part)', [
        { ...row('a', '', []), lines: [{ part_ref: 'p' }] },
      ]),
    ).toEqual({ example: 'part=p', runs: 3 });
  });

  it('takes values that occur in the same row', async () => {
    const rows = [
      ...[1, 2, 3].map(() => row('a', '', [])),
      ...[1, 2, 3].map(() => row('', 'north', [])),
      row('b', 'south', []),
    ];
    expect(
      await ofOwn(['shop', 'region'], 'shop_id = @shop AND place.region = @region', rows),
    ).toEqual({ example: 'shop=b&region=south', runs: 3 });
  });

  it('takes elements of lists, also from two lists of the row', async () => {
    const rows = [row('a', '', ['x', 'y'], ['p', 'q']), row('b', '', ['y'], ['q'])];
    expect(
      await ofOwn(
        ['tag', 'product'],
        '@tag IN UNNEST(tag) AND EXISTS (SELECT 1 FROM UNNEST(lines) AS line WHERE line.product = @product)',
        rows,
      ),
    ).toEqual({ example: 'tag=y&product=q', runs: 3 });
  });

  it('escapes a value for a regular expression', async () => {
    expect(
      await ofOwn(
        ['tag'],
        'REGEXP_CONTAINS(tag[SAFE_OFFSET(0)], @tag)',
        [row('a', '', ['a+(b.c)'])],
        {
          format: 're2',
        },
      ),
    ).toEqual({ example: String.raw`tag=a\+\(b\.c\)`, runs: 3 });
  });

  it('leaves out parameters that are neither required nor listed', async () => {
    expect(
      await ofOwn(['shop'], "@shop IN ('', shop_id)", [row('a', '', [])], { required: false }),
    ).toEqual({ example: '', runs: 1 });
  });

  it('reports the error of a query', async () => {
    expect(await ofOwn(['shop'], 'ERROR(@shop)', [row('a', '', [])])).toEqual({
      example: 'shop=none: none',
      runs: 1,
    });
  });
});
