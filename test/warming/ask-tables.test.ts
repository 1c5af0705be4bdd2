// Tests that what a run learns of the tables is of one time, and that a fact of one kind is never taken for another.
import type {
  DescribeTable,
  QueryRunner,
  TableMetadata,
} from '../../functions/core/query-runner.ts';
import { queryConfiguration } from '../../functions/bigquery/query-configuration.ts';
import { placesOf, sourceState } from '../../functions/cache/source-state.ts';
import { type Question, createAsk } from '../../functions/warming/ask-tables.ts';
import { FakeClock } from '../support/clock.ts';
import { FakeLog } from '../support/fakes/fake-log.ts';

const clock = new FakeClock('2026-11-20T10:00:00Z');
const PLACES = {
  project: 'p',
  dataset: 'logs',
  sourceTables: new Map([['orders', 'p.shop.orders']]),
};
const TABLE: TableMetadata = {
  type: 'TABLE',
  rows: '1',
  bytes: '8',
  modified: '1',
  isStreaming: false,
};
const VIEW: TableMetadata = { ...TABLE, type: 'VIEW', rows: '', bytes: '' };

/** What BigQuery says: the rows of PARTITIONS by table, and the metadata by `dataset.table`. */
interface World {
  /** An error for what cannot be read. */
  partitions:
    | Record<
        string,
        { isPartitioned?: boolean; isStreaming?: boolean; digest: string; listed?: string }
      >
    | Error;
  tables: Record<string, TableMetadata>;
}

async function ask(
  world: World,
  tables: readonly string[],
  views: readonly string[] = [],
  fromDay?: string,
  columns?: Question['columns'],
  log = new FakeLog(),
) {
  const queryRunner: Pick<QueryRunner, 'run'> = {
    async run({ sql, parameters, onPage }) {
      const { names } = parameters as { names?: string[] };
      const isIn = (table: string): boolean =>
        sql.includes('STARTS_WITH')
          ? names?.some((prefix) => table.startsWith(prefix)) === true
          : names?.includes(table) === true;
      const { partitions } = world;
      if (partitions instanceof Error && sql.includes('PARTITIONS')) throw partitions;
      const listed = partitions instanceof Error ? {} : partitions;
      const rows = sql.includes('PARTITIONS')
        ? Object.entries(listed).flatMap(([table, one]) =>
            isIn(table)
              ? [
                  [
                    table,
                    String(one.isPartitioned ?? false),
                    String(one.isStreaming ?? false),
                    one.digest,
                    one.listed,
                  ],
                ]
              : [],
          )
        : [['1763632800000000']];
      const found = rows.map((row) => ({ f: row.map((v) => ({ v })) }));
      await onPage({ schema: [], rows: found, jobId: 'j' });
      return { truncated: false, jobId: 'j', bytesProcessed: 0, bytesBilled: 0 };
    },
  };
  const describeTable: DescribeTable = ({ dataset, table }) => {
    const found = world.tables[`${dataset}.${table}`];
    return found ? Promise.resolve(found) : Promise.reject(new Error('Not found'));
  };
  const asking = createAsk({ queryRunner, describeTable, clock, log });
  const untilMs = clock.nowMs() + 60_000;
  return (await asking({ tables, views, untilMs, fromDay, columns })).states;
}

const stateOf = (
  states: Awaited<ReturnType<typeof ask>>,
  ...sources: { dataset?: string; table: string }[]
) => sourceState({ dependsOn: { sources, clocks: [] } }, states, PLACES)?.digest;

describe('a view', () => {
  const world: World = {
    partitions: { orders: { digest: 'rows' } },
    tables: { 'logs.orders': VIEW, 'shop.orders': TABLE },
  };

  it('that another source names as a table has no known state, though its definition is known', async () => {
    // `orders` is the view p.logs.orders of p.shop.orders, and `logs.orders` names the same view.
    const states = await ask(world, ['p.shop.orders', 'p.logs.orders'], ['p.logs.orders']);
    expect(stateOf(states, { table: 'orders' })).toMatch(/^[0-9a-f]{64}$/);
    expect(stateOf(states, { dataset: 'logs', table: 'orders' })).toBeUndefined();
    expect(
      stateOf(states, { table: 'orders' }, { dataset: 'logs', table: 'orders' }),
    ).toBeUndefined();
    expect([...(states?.byTable.keys() ?? [])]).toEqual(['p.shop.orders']);
    expect([...(states?.byView.keys() ?? [])]).toEqual(['p.logs.orders']);
  });

  it('has another state than a table of its name with the same text for a state', () => {
    const one = new Map([['p.shop.orders', 'x']]);
    const other = new Map([['p.logs.orders', 'x']]);
    const digestOf = (byTable: Map<string, string>, byView: Map<string, string>) =>
      stateOf({ askedAtMs: 1, byTable, byView }, { table: 'orders' });
    expect(digestOf(one, other)).toMatch(/^[0-9a-f]{64}$/);
    expect(digestOf(other, one)).toBeUndefined();
    expect(digestOf(new Map([...one, ...other]), new Map())).toBeUndefined();
  });
});

