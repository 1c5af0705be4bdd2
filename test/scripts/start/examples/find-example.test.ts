// The examples that `npm start` prints: values that give rows, where some can be found.
import type { Endpoint } from '../../../../functions/endpoints/endpoint.ts';
import { findExample } from '../../../../scripts/start/examples/find-example.ts';
import { createRunLocally } from '../../../../scripts/start/examples/frequent-values.ts';
import { readSources } from '../../../../scripts/sources/read-sources.ts';
import { FakeSqlTree, parameter } from '../../../support/sql/fake-sql-tree.ts';
import { startLocalBigQuery, tablesOf } from '../../../support/bigquery/local-bigquery.ts';
import { TEST_SQL, testCatalogue } from '../../../support/sql/test-sql.ts';

const HOUR_MS = 3_600_000;

/** The query string, then the fault; and how many queries were run. */
async function find(
  endpoint: Endpoint | undefined,
  sql: string,
  rows: Record<string, object[]>,
  runsMax = Infinity,
): Promise<{ example: string; runs: number }> {
  if (endpoint === undefined) throw new Error('no such endpoint');
  const bigquery = await startLocalBigQuery({ tables: await tablesOf(sql, rows) });
  const run = createRunLocally(bigquery.url);
  let runs = 0;
  const sources = await readSources(`${sql}/sources`);
  const { values, fault } = await findExample(endpoint, sources, (...query) => {
    runs++;
    return runs > runsMax ? Promise.reject(new Error('too late')) : run(...query);
  });
  const query = Object.entries(values).map(([name, value]) => `${name}=${String(value)}`);
  return { example: [query.join('&'), ...(fault ? [fault] : [])].join(': '), runs };
}

describe('the example of a test endpoint', () => {
  const ofTests = (name: string, rows: Record<string, object[]>, runsMax?: number) =>
    find(testCatalogue().resolve(name), TEST_SQL, rows, runsMax);
  const run = (project: string, hoursAgo = 0) => ({
    timestamp: (Date.now() - hoursAgo * HOUR_MS) / 1000,
    ...{ project, function_id: 'f', duration_ms: 1 },
  });
  const visit = (url: string) => ({ timestamp: Date.now() / 1000, requests: [{ url }] });
  const ofRuns = (...rows: object[]) => ofTests('tasks.run-stats', { task_runs: rows });

  it('is the one of the definition if it returns rows', async () => {
    expect(await ofRuns(run('other'), run('other'), run('kfqzwmxhvtrnjdbyplca'))).toEqual({
      example: 'project=kfqzwmxhvtrnjdbyplca&interval=1hr',
      runs: 1,
    });
  });

  it.each([
    ['has values to try', 1],
    ['has tried them', 2],
  ])('mentions that the search for values ended before it %s', async (_, runsMax) => {
    expect(await ofTests('tasks.run-stats', { task_runs: [run('mine')] }, runsMax)).toMatchObject({
      example:
        'project=kfqzwmxhvtrnjdbyplca&interval=1hr: its example returns no rows, and the search for others failed or took too long',
    });
  });

  it("has the most frequent value of the column with the parameter's name", async () => {
    const rows = [run('rare'), run('mine'), run(''), run(''), run('mine')];
    expect(await ofRuns(...rows)).toEqual({ example: 'project=mine&interval=1hr', runs: 3 });
  });

  it("has another listed value if the rows are older than the example's window", async () => {
    const rows = [run('mine', 50), run('mine', 51)];
    expect(await ofRuns(...rows)).toEqual({ example: 'project=mine&interval=7day', runs: 7 });
  });

  it('has no value that the endpoint rejects', async () => {
    const { example } = await ofRuns(run('not valid'), run('not valid'), run('mine'));
    expect(example).toBe('project=mine&interval=1hr');
  });

  it('has the first label of the host as a regular expression', async () => {
    const urls = ['https://shop.example.com/a', 'https://shop.example.com/b'];
    const rows = { web_visits: [...urls, 'http://admin:x@10.0.0.1:80/'].map(visit) };
    expect((await ofTests('web.visit-counts', rows)).example).toBe('project=shop&interval=hourly');
  });

  it('is the one of the definition, with a note, if 14 queries return no rows', async () => {
    const old = Array.from({ length: 10 }, (_, index) => run(`project-${index}`, 24 * 100));
    expect(await ofRuns(...old)).toEqual({
      example: 'project=kfqzwmxhvtrnjdbyplca&interval=1hr: its example returns no rows',
      runs: 14,
    });
  });
});

