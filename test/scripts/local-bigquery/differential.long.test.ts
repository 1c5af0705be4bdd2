// Each rewrite of the local BigQuery against the same query written by hand in plain GoogleSQL, over random rows.
// More than in CI, at once: DIFFERENTIAL_QUERIES=200 npm run test:long -- differential
import fc from 'fast-check';
import { columns } from '../../support/sql/columns.ts';
import { testBigQuery } from './rest/local-bigquery.ts';
import { runCase } from './conformance/run-case.ts';

const SEED = 20261122;
const QUERIES = Number(process.env['DIFFERENTIAL_QUERIES'] ?? 10);

interface Pair {
  sql: string;
  plain: string;
}

/** Rows of t(a INT64, b STRING, s STRUCT<a, b>), with NULLs and duplicates. */
const row = fc.record({
  a: fc.option(fc.integer({ min: -2, max: 4 }), { freq: 4 }),
  b: fc.option(fc.constantFrom('x', 'X', 'y', 'z', ''), { freq: 4 }),
});
const rows = fc.array(row, { maxLength: 12 });

function tableOf(found: readonly { a: number | null; b: string | null }[]): string {
  const values = found.map(({ a, b }) => {
    const [number, text] = [a ?? 'NULL', b === null ? 'NULL' : `'${b}'`];
    return `, (${number}, ${text}, STRUCT<a INT64, b STRING>(${number}, ${text}))`;
  });
  return `(SELECT * FROM UNNEST(ARRAY<STRUCT<a INT64, b STRING, s STRUCT<a INT64, b STRING>>>[${values.join('').slice(2)}]))`;
}

const number = fc.constantFrom(
  'a',
  't.a',
  's.a',
  't.s.a',
  'a + 1',
  'IFNULL(t.a, 0)',
  'a * 2 + s.a',
);
const text = fc.constantFrom(
  'b',
  't.b',
  'UPPER(b)',
  'UPPER(t.s.b)',
  "CONCAT(b, '-', IFNULL(s.b, ''))",
);
const key = fc.oneof(
  number,
  text,
  fc.constantFrom("CASE WHEN a > 1 THEN 'many' ELSE b END", 'a > 1', "b = 'x' OR a = 1"),
);
const filter = fc.constantFrom('TRUE', 'a > 0', "b != 'x'", 's.a IS NOT NULL', 'FALSE');