it('the partitions that cannot be read are told once, and their tables described instead', async () => {
  const log = new FakeLog();
  const world = { partitions: new Error('denied'), tables: { 'logs.sales': TABLE } };
  const tables = ['p.logs.sales', 'p.logs.events_*'];
  const states = await ask(world, tables, [], undefined, undefined, log);
  expect([...(states?.byTable.keys() ?? [])]).toEqual(['p.logs.sales']);
  expect(log.lines.map(({ fields }) => [fields.table, fields.error])).toEqual([
    ['p.logs', 'Error: denied'],
  ]);
});

it('the partitions of what is not a table say nothing of its rows', async () => {
  const listed = { isPartitioned: true, digest: 'a', listed: '20261120:0123' };
  const world = {
    partitions: { sales: listed, summed: listed },
    tables: { 'logs.sales': TABLE, 'logs.summed': { ...TABLE, type: 'MATERIALIZED_VIEW' } },
  };
  const states = await ask(world, ['p.logs.sales', 'p.logs.summed'], [], '20261101');
  expect([...(states?.partitions?.keys() ?? [])]).toEqual(['p.logs.sales']);
});

it.each([
  ['AT', 'at', undefined],
  [undefined, 'at', 'table.json says at, and BigQuery no column.'],
  ['sent', 'at', 'table.json says at, and BigQuery sent.'],
])('the partitions by %s are listed only if table.json says %s', async (real, stated, error) => {
  const listed = { isPartitioned: true, digest: 'a', listed: '20261120:0123' };
  const sales = { ...TABLE, ...(real && { partitionColumn: real }) };
  const log = new FakeLog();
  const world = {
    partitions: { sales: listed, orders: listed },
    tables: { 'logs.sales': sales, 'logs.orders': TABLE },
  };
  const tables = ['p.logs.sales', 'p.logs.orders'];
  const states = await ask(world, tables, [], '20261101', [['p.logs.sales', stated]], log);
  expect([...(states?.byTable.keys() ?? [])]).toEqual(tables);
  expect(states?.partitions?.has('p.logs.sales')).toBe(error === undefined);
  expect(states?.partitions?.has('p.logs.orders')).toBe(true);
  expect(log.lines.map(({ fields }) => fields.error)).toEqual(error ? [`Error: ${error}`] : []);
});

describe('shards without partitions', () => {
  const before: World = {
    partitions: { events_1: { digest: 'a' }, events_2: { digest: 'b' } },
    tables: { 'web.events_1': TABLE, 'web.events_2': TABLE },
  };
  const state = async (world: World) =>
    stateOf(await ask(world, ['p.web.events_*']), { dataset: 'web', table: 'events_*' });

  it('have changed if rows left the streaming buffer after the partitions were read', async () => {
    // The partitions do not show the flushed rows yet, and the table no longer has a buffer.
    const flushed = { ...before.tables, 'web.events_2': { ...TABLE, rows: '2', bytes: '16' } };
    const first = await state(before);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await state({ ...before, tables: flushed })).not.toBe(first);
    expect(await state(before)).toBe(first);
  });

  it.each(
    Object.entries<Partial<World>>({
      'the time of a table alone is another': {
        tables: { ...before.tables, 'web.events_1': { ...TABLE, modified: '2' } },
      },
      'the partitions alone are others': {
        partitions: { ...before.partitions, events_1: { digest: 'c' } },
      },
      'two shards have the state of each other': {
        partitions: { events_1: { digest: 'b' }, events_2: { digest: 'a' } },
      },
      'a shard was removed after the partitions were read': { tables: { 'web.events_1': TABLE } },
    }),
  )('have changed if %s', async (_, change) => {
    expect(await state({ ...before, ...change })).not.toBe(await state(before));
  });
});

it.each([
  ['logs', 'p.logs.t', { datasetId: 'logs' }],
  ['other.logs', 'other.logs.t', { datasetId: 'logs', projectId: 'other' }],
  [
    'example.com:proj.ds',
    'example.com:proj.ds.t',
    { datasetId: 'ds', projectId: 'example.com:proj' },
  ],
])('reads the dataset %s in one way for queries and tables', (dataset, table, defaultDataset) => {
  expect(placesOf({ table: 't' }, { ...PLACES, dataset }).table).toBe(table);
  expect(queryConfiguration({ sql: 'SELECT 1', parameters: {} }, dataset)).toMatchObject({
    defaultDataset,
  });
});