describe('the example of a new endpoint', () => {
  const COLUMNS = `shop_id STRING, place RECORD (Region STRING), tag STRING REPEATED,
    lines RECORD REPEATED (product STRING, part_ref STRING, on DATE), on DATE`;
  const partitioning = { type: 'DAY', field: 'on' };
  const row = (shop_id: string, Region: string, tag: string[], products: string[] = []) => ({
    ...{ shop_id, place: { Region }, tag, on: '2026-11-20' },
    lines: products.map((product) => ({ product })),
  });

  let tree: FakeSqlTree;
  beforeEach(() => {
    const definition = { partitioning, requirePartitionFilter: true };
    tree = new FakeSqlTree().source('orders', COLUMNS, definition);
  });

  function ofOwn(names: string[], where: string, rows: object[], fields: object = {}) {
    const parameters = Object.fromEntries(
      names.map((name) => [name, parameter({ required: true, example: 'none', ...fields })]),
    );
    const query = `SELECT 1 AS count FROM orders WHERE ${where} AND orders.on > '2026-01-01'`;
    tree.endpoint({ parameters }, query);
    return find(tree.load(), tree.directory, { orders: rows });
  }

  it('may come from a field that ends with _ref', async () => {
    expect(
      await ofOwn(['part'], 'EXISTS (SELECT 1 FROM UNNEST(lines) WHERE part_ref = @part)', [
        { ...row('a', '', []), lines: [{ part_ref: 'p' }] },
      ]),
    ).toEqual({ example: 'part=p', runs: 3 });
  });

  it('has values that occur in the same row', async () => {
    const rows = [
      ...[1, 2, 3].map(() => row('a', '', [])),
      ...[1, 2, 3].map(() => row('', 'north', [])),
      row('b', 'south', []),
    ];
    expect(
      await ofOwn(['shop', 'region'], 'shop_id = @shop AND place.region = @region', rows),
    ).toEqual({ example: 'shop=b&region=south', runs: 3 });
  });

  it('has elements of lists, even from two lists of the row', async () => {
    const rows = [row('a', '', ['x', 'y'], ['p', 'q']), row('b', '', ['y'], ['q'])];
    const where =
      '@tag IN UNNEST(tag) AND EXISTS (SELECT 1 FROM UNNEST(lines) AS line WHERE line.product = @product)';
    const found = await ofOwn(['tag', 'product'], where, rows);
    expect(found).toEqual({ example: 'tag=y&product=q', runs: 3 });
  });

  it('has values escaped for a regular expression', async () => {
    const where = 'REGEXP_CONTAINS(tag[SAFE_OFFSET(0)], @tag)';
    expect(await ofOwn(['tag'], where, [row('a', '', ['a+(b.c)'])], { format: 're2' })).toEqual({
      example: String.raw`tag=a\+\(b\.c\)`,
      runs: 3,
    });
  });

  it('omits parameters that are neither required nor listed', async () => {
    expect(
      await ofOwn(['shop'], "@shop IN ('', shop_id)", [row('a', '', [])], { required: false }),
    ).toEqual({ example: '', runs: 1 });
  });

  it('includes the error of a query', async () => {
    expect(await ofOwn(['shop'], 'ERROR(@shop)', [row('a', '', [])])).toEqual({
      example: 'shop=none: none',
      runs: 1,
    });
  });
});
