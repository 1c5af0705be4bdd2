// A query over more rows than the engine takes at once gives all rows, or says of which tables it read the newest alone.
import fc from 'fast-check';
import type { CutTable } from '../../../../scripts/local-bigquery/rest/large-tables.ts';
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import { columns } from '../../../support/sql/columns.ts';
import { testBigQuery } from './local-bigquery.ts';

const START_MS = Date.parse('2026-11-11T00:00:00Z');
const DAY_MS = 86_400_000;

/** Ten days of 120 rows each: the third is NULL here and there, and the tags repeat. */
const rows = Array.from({ length: 1200 }, (_, id) => ({
  ts: new Date(START_MS + (id * DAY_MS) / 120).toISOString(),
  id,
  level: [null, 'info', 'warn', 'Warn', 'error'][id % 5],
  ms: id % 7 === 0 ? null : ((id * 7919) % 1000) / 8,
  tags: id % 3 === 0 ? [] : [`t${id % 4}`, 'all'],
}));
const events = {
  name: 'events',
  fields: columns('ts TIMESTAMP, id INTEGER, level STRING, ms FLOAT, tags STRING REPEATED'),
  definition: { ...PLAIN_TABLE, partitioning: { type: 'DAY', field: 'ts' } as const },
  rows,
};
const levels = {
  name: 'levels',
  fields: columns('level STRING, rank INTEGER'),
  rows: [
    { level: 'info', rank: 1 },
    { level: 'warn', rank: 2 },
  ],
};
const tables = [events, levels];
const cuts: CutTable[] = [];
const whole = await testBigQuery({ tables });
const inParts = await testBigQuery({ tables, bytesMax: 6000, onCut: (cut) => cuts.push(cut) });
beforeEach(() => void cuts.splice(0));

const plain = [
  "SELECT COUNT(*), MIN(id), MAX(id) FROM events WHERE DATE(ts) = '2026-11-12'",
  "SELECT id FROM events WHERE ts >= TIMESTAMP '2026-11-20 23:00:00' ORDER BY id",
  'SELECT level, COUNT(*) AS n FROM events GROUP BY level ORDER BY n DESC, level LIMIT 3',
  'SELECT LOWER(level) AS level, COUNT(ms) FROM events GROUP BY level ORDER BY level',
  'SELECT LOWER(level) AS l, SUM(id) FROM events GROUP BY LOWER(level) HAVING LOWER(level) > "f" ORDER BY 1',
  'SELECT COUNT(DISTINCT level), COUNT(DISTINCT MOD(id, 9)), SUM(DISTINCT MOD(id, 5)), COUNT(*) FROM events',
  'SELECT APPROX_COUNT_DISTINCT(level), LOGICAL_OR(ms > 900), LOGICAL_AND(ms > 0), BIT_XOR(id) FROM events',
  'SELECT DISTINCT UPPER(level) AS u, MOD(id, 2) AS m FROM events ORDER BY u, m',
  'SELECT day, SUM(n) OVER (ORDER BY day ROWS 6 PRECEDING) FROM (SELECT DATE(ts) AS day, COUNT(*) AS n FROM events GROUP BY day) ORDER BY day',
  'SELECT level, SUM(COUNT(*)) OVER (ORDER BY level) FROM events GROUP BY level QUALIFY RANK() OVER (ORDER BY COUNT(*)) < 9 ORDER BY level',
  'SELECT level, ANY_VALUE(LOWER(level)) FROM events GROUP BY level ORDER BY level',
  'WITH e AS (SELECT DATE(ts) AS day, ms FROM events WHERE level != "info") SELECT day, COUNT(*), MAX(ms) FROM e GROUP BY day ORDER BY day',
  'WITH e AS (SELECT level FROM events), n AS (SELECT level, COUNT(*) AS c FROM e GROUP BY level) SELECT a.c, b.c AS d FROM n AS a JOIN n AS b USING (level) ORDER BY 1, 2',
  'SELECT tag, COUNT(*) FROM events CROSS JOIN UNNEST(tags) AS tag GROUP BY tag ORDER BY tag',
  'SELECT COUNT(*) FROM (SELECT id, tag FROM events, UNNEST(tags) AS tag WHERE id > 9) WHERE tag = "all"',
  'SELECT rank, COUNT(*) FROM events AS e JOIN levels AS l ON l.level = e.level GROUP BY rank ORDER BY rank',
  'SELECT e.level, COUNT(l.rank) FROM events AS e LEFT JOIN levels AS l USING (level) GROUP BY e.level ORDER BY 1',
  'SELECT level FROM levels WHERE level IN (SELECT level FROM events WHERE id > 1190) ORDER BY level',
  'SELECT id FROM events WHERE id < 5 UNION ALL SELECT COUNT(*) FROM events ORDER BY 1',
  // A name of SELECT hides a column there alone, and windows come before DISTINCT.
  'SELECT LOWER(level) AS level, COUNT(*) FROM events GROUP BY level HAVING COUNT(*) > 1 ORDER BY COUNT(*), level',
  'SELECT level, e.level AS l2, COUNT(*) FROM events AS e, UNNEST(e.tags) AS level WHERE id < 60 GROUP BY level, e.level ORDER BY 1, 2',
  'SELECT LOWER(level) AS level, COUNT(*) FROM events WHERE id < 99 GROUP BY level HAVING MIN(level) > "f" ORDER BY 1',
  'SELECT MOD(id, 10) AS id, COUNT(*) AS n FROM events WHERE id < 99 GROUP BY id HAVING MAX(id) > 90',
  'SELECT DISTINCT level FROM events WHERE id < 99 QUALIFY COUNT(*) OVER (PARTITION BY level) > 9 ORDER BY level',
  'SELECT COUNT(DISTINCT level), COUNT(*), COUNTIF(id > 1) FROM events WHERE id < 0',
  'SELECT id, ms FROM events WHERE level = "error" AND id BETWEEN 100 AND 150 ORDER BY ms',
  'SELECT APPROX_QUANTILES(ms, 4)[OFFSET(2)] FROM events WHERE id BETWEEN 20 AND 60',
  'SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) FROM events WHERE MOD(id, 40) = 0 ORDER BY id',
  'SELECT a.id FROM events AS a JOIN events AS b ON a.id = b.id + 1 WHERE a.id < 9 AND b.id < 7 ORDER BY 1',
  // `level` is a value of the list there, and no column.
  'SELECT APPROX_QUANTILES(id, 2)[OFFSET(1)] FROM events AS e, UNNEST(e.tags) AS level WHERE level = "t2" AND id < 200',
];

