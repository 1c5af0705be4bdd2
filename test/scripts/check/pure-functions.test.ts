// Tests the list of functions whose value their arguments alone decide: it is complete, and no other function passes.
import fc from 'fast-check';
import { type AnalysedQuery, analyseQuery } from '../../../scripts/check/analysed-query.ts';
import { DependsOnMore, dependsOn } from '../../../scripts/check/depends-on.ts';
import FUNCTIONS from '../../../scripts/check/pure-functions.json' with { type: 'json' };
import { startEngineProcess } from '../../../scripts/local-bigquery/engine/engine-process.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';
import { readReference } from '../../support/service/reference.ts';
import { columns } from '../../support/sql/columns.ts';

const engine = await sharedEngine();
const fields = columns('id INTEGER, x FLOAT, note STRING, day DATE, ts TIMESTAMP');
const tables = ['orders', 'prices'].map((name) => ({ name, fields }));
const reference = readReference<{ name: string; sql: string; isPure: boolean }>('functions');

/** `pure`, or what makes the query run in each run; undefined if it cannot be analysed here. */
async function classOf(sql: string): Promise<string | undefined> {
  const query = { file: 'query.sql', sql, parts: [{ file: 'query.sql', text: sql, offset: 0 }] };
  const analysed = await analyseQuery(engine, tables, sql, {}).catch(() => undefined);
  if (analysed === undefined || !('analysis' in analysed)) return undefined;
  const all = new Map<string, AnalysedQuery>([['query.sql', analysed]]);
  try {
    const { clocks } = dependsOn([query], all);
    return clocks.length === 0 ? 'pure' : 'a slow clock';
  } catch (error) {
    if (!(error instanceof DependsOnMore)) throw error;
    return error.message;
  }
}

it('lists each function of the engine and of BigQuery once, as pure or as another one', async () => {
  const process = await startEngineProcess();
  const features = { maximumFeatures: true };
  const languageOptions = await process.call<object>('GetLanguageOptions', features);
  const asked = { languageOptions: { ...languageOptions, productMode: 'PRODUCT_EXTERNAL' } };
  const { function: found = [] } = await process.call<{
    function?: { namePath: string[]; options?: { volatility?: string } }[];
  }>('GetBuiltinFunctions', asked);
  await process.close();
  const listed = [...FUNCTIONS.pure, ...FUNCTIONS.other];
  expect(listed.length).toBe(new Set(listed).size);
  const names = found.map(({ namePath }) => namePath.join('.'));
  expect(names.length).toBeGreaterThan(400);
  const all = [...names, ...reference.map(({ name }) => name.toLowerCase())];
  expect(all.filter((name) => !listed.includes(name))).toEqual([]);
  // GoogleSQL itself says of these that they give other values each time, or in each query.
  const volatile = found.filter(({ options }) =>
    /^(?:STABLE|VOLATILE)$/.test(options?.volatility ?? ''),
  );
  expect(volatile.length).toBeGreaterThan(10);
  expect(volatile.filter(({ namePath }) => FUNCTIONS.pure.includes(namePath.join('.')))).toEqual(
    [],
  );
});

it.each(reference)('$name is classed as pure: $isPure', async ({ sql, isPure }) => {
  const found = await classOf(`WITH q AS (${sql}\n) SELECT q.*, orders.id FROM q, orders`);
  // What only BigQuery can analyse runs in each run.
  if (found !== undefined) expect(found === 'pure').toBe(isPure);
});

/** Expressions of type INT64 over a number `?`. */
const ALLOWED = [
  'ABS(?)',
  'LENGTH(CAST(? AS STRING))',
  'MOD(?, 7)',
  'IF(? > 3, 1, 2)',
  'COALESCE(?, 0)',
  '(? + 1)',
  'GREATEST(?, 2)',
  'DIV(?, 3)',
  'ARRAY_LENGTH([?, 1])',
  '(SELECT MAX(id + ?) FROM prices)',
  'BIT_COUNT(?)',
  'UNIX_DATE(DATE_ADD(day, INTERVAL MOD(?, 9) DAY))',
  "CAST(FORMAT('%d', ?) AS INT64)",
  'CASE ? WHEN 1 THEN 2 ELSE 3 END',
];
const FORBIDDEN = [
  'CAST(RAND() * ? AS INT64)',
  'LENGTH(GENERATE_UUID()) + ?',
  'LENGTH(SESSION_USER()) * ?',
  '`RAN\\x44`() > ?',
  'UNIX_SECONDS(CURRENT_TIMESTAMP()) - ?',
  '`CURRENT\\u005fTIMESTAMP`() IS NULL OR ? > 1',
  'EXTRACT(HOUR FROM CURRENT_TIME) + ?',
  "UNIX_DATE(CAST('12-25' AS DATE FORMAT 'MM-DD')) + ?",
  'LENGTH(@@session_id) + ?',
  '(SELECT COUNT(*) FROM prices TABLESAMPLE SYSTEM (1 PERCENT)) + ?',
].map((text) => (/ > |OR /.test(text) ? `IF(${text}, 1, 0)` : text));

it('a random query with one forbidden expression runs in each run, and one without does not', async () => {
  const allowed = fc.constantFrom(...ALLOWED);
  const query = fc.record({
    outer: fc.array(allowed, { maxLength: 3 }),
    inner: fc.array(allowed, { maxLength: 3 }),
    forbidden: fc.option(fc.constantFrom(...FORBIDDEN), { freq: 2 }),
    shape: fc.constantFrom(
      'SELECT ! AS n FROM orders',
      'SELECT id FROM orders WHERE ! > 0',
      'SELECT id FROM orders ORDER BY ! LIMIT 3',
      'SELECT COUNT(*) FROM orders GROUP BY !',
      'SELECT SUM(!) OVER (PARTITION BY note) FROM orders',
      'WITH a AS (SELECT ! AS n FROM orders) SELECT n FROM a',
      'SELECT id FROM orders JOIN (SELECT ! AS n FROM orders) ON n = id',
      'CREATE TEMP FUNCTION f(id INT64, day DATE) AS (!); SELECT f(id, day) FROM orders',
      'CREATE TEMP FUNCTION f(id ANY TYPE, day ANY TYPE) RETURNS INT64 AS (!); SELECT f(id, day) FROM orders',
      'CREATE TEMP FUNCTION f(id ANY TYPE, day ANY TYPE) AS (!); SELECT f(id, day) FROM orders',
      'SELECT ARRAY(SELECT ! FROM UNNEST([1, 2])) FROM orders',
      'SELECT id FROM orders UNION ALL SELECT ! FROM orders',
      'FROM orders |> EXTEND ! AS n |> SELECT n',
    ),
    isLower: fc.boolean(),
    comment: fc.constantFrom('', ' /* RAND() */ ', ' -- CURRENT_DATE()\n'),
  });
  await fc.assert(
    fc.asyncProperty(query, async ({ outer, inner, forbidden, shape, isLower, comment }) => {
      const parts = [...outer, ...(forbidden === null ? [] : [forbidden]), ...inner];
      const nested = parts.reduceRight((value, part) => part.replace('?', () => value), 'id');
      const expression = isLower
        ? nested.replaceAll(/\b(?:ABS|RAND|LENGTH|MOD)\b/g, (name) => name.toLowerCase())
        : nested;
      const found = await classOf(shape.replace('!', () => `${comment}${expression}`));
      if (forbidden === null) expect(found).toBe('pure');
      else expect(found).not.toBe('pure');
    }),
    { numRuns: 100 },
  );
});
