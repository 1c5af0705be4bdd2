// Tests over HTTP that an absent array is an empty one in every place of a query, although BigQuery binds NULL.
import { withEmptyArrays } from '../scripts/lexer/empty-arrays.ts';
import { casesBeside } from './support/cases.ts';
import { columns } from './support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from './support/sql/fake-sql-tree.ts';
import { startService } from './support/world.ts';

const cases = casesBeside(import.meta.filename);

const PARAMETERS = {
  shops: parameter({ type: 'ARRAY<STRING>' }),
  days: parameter({ type: 'ARRAY<DATE>', example: '2026-11-01' }),
  // A call with `numbers=` has none.
  numbers: parameter({ type: 'ARRAY<INT64>', example: '1', default: '7' }),
};
const NO_SHOPS = 'FROM sales WHERE (ARRAY_LENGTH(@shops) = 0 OR shop IN UNNEST(@shops))';
/** Each gives the id of every row if the three arrays are empty. */
const QUERIES = cases<string>('queries');
const WARM = `SELECT k.key, id FROM sales JOIN UNNEST(@keys) AS k
  ON (ARRAY_LENGTH(k.shops) = 0 OR shop IN UNNEST(k.shops)) AND ARRAY_LENGTH(@days) = 0
  ORDER BY key, id`;

const rows = [1, 2, 3].map((id) => ({ id, shop: `shop ${id}` }));
const tables = [{ name: 'sales', fields: columns('id INT64, shop STRING'), rows }];
const tree = new FakeSqlTree().write(
  'routines/is_empty.sql',
  'CREATE TEMP FUNCTION is_empty(list ARRAY<DATE>) AS (ARRAY_LENGTH(list) = 0);',
);
function add(name: string, query: string, more: object = {}, warm?: string): void {
  const id = `11111111-2222-4333-8444-${Buffer.from(name).toString('hex').slice(-12).padStart(12, '0')}`;
  const used = Object.entries(PARAMETERS).filter(([one]) =>
    query.replace('`', '').includes(`@${one}`),
  );
  const definition = { id, name: `a.${name}`, parameters: Object.fromEntries(used) };
  tree.endpoint({ ...definition, row: rowOf('id INT64'), ...more }, query, warm);
}
QUERIES.forEach((query, index) => add(`query-${index + 10}`, query));
add(
  'batch',
  `SELECT id ${NO_SHOPS} AND ARRAY_LENGTH(@days) = 0 ORDER BY id`,
  { warming: { batchOver: ['shops'], maxKeys: 9 } },
  WARM,
);

const catalogue = tree.catalogue();
const service = await startService({ tables, catalogue, memoryCacheSeconds: 0 });

async function ids(path: string): Promise<unknown> {
  const body = (await service.ask(path)).body as { result?: { id: number }[] };
  return body.result?.map(({ id }) => id).sort() ?? body;
}

it('a batch of warming gives what query.sql gives', async () => {
  const [all, one] = ['a.batch', 'a.batch?shops=shop+2'];
  expect([await ids(all), await ids(one)]).toEqual([[1, 2, 3], [2]]);
  service.clock.advance(301_000);
  expect(await service.warm.run()).toMatchObject({ refreshed: 2, jobs: 1, failed: [] });
  expect([await ids(all), await ids(one)]).toEqual([[1, 2, 3], [2]]);
});

it.each([...QUERIES.entries()])('%i: %s', async (index) => {
  expect(await ids(`a.query-${index + 10}?numbers=`)).toEqual([1, 2, 3]);
});

it.each(cases<[string, string?]>('texts'))('%s becomes %s', (text, expected = text) => {
  const [TEXTS, NUMBERS] = [new Map([['ids', 'ARRAY<STRING>']]), new Map([['n', 'ARRAY<INT64>']])];
  expect(withEmptyArrays(text, TEXTS, NUMBERS)).toBe(expected);
});
