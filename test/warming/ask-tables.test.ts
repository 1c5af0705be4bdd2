// Tests that what a run learns of the tables is of one time, and that a fact of one kind is never taken for another.
import type { QueryRequest, TableMetadata } from '../../functions/core/query-runner.ts';
import type { SourceStates } from '../../functions/core/result-store.ts';
import { queryConfiguration } from '../../functions/bigquery/query-configuration.ts';
import { placesOf, sourceState } from '../../functions/cache/source-state.ts';
import { type Question, createAsk } from '../../functions/warming/ask-tables.ts';
import { casesBeside } from '../support/cases.ts';
import { FakeClock } from '../support/clock.ts';
import { FakeLog } from '../support/fakes/fake-log.ts';
import { queryResult, wireRow } from '../support/fakes/fake-query-runner.ts';

const cases = casesBeside(import.meta.filename);

/** What a run learns of a world in which BigQuery says this. */
async function ask(
  world: {
    /** The columns of PARTITIONS by table, null if it may not be read. */
    partitions: Record<string, (string | undefined)[]> | null;
    /** By `dataset.table`, what differs from one with a row. */
    tables: Record<string, Partial<TableMetadata>>;
  },
  question: Omit<Question, 'untilMs'>,
  log = new FakeLog(),
) {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const run = async ({ sql, parameters, onPage }: QueryRequest) => {
    const { names = [] } = parameters as { names?: string[] };
    const isPrefix = sql.includes('STARTS_WITH');
    const isIn = (table: string): boolean =>
      names.some((name) => (isPrefix ? table.startsWith(name) : table === name));
    const asks = sql.includes('PARTITIONS');
    if (asks && world.partitions === null) throw new Error('denied');
    const listed = Object.entries(world.partitions ?? {}).filter(([table]) => isIn(table));
    const rows = asks ? listed.map(([table, of]) => [table, ...of]) : [['1763632800000000']];
    await onPage({ schema: [], rows: rows.map((row) => wireRow(...row)), jobId: 'j' });
    return queryResult();
  };
  const asking = createAsk({
    ...{ queryRunner: { run }, clock, log },
    describeTable({ dataset, table }) {
      const usual = { type: 'TABLE', rows: '1', bytes: '8', modified: '1', isStreaming: false };
      const found = world.tables[`${dataset}.${table}`];
      if (found === undefined) return Promise.reject(new Error('Not found'));
      return Promise.resolve({ ...usual, ...found });
    },
  });
  return (await asking({ ...question, untilMs: clock.nowMs() + 60_000 })).states;
}

function stateOf(
  states: SourceStates | undefined,
  ...sources: { dataset?: string; table: string }[]
): string | undefined {
  const sourceTables = new Map([['orders', 'p.shop.orders']]);
  const places = { project: 'p', dataset: 'logs', sourceTables };
  return sourceState({ dependsOn: { sources, clocks: [] } }, states, places)?.digest;
}

type World = Parameters<typeof ask>[0];

it.each(cases<[string, World, Omit<Question, 'untilMs'>, Record<string, unknown[]>]>('known'))(
  '%s',
  // Whose states, and whose partitions, are known, and which errors are told of which tables.
  async (_name, world, question, { byTable, partitions = [], told = [] }) => {
    const log = new FakeLog();
    const states = await ask(world, question, log);
    expect([...(states?.byTable.keys() ?? [])]).toEqual(byTable);
    expect([...(states?.partitions?.keys() ?? [])]).toEqual(partitions);
    expect(log.lines.map(({ fields }) => [fields.table, fields.error])).toEqual(told);
  },
);

it('a view that another source names as a table has no known state, though its definition is known', async () => {
  const tables = { 'logs.orders': { type: 'VIEW', rows: '', bytes: '' }, 'shop.orders': {} };
  const world = { partitions: { orders: ['false', 'false', 'rows'] }, tables };
  // `orders` is the view p.logs.orders of p.shop.orders, and `logs.orders` names the same view.
  const asked = { tables: ['p.shop.orders', 'p.logs.orders'], views: ['p.logs.orders'] };
  const states = await ask(world, asked);
  const ofTable = { dataset: 'logs', table: 'orders' };
  expect(stateOf(states, { table: 'orders' })).toMatch(/^[0-9a-f]{64}$/);
  expect(stateOf(states, ofTable)).toBeUndefined();
  expect(stateOf(states, { table: 'orders' }, ofTable)).toBeUndefined();
  expect([...(states?.byTable.keys() ?? [])]).toEqual(['p.shop.orders']);
  expect([...(states?.byView.keys() ?? [])]).toEqual(['p.logs.orders']);
});

it('a view has another state than a table of its name with the same text for a state', () => {
  const one = new Map([['p.shop.orders', 'x']]);
  const other = new Map([['p.logs.orders', 'x']]);
  const digestOf = (byTable: Map<string, string>, byView: Map<string, string>) =>
    stateOf({ askedAtMs: 1, byTable, byView }, { table: 'orders' });
  expect(digestOf(one, other)).toMatch(/^[0-9a-f]{64}$/);
  expect(digestOf(other, one)).toBeUndefined();
  expect(digestOf(new Map([...one, ...other]), new Map())).toBeUndefined();
});

it.each(cases<[string, Partial<World>, boolean?]>('shards'))(
  'shards without partitions have changed if %s',
  async (_name, change, isChanged = true) => {
    const before = {
      partitions: { events_1: ['false', 'false', 'a'], events_2: ['false', 'false', 'b'] },
      tables: { 'web.events_1': {}, 'web.events_2': {} },
    };
    const state = async (world: World) =>
      stateOf(await ask(world, { tables: ['p.web.events_*'] }), {
        ...{ dataset: 'web', table: 'events_*' },
      });
    const first = await state(before);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect((await state({ ...before, ...change })) !== first).toBe(isChanged);
  },
);

it.each([
  ['logs', 'p.logs.t', { datasetId: 'logs' }],
  ['other.logs', 'other.logs.t', { datasetId: 'logs', projectId: 'other' }],
  [
    'example.com:proj.ds',
    'example.com:proj.ds.t',
    { datasetId: 'ds', projectId: 'example.com:proj' },
  ],
])('reads the dataset %s in one way for queries and tables', (dataset, table, defaultDataset) => {
  expect(placesOf({ table: 't' }, { project: 'p', dataset, sourceTables: new Map() }).table).toBe(
    table,
  );
  expect(queryConfiguration({ sql: 'SELECT 1', parameters: {} }, dataset)).toMatchObject({
    defaultDataset,
  });
});
