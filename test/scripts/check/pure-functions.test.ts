// Tests the list of functions whose value their arguments alone decide: it is complete, and no other function passes.
import fc from 'fast-check';
import { type AnalysedQuery, analyseQuery } from '../../../scripts/check/analysed-query.ts';
import { DependsOnMore, dependsOn } from '../../../scripts/check/depends-on.ts';
import FUNCTIONS from '../../../scripts/check/pure-functions.json' with { type: 'json' };
import { startEngineProcess } from '../../../scripts/local-bigquery/engine/engine-process.ts';
import { GoogleSqlError } from '../../../scripts/local-bigquery/index.ts';
import { casesBeside } from '../../support/cases.ts';
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

it('takes a query that cannot be analysed here for one that runs in each run, and says why', () => {
  const sql = 'SELECT 1';
  const query = { file: 'query.sql', sql, parts: [{ file: 'query.sql', text: sql, offset: 0 }] };
  const unknown = new GoogleSqlError('unsupported', 'MATCH_RECOGNIZE');
  expect(() => dependsOn([query], new Map([['query.sql', unknown]]))).toThrow('MATCH_RECOGNIZE');
});

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

it('a random query with one forbidden expression runs in each run, and one without does not', async () => {
  const cases = casesBeside(import.meta.filename);
  const allowed = fc.constantFrom(...cases<string>('pure expressions'));
  const query = fc.record({
    outer: fc.array(allowed, { maxLength: 3 }),
    inner: fc.array(allowed, { maxLength: 3 }),
    forbidden: fc.option(fc.constantFrom(...cases<string>('other expressions')), { freq: 2 }),
    shape: fc.constantFrom(...cases<string>('queries')),
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
