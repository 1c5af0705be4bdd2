// Tests which parts of a query are evaluated before it.
import { evaluatedOnce } from '../../../../scripts/local-bigquery/dialect/rewrites/evaluated-once.ts';
import { casesBeside } from '../../../support/cases.ts';
import { sharedEngine } from '../../../support/bigquery/shared-engine.ts';

const cases = casesBeside(import.meta.filename);
const fields = ['a', 'b'].map((name) => ({ name, type: 'INTEGER' }));
const tables = ['t', 'u'].map((name) => ({ name, fields }));

const engine = await sharedEngine();

async function stagesOf(sql: string): Promise<string[]> {
  const { resolved } = await engine.analyze({ sql, tables, withTree: true });
  const staged = evaluatedOnce(sql, resolved);
  return [...staged.stages.map((stage) => stage.sql.trim()), staged.sql];
}

it.each(cases<string[]>('uncorrelated'))(
  'extracts the uncorrelated subqueries of %s',
  async (sql = '', ...stages) => {
    expect(await stagesOf(sql)).toEqual(stages);
  },
);

it('looks up the values of IN by hash', async () => {
  const stages = await stagesOf('SELECT a FROM t WHERE a NOT IN (SELECT b FROM u)');
  expect(stages).toHaveLength(3);
  expect(stages[2]).toMatch(/WHERE a NOT IN UNNEST\(@local_once_1\[OFFSET\(/);
});

it.each(cases<string>('unchanged'))('does not change %s', async (sql) => {
  expect(await stagesOf(sql)).toEqual([sql]);
});
