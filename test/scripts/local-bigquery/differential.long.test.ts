// Each rewrite of the local BigQuery against the same query written by hand in plain GoogleSQL, over random rows.
// More than in CI, at once: DIFFERENTIAL_QUERIES=200 npm run test:long -- differential
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { columns } from '../../support/sql/columns.ts';
import { startLocalBigQuery } from '../../support/bigquery/local-bigquery.ts';
import { runCase } from './conformance/run-case.ts';

interface Pair {
  sql: string;
  plain: string;
}

const folder = import.meta.dirname;
const { values, operators } = JSON.parse(
  readFileSync(join(folder, 'differential.json'), 'utf8'),
) as { values: Record<string, string[]>; operators: [operator: string, plain: string][] };

/** Rows of t(a INT64, b STRING, s STRUCT<a, b>), with NULLs and duplicates. */
const row = fc.record({
  a: fc.option(fc.integer({ min: -2, max: 4 }), { freq: 4 }),
  b: fc.option(fc.constantFrom('x', 'X', 'y', 'z', ''), { freq: 4 }),
});
const table = fc.array(row, { maxLength: 12 }).map((found) => {
  const rows = found.map(({ a, b }) => {
    const [number, text] = [a ?? 'NULL', b === null ? 'NULL' : `'${b}'`];
    return `, (${number}, ${text}, STRUCT<a INT64, b STRING>(${number}, ${text}))`;
  });
  return `(SELECT * FROM UNNEST(ARRAY<STRUCT<a INT64, b STRING, s STRUCT<a INT64, b STRING>>>[${rows.join('').slice(2)}]))`;
});

/** One value for each name, whose values may have names too. */
const given = fc.record({
  ...{ t: table, u: table },
  ...Object.fromEntries(
    Object.entries(values).map(([name, list]) => [name, fc.constantFrom(...list)]),
  ),
});

/** `{x:v}` is the value of x with its columns as those of the table v. */
function filled(template: string, names: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)(?::(\w))?\}/g, (_, name: string, of?: string) => {
    const text = filled(names[name] ?? '', names);
    if (of === undefined) return text;
    return text.replaceAll('t.', '').replace(/(?<![.\w'])([abs])\b(?!')/g, `${of}.$1`);
  });
}

const [, ...texts] = readFileSync(join(folder, 'differential.sql'), 'utf8').split(/^-- # /m);
const families: Record<string, fc.Arbitrary<Pair>> = Object.fromEntries(
  texts.map((text) => {
    const [, name = '', sql = '', plain = ''] = /^(.*)\n([^]*)\n--=\n([^]*)$/.exec(text) ?? [];
    const pair = given.map((names) => ({ sql: filled(sql, names), plain: filled(plain, names) }));
    return [name, pair];
  }),
);

/** Operators that may follow each other, and what each makes of the query before it, which has the columns a and b. */
families['pipe operators'] = fc
  .tuple(table, fc.array(fc.constantFrom(...operators), { minLength: 1, maxLength: 5 }))
  .map(([t, chosen]) => ({
    // The columns in one order, whatever SELECT and UNION have made of it.
    sql: `FROM ${t} AS t |> SELECT a, b ${chosen.map(([text]) => `|> SELECT a, b |> ${text}`).join(' ')} |> SELECT a, b`,
    plain: `SELECT a, b FROM (${chosen.reduce((before, [, plain]) => plain.replace('{q}', () => `SELECT a, b FROM (${before})`), `SELECT a, b FROM ${t}`)})`,
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

families['names of tables and columns'] = fc
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

const { url } = await startLocalBigQuery({ tables: [age] });

it.each(Object.entries(families))(
  '%s gives the rows of plain GoogleSQL',
  async (_, family) => {
    const SEED = 20261122;
    const QUERIES = Number(process.env['DIFFERENTIAL_QUERIES'] ?? 10);

    async function rowsOf(sql: string): Promise<string[]> {
      const outcome = await runCase(url, sql);
      if ('error' in outcome) throw new Error(`${outcome.error}\n${sql}`);
      return outcome.rows.map((cells) => JSON.stringify(cells)).sort();
    }

    await fc.assert(
      fc.asyncProperty(family, async ({ sql, plain }) => {
        expect(await rowsOf(sql)).toEqual(await rowsOf(plain));
      }),
      { seed: SEED, numRuns: QUERIES },
    );
  },
  600_000,
);
