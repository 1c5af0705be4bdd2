// Tests over HTTP that an absent array is an empty one in every place of a query, although BigQuery binds NULL.
import { withEmptyArrays } from '../scripts/lexer/empty-arrays.ts';
import { casesBeside } from './support/cases.ts';
import { columns } from './support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from './support/sql/fake-sql-tree.ts';
import { startService } from './support/world.ts';

const cases = casesBeside(import.meta.filename);

const rows = [1, 2, 3].map((id) => ({ id, shop: `shop ${id}` }));
const settings = {
  tables: [{ name: 'sales', fields: columns('id INT64, shop STRING'), rows }],
  memoryCacheSeconds: 0,
};
const shops = parameter({ type: 'ARRAY<STRING>' });
const days = parameter({ type: 'ARRAY<DATE>', example: '2026-11-01' });
const row = rowOf('id INT64');

const idsOf = ({ body }: { body: { result?: { id: number }[] } }): unknown =>
  body.result?.map(({ id }) => id).sort() ?? body;

it('a batch of warming gives what query.sql gives', async () => {
  const catalogue = new FakeSqlTree()
    .endpoint(
      { parameters: { shops, days }, row, warming: { batchOver: ['shops'], maxKeys: 9 } },
      `SELECT id FROM sales WHERE (ARRAY_LENGTH(@shops) = 0 OR shop IN UNNEST(@shops))
        AND ARRAY_LENGTH(@days) = 0 ORDER BY id`,
      `SELECT k.key, id FROM sales JOIN UNNEST(@keys) AS k
        ON (ARRAY_LENGTH(k.shops) = 0 OR shop IN UNNEST(k.shops)) AND ARRAY_LENGTH(@days) = 0
        ORDER BY key, id`,
    )
    .catalogue();
  const { ask, clock, warm } = await startService({ ...settings, catalogue });
  const read = async () => [
    idsOf(await ask('group.example')),
    idsOf(await ask('group.example?shops=shop+2')),
  ];
  expect(await read()).toEqual([[1, 2, 3], [2]]);
  clock.advance(301_000);
  expect(await warm.run()).toMatchObject({ refreshed: 2, jobs: 1, failed: [] });
  expect(await read()).toEqual([[1, 2, 3], [2]]);
});

const tree = new FakeSqlTree().write(
  'routines/is_empty.sql',
  'CREATE TEMP FUNCTION is_empty(list ARRAY<DATE>) AS (ARRAY_LENGTH(list) = 0);',
);
/** Each gives the id of every row if the three arrays are empty. */
const QUERIES = cases<string>('queries');
for (const [index, query] of QUERIES.entries()) {
  // A call with `numbers=` has none.
  const numbers = parameter({ type: 'ARRAY<INT64>', example: '1', default: '7' });
  const used = Object.entries({ shops, days, numbers }).filter(([name]) =>
    query.replace('`', '').includes(`@${name}`),
  );
  tree.endpoint({ name: `a.query-${index}`, parameters: Object.fromEntries(used), row }, query);
}
const { ask } = await startService({ ...settings, catalogue: tree.catalogue() });

it.each([...QUERIES.entries()])('%i: %s', async (index) => {
  expect(idsOf(await ask(`a.query-${index}?numbers=`))).toEqual([1, 2, 3]);
});

it.each(cases<[string, string?]>('texts'))('%s becomes %s', (text, expected = text) => {
  const [TEXTS, NUMBERS] = [new Map([['ids', 'ARRAY<STRING>']]), new Map([['n', 'ARRAY<INT64>']])];
  expect(withEmptyArrays(text, TEXTS, NUMBERS)).toBe(expected);
});