/** A query by its rewrite: how BigQuery's users write it, and in plain GoogleSQL. */
const families: Record<string, (tables: [string, string]) => fc.Arbitrary<Pair>> = {
  'an expression of GROUP BY': ([t]) =>
    fc.record({ key, other: number, filter }).map((given) => ({
      sql: `SELECT ${given.key} AS k, COUNT(*) AS n, SUM(${given.other}) AS total, TO_JSON_STRING(${given.key}) AS shown,
        RANK() OVER (ORDER BY COUNT(*), TO_JSON_STRING(${given.key})) AS place
        FROM ${t} AS t WHERE ${given.filter} GROUP BY ${given.key} HAVING (${given.key}) IS NOT NULL OR COUNT(*) > 1 ORDER BY ${given.key}`,
      plain: `SELECT k, n, total, TO_JSON_STRING(k), RANK() OVER (ORDER BY n, TO_JSON_STRING(k)) FROM (
        SELECT k, COUNT(*) AS n, SUM(v) AS total FROM (SELECT ${given.key} AS k, ${given.other} AS v FROM ${t} AS t WHERE ${given.filter}) GROUP BY k)
        WHERE k IS NOT NULL OR n > 1`,
    })),
  ROLLUP: ([t]) =>
    fc.record({ one: number, two: text, filter }).map((given) => ({
      sql: `SELECT ${given.one} AS i, ${given.two} AS j, GROUPING(${given.one}) AS g, COUNT(*) AS n FROM ${t} AS t WHERE ${given.filter}
        GROUP BY ROLLUP (${given.one}, ${given.two}) HAVING COUNT(*) > 0 ORDER BY n, i, j`,
      plain: `WITH r AS (SELECT ${given.one} AS i, ${given.two} AS j FROM ${t} AS t WHERE ${given.filter})
        SELECT i, j, 0, COUNT(*) FROM r GROUP BY i, j UNION ALL SELECT i, NULL, 0, COUNT(*) FROM r GROUP BY i
        UNION ALL SELECT * FROM (SELECT CAST(NULL AS INT64), CAST(NULL AS STRING), 1, COUNT(*) AS n FROM r) WHERE n > 0`,
    })),
  'CUBE and GROUPING SETS': ([t]) =>
    fc
      .record({ one: number, two: text, filter, isCube: fc.boolean() })
      .map(({ isCube, ...given }) => ({
        sql: `SELECT ${given.one} AS i, ${given.two} AS j, COUNT(a) AS n FROM ${t} AS t WHERE ${given.filter}
        GROUP BY ${isCube ? `CUBE (${given.one}, ${given.two})` : `GROUPING SETS ((i, j), ${given.one}, 2, ())`} HAVING COUNT(*) > 0`,
        plain: `WITH r AS (SELECT ${given.one} AS i, ${given.two} AS j, a FROM ${t} AS t WHERE ${given.filter})
        SELECT i, j, COUNT(a) FROM r GROUP BY i, j UNION ALL SELECT i, NULL, COUNT(a) FROM r GROUP BY i UNION ALL SELECT NULL, j, COUNT(a) FROM r GROUP BY j
        UNION ALL SELECT i, j, n FROM (SELECT CAST(NULL AS INT64) AS i, CAST(NULL AS STRING) AS j, COUNT(a) AS n, COUNT(*) AS m FROM r) WHERE m > 0`,
      })),
  'IN a subquery': ([t, u]) =>
    fc.record({ number, text, isText: fc.boolean(), not: fc.boolean(), filter }).map((given) => {
      const x = given.isText ? given.text : given.number;
      return {
        sql: `SELECT i, a, b, ${x} ${given.not ? 'NOT ' : ''}IN (SELECT ${x} FROM ${u} AS t WHERE ${given.filter}) FROM
          (SELECT *, ROW_NUMBER() OVER () AS i FROM ${t} AS t) AS t`,
        plain: `SELECT i, ANY_VALUE(a HAVING MAX a IS NOT NULL), ANY_VALUE(b HAVING MAX b IS NOT NULL), ${given.not ? 'NOT ' : ''}CASE
            WHEN LOGICAL_OR(x = y) THEN TRUE WHEN COUNTIF(found AND (x = y) IS NULL) > 0 THEN NULL ELSE FALSE END
          FROM (SELECT *, ${x} AS x, ROW_NUMBER() OVER () AS i FROM ${t} AS t)
          LEFT JOIN (SELECT ${x} AS y, TRUE AS found FROM ${u} AS t WHERE ${given.filter}) ON TRUE GROUP BY i`,
      };
    }),
  'subqueries that are evaluated once': ([t, u]) =>
    fc.record({ number, filter }).map((given) => ({
      sql: `WITH w AS (SELECT * FROM ${u} AS t WHERE ${given.filter}) SELECT a, b, (SELECT MAX(${given.number}) FROM w AS t),
          EXISTS (SELECT 1 FROM w WHERE a > 1), ARRAY_LENGTH(ARRAY(SELECT b FROM w)) FROM ${t} AS t WHERE a < (SELECT MAX(a) FROM w) OR b = 'y'`,
      plain: `SELECT t.a, t.b, m, found, n FROM ${t} AS t CROSS JOIN (SELECT MAX(${given.number}) AS m, COUNTIF(a > 1) > 0 AS found, COUNT(*) AS n, MAX(a) AS most
          FROM ${u} AS t WHERE ${given.filter}) WHERE t.a < most OR t.b = 'y'`,
    })),
  'subqueries of one row outside': ([t, u]) =>
    fc.record({ number, text, isText: fc.boolean(), filter }).map((given) => {
      const x = given.isText ? given.text : given.number;
      const inner = x
        .replace(/\bt\./g, 'v.')
        .replace(/(?<![.\w'])([abs])\b(?!')/g, 'v.$1')
        .replace(/v\.v\./g, 'v.');
      const outer = inner.replace(/v\./g, 'o.');
      return {
        sql: `WITH w AS (SELECT * FROM ${u} AS t WHERE ${given.filter}) SELECT i, (SELECT SUM(v.a) FROM w AS v WHERE v.b = o.b AND ${inner} = ${outer}),
            EXISTS (SELECT 1 FROM w v WHERE v.a > 0 AND ${outer} = ${inner} AND o.s.b = v.b AND v.a >= o.a)
          FROM (SELECT *, ROW_NUMBER() OVER () AS i FROM ${t} AS t) AS o`,
        plain: `SELECT i, SUM(IF(x = y AND v.b = o.b, v.a, NULL)), LOGICAL_OR(IFNULL(v.a > 0 AND x = y AND v.b = o.b AND v.a >= o.a, FALSE)) FROM (SELECT *, ${x} AS x, ROW_NUMBER() OVER () AS i FROM ${t} AS t) AS o
          LEFT JOIN (SELECT *, ${x} AS y FROM ${u} AS t WHERE ${given.filter}) AS v ON TRUE GROUP BY i`,
      };
    }),
  'GROUP BY ALL': ([t]) =>
    fc
      .record({ key, other: number, filter, isFirst: fc.boolean() })
      .map(({ isFirst, ...given }) => {
        const [count, keys] = ['COUNT(*) AS n', `${given.key} AS k, UPPER(b) AS l`];
        return {
          sql: `SELECT ${isFirst ? `${keys}, ${count}` : `${count}, ${keys}`}, SUM(${given.other}) + 1 AS total FROM ${t} AS t WHERE ${given.filter}
          GROUP BY ALL HAVING n > 0 ORDER BY n`,
          plain: `SELECT ${isFirst ? 'k, l, n' : 'n, k, l'}, total FROM (SELECT k, l, COUNT(*) AS n, SUM(v) + 1 AS total FROM (
          SELECT ${keys}, ${given.other} AS v FROM ${t} AS t WHERE ${given.filter}) GROUP BY k, l)`,
        };
      }),
  // Rows of equal order have equal values, so that any value is the one.
  'ANY_VALUE, MAX_BY and MIN_BY': ([t]) =>
    fc.record({ number, lost: fc.integer({ min: -2, max: 8 }), filter }).map((given) => ({
      sql: `SELECT b, ANY_VALUE(NULLIF(y, ${given.lost}) * 10 HAVING MAX y), ANY_VALUE(NULLIF(y, ${given.lost}) HAVING MIN y), MAX_BY(y * 2, y), MIN_BY(y * 2, y),
          ANY_VALUE(y) IS NULL, ANY_VALUE(y) BETWEEN MIN(y) AND MAX(y), ANY_VALUE(b), ANY_VALUE(ANY_VALUE(b)) OVER (PARTITION BY b)
        FROM (SELECT b, ${given.number} AS y FROM ${t} AS t WHERE ${given.filter}) GROUP BY b`,
      plain: `SELECT b, MAX(IF(y = ${given.lost}, NULL, y)) * 10, MIN(IF(y = ${given.lost}, NULL, y)), MAX(y) * 2, MIN(y) * 2,
          COUNT(y) = 0, IF(COUNT(y) = 0, NULL, TRUE), b AS c, b AS d
        FROM (SELECT b, ${given.number} AS y FROM ${t} AS t WHERE ${given.filter}) GROUP BY b`,
    })),
  'approximate aggregates': ([t]) =>
    fc
      .record({ number, parts: fc.integer({ min: 1, max: 12 }), distinct: fc.boolean() })
      .map((given) => {
        const from = `(SELECT b, ${given.number} AS x FROM ${t} AS t)`;
        const of = `(SELECT ${given.distinct ? 'DISTINCT ' : ''}b, x FROM ${from} WHERE x IS NOT NULL)`;
        const place =
          'ROW_NUMBER() OVER (PARTITION BY b ORDER BY x) AS place, COUNT(*) OVER (PARTITION BY b) AS n';
        return {
          sql: `SELECT b, TO_JSON_STRING(q), c, (SELECT SUM(count) FROM UNNEST(top)), h FROM (
            SELECT b, APPROX_QUANTILES(${given.distinct ? 'DISTINCT ' : ''}x, ${given.parts}) AS q, APPROX_COUNT_DISTINCT(x) AS c,
            APPROX_TOP_COUNT(x, 100) AS top, HLL_COUNT.EXTRACT(HLL_COUNT.INIT(x)) AS h FROM ${from} GROUP BY b)`,
          plain: `SELECT b, IFNULL(MAX(quantiles), 'null'), COUNT(DISTINCT x), COUNT(*), COUNT(DISTINCT x) FROM ${from} LEFT JOIN (
            SELECT b AS c, TO_JSON_STRING(ARRAY_AGG(x ORDER BY q)) AS quantiles FROM (SELECT *, ${place} FROM ${of})
            JOIN UNNEST(GENERATE_ARRAY(0, ${given.parts})) AS q ON place = GREATEST(CAST(CEIL(q * n / ${given.parts}) AS INT64), 1) GROUP BY c)
          ON b = c OR b IS NULL AND c IS NULL GROUP BY b`,
        };
      }),
  'routines with queries and aggregates': ([t]) =>
    fc.record({ number, text, filter }).map((given) => ({
      sql: `CREATE TEMP FUNCTION most(x INT64, y INT64) AS ((WITH both AS (SELECT x AS v UNION ALL SELECT y) SELECT MAX(v) FROM both));
        CREATE TEMP AGGREGATE FUNCTION span(x INT64) AS (MAX(x) - MIN(x));
        SELECT ${given.text} AS k, span(most(${given.number}, a)), span(a) + COUNT(*) FROM ${t} AS t WHERE ${given.filter} GROUP BY k`,
      plain: `SELECT k, MAX(v) - MIN(v), MAX(a) - MIN(a) + COUNT(*) FROM (SELECT ${given.text} AS k, a, IF(x IS NULL OR a > x, a, x) AS v
        FROM (SELECT *, ${given.number} AS x FROM ${t} AS t WHERE ${given.filter}) AS t) GROUP BY k`,
    })),
};

/** Operators that may follow each other, and what each makes of the query before it, which has the columns a and b. */
const operators: readonly (readonly [string, (before: string) => string])[] = [
  ['WHERE a > 0', (q) => `SELECT * FROM (${q}) WHERE a > 0`],
  ['SELECT b, IFNULL(a, 7) AS a', (q) => `SELECT b, IFNULL(a, 7) AS a FROM (${q})`],
  ['EXTEND a + 1 AS c |> DROP c', (q) => q],
  ['EXTEND a + 1 AS c |> SET a = c |> DROP c', (q) => `SELECT a + 1 AS a, b FROM (${q})`],
  ['DISTINCT', (q) => `SELECT DISTINCT * FROM (${q})`],
  ['AGGREGATE SUM(a) AS a GROUP BY b', (q) => `SELECT b, SUM(a) AS a FROM (${q}) GROUP BY b`],
  ["UNION ALL (SELECT 1 AS a, 'u' AS b)", (q) => `SELECT a, b FROM (${q}) UNION ALL SELECT 1, 'u'`],
  ['AS z |> WHERE z.b IS NOT NULL', (q) => `SELECT * FROM (${q}) WHERE b IS NOT NULL`],
  [
    'WHERE COUNT(*) OVER (PARTITION BY b) > 1',
    (q) =>
      `SELECT * EXCEPT (n) FROM (SELECT *, COUNT(*) OVER (PARTITION BY b) AS n FROM (${q})) WHERE n > 1`,
  ],
  [
    'JOIN (SELECT 1 AS k) AS j ON a >= k |> SELECT a, b',
    (q) => `SELECT a, b FROM (${q}) WHERE a >= 1`,
  ],
  ['ORDER BY a, b |> LIMIT 3', (q) => `SELECT * FROM (${q}) ORDER BY a, b LIMIT 3`],
];

families['pipe operators'] = ([t]) =>
  fc.array(fc.constantFrom(...operators), { minLength: 1, maxLength: 5 }).map((chosen) => ({
    // The columns in one order, whatever SELECT and UNION have made of it.
    sql: `FROM ${t} AS t |> SELECT a, b ${chosen.map(([text]) => `|> SELECT a, b |> ${text}`).join(' ')} |> SELECT a, b`,
    plain: `SELECT a, b FROM (${chosen.reduce((before, [, of]) => of(`SELECT a, b FROM (${before})`), `SELECT a, b FROM ${t}`)})`,
  }));

/** A table with a column of its own name, in a dataset that is called like an alias and like a WITH query. */
const age = {
  name: 'shop.age',
  fields: columns('id INTEGER, age INTEGER'),
  rows: [
    { id: 1, age: 40 },
    { id: 2, age: 60 },
    { id: 2, age: 60 },
  ],
};

families['names of tables and columns'] = () =>
  fc
    .record({
      before: fc.constantFrom(
        ...['', 'WITH shop AS (SELECT 9 AS z)', 'WITH y AS (SELECT 9 AS id)'],
        ...['WITH id AS (SELECT 9 AS age)', 'WITH SHOP AS (SELECT 9 AS age), y AS (SELECT 9 AS z)'],
      ),
      path: fc.constantFrom(
        ...['`shop.age`', 'shop.age', '`shop`.age', 'shop.`age`', '`test-project.shop.age`'],
        ...['`test-project`.shop.age', '`test-project.shop`.age', '`test-project`.`shop.age`'],
      ),
      alias: fc.constantFrom('', 'y', 'shop', 'id', 'AGE', 'z'),
      isQualified: fc.boolean(),
      isClose: fc.boolean(),
    })
    .map(({ before, path, alias, isQualified, isClose }) => {
      const name = alias === '' ? 'age' : alias;
      // A table in one pair of back quotes has no name that could win over a column.
      const isWhole = alias === '' && /^`[^`]+[.]age`$/.test(path);
      const column = (one: string): string =>
        isQualified || (name.toLowerCase() === one && !isWhole) ? `${name}.${one}` : one;
      const [id, own] = [column('id'), column('age')];
      const gap = isClose && path.startsWith('`') ? '' : ' ';
      return {
        sql: `${before} SELECT ${id} AS a, ${own} + 1 AS b, COUNT(*) AS n FROM${gap}${path} ${alias && `AS ${alias}`} WHERE ${own} > 9 GROUP BY ${id}, ${own}`,
        plain: 'SELECT * FROM UNNEST([STRUCT(1 AS a, 41 AS b, 1 AS n), (2, 61, 2)])',
      };
    });

const bigquery = await testBigQuery({ tables: [age] });

async function rowsOf(sql: string): Promise<string[]> {
  const outcome = await runCase(bigquery.url, sql);
  if ('error' in outcome) throw new Error(`${outcome.error}\n${sql}`);
  return outcome.rows.map((cells) => JSON.stringify(cells)).sort();
}

it.each(Object.entries(families))(
  '%s gives the rows of plain GoogleSQL',
  async (_, family) => {
    const pairs = fc.tuple(rows, rows).chain(([t, u]) => family([tableOf(t), tableOf(u)]));
    await fc.assert(
      fc.asyncProperty(pairs, async ({ sql, plain }) => {
        expect(await rowsOf(sql)).toEqual(await rowsOf(plain));
      }),
      { seed: SEED, numRuns: QUERIES },
    );
  },
  600_000,
);