it.each(plain)('all rows are read: %s', async (query) => {
  expect(await inParts.cells(query)).toEqual(await whole.cells(query));
  expect(cuts).toEqual([]);
});

const key = fc.constantFrom(
  ...['level', 'e.level', 'LOWER(level)', 'MOD(id, 4)', 'DATE(e.ts)', 'id > 300', 'ms > 50'],
);
const value = fc.constantFrom(
  'MOD(id, 10)',
  'MOD(e.id, 7) - 3',
  'IF(level = "info", MOD(id, 6), NULL)',
);
const call = fc
  .tuple(fc.constantFrom('COUNT', 'SUM', 'AVG', 'MIN', 'MAX', 'BIT_OR'), value)
  // The engine's own AVG rounds after each row.
  .map(([name, of]) => (name === 'AVG' ? `CAST(1e9 * AVG(${of}) AS INT64)` : `${name}(${of})`));
const distinct = fc.constantFrom('', 'COUNT(DISTINCT MOD(id, 3))', 'SUM(DISTINCT MOD(id, 3))');
const filter = fc.constantFrom(
  ...['TRUE', 'id > 250', 'level != "warn"', 'ms IS NULL', 'e.ts < "2026-11-15" OR id = 500'],
);

it('a query with random keys, aggregates and filters gives what it gives over all rows at once', async () => {
  const asked = fc.record({
    keys: fc.uniqueArray(key, { maxLength: 2 }),
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    distinct,
    filter,
  });
  const law = fc.asyncProperty(asked, async (given) => {
    cuts.splice(0);
    const all = [...given.keys, ...given.calls, given.distinct || '1'];
    const items = all.map((item, index) => `${item} AS c${index}`);
    const group = given.keys.length > 0 ? `GROUP BY ${given.keys.join(', ')}` : '';
    const query = `SELECT ${items.join(', ')} FROM events AS e WHERE ${given.filter} ${group} ORDER BY ${items.map((_, index) => index + 1).join(', ')}`;
    expect(await inParts.cells(query)).toEqual(await whole.cells(query));
    expect(cuts).toEqual([]);
  });
  await fc.assert(law, { seed: 20261127, numRuns: 20 });
});

it.each([
  ['SELECT APPROX_QUANTILES(id, 2)[OFFSET(0)], COUNT(*) FROM events', 'events'],
  ['SELECT COUNT(*) FROM events AS a JOIN events AS b USING (id)', 'events'],
  ['SELECT * FROM events ORDER BY ts DESC LIMIT 5', 'events'],
  [
    'WITH e AS (SELECT id, RAND() AS r FROM events) SELECT COUNTIF(a.r = b.r) FROM e AS a JOIN e AS b USING (id)',
    'events',
  ],
  [
    'SELECT COUNT(*) FROM levels AS l LEFT JOIN events AS e ON e.id = l.rank AND e.ms IS NULL',
    'events',
  ],
  ['SELECT id FROM events WHERE id > (SELECT AVG(id) + RAND() FROM events)', 'events'],
  ['CREATE TEMP FUNCTION n() AS ((SELECT COUNT(*) FROM events)); SELECT n()', 'events'],
])('%s reads the newest rows, and says so', async (query, table) => {
  await inParts.cells(query);
  expect(cuts).toEqual([
    { table: `logs.${table}`, rowsRead: expect.any(Number) as number, rows: 1200 },
  ]);
});
