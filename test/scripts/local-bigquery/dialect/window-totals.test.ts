// Totals over a window are those that the engine computes from a WINDOW clause, which is left to it.
import fc from 'fast-check';
import { columns } from '../../../support/sql/columns.ts';
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import { testBigQuery } from '../rest/local-bigquery.ts';

const rows = Array.from({ length: 400 }, (_, id) => ({
  id,
  y: id % 11 === 0 ? null : (id * 37) % 150,
  p: [null, 'a', 'b', 'b'][id % 4],
  x: id % 5 === 0 ? null : ((id * 7919) % 64) - 32,
  f: ((id * 31) % 16) / 4,
  d: `2026-11-${String(1 + (id % 28)).padStart(2, '0')}`,
}));
const fields = columns('id INTEGER, y INTEGER, p STRING, x INTEGER, f FLOAT, d DATE');
const bigquery = await testBigQuery({ tables: [{ name: 't', fields, rows }] });

const { rows: queries = [] } = readExpectations(
  'test/scripts/local-bigquery/dialect/window-totals.sql',
);

const call = fc.constantFrom(
  ...['COUNT(*)', 'COUNT(x)', 'SUM(x)', 'AVG(x)', 'MIN(x)', 'MAX(d)', 'SUM(f)', 'COUNTIF(x > 0)'],
  ...['MAX(p)', 'LOGICAL_OR(x > 20)', 'LOGICAL_AND(f > 0)', 'BIT_XOR(x)', 'SUM(IF(p = "a", y, 0))'],
);
const partition = fc.constantFrom(
  '',
  'PARTITION BY p',
  'PARTITION BY p, MOD(id, 2)',
  'PARTITION BY d',
);
const order = fc.constantFrom(
  ...['', 'ORDER BY y', 'ORDER BY y DESC, d', 'ORDER BY y DESC NULLS FIRST', 'ORDER BY d, p DESC'],
  ...[
    'ORDER BY y ROWS UNBOUNDED PRECEDING',
    'ORDER BY id ROWS UNBOUNDED PRECEDING',
    'ORDER BY id ROWS 6 PRECEDING',
  ],
  'ORDER BY y RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
  'ORDER BY y ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING',
  'ORDER BY id DESC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
);
const source = fc.constantFrom(
  'FROM t',
  'FROM t AS t WHERE t.x > -10 OR p IS NULL',
  'FROM (SELECT * FROM t WHERE id < 5)',
  'FROM w WHERE y < 70',
  'FROM t WHERE FALSE',
);

it('any call, window and source', async () => {
  const asked = fc.record({ call, partition, order, source });
  const law = fc.asyncProperty(asked, async (given) => {
    const spec = `(${given.partition} ${given.order})`;
    const query = (over: string, clause: string) =>
      `WITH w AS (SELECT * FROM t WHERE f < 3) SELECT id, ${given.call} ${over} AS total ${given.source} ${clause} ORDER BY id`;
    const [own, engine] = await Promise.all([
      bigquery.cells(query(`OVER ${spec}`, '')),
      bigquery.cells(query('OVER s', `WINDOW s AS ${spec}`)),
    ]);
    const rounded = (cells: unknown[][]) =>
      cells.map(([id, total]) => [
        id,
        given.call === 'AVG(x)' && total ? Number(total).toFixed(9) : total,
      ]);
    expect(rounded(own)).toEqual(rounded(engine));
  });
  await fc.assert(law, { seed: 20261127, numRuns: 40 });
});

it.each(queries)('%s', async (query, expected) => {
  expect(await bigquery.cells(query)).toEqual(JSON.parse(expected));
});
