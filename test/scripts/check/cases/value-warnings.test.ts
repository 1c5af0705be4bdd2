// Tests of the warnings of `npm run check` about values that make a query fail: parameters, and patterns in the SQL.
import { main } from '../../../../scripts/check.ts';
import { casesBeside } from '../../../support/cases.ts';
import { runCommand } from '../../../support/command.ts';
import { FakeSqlTree, parameter, rowOf } from '../../../support/sql/fake-sql-tree.ts';

const COLUMNS = 'name STRING, day DATE, n INTEGER, tags STRING REPEATED';
const ROW = { name: 'a', day: '2026-11-01', n: 5, tags: [...'abcdefgh'] };
type Fields = Parameters<typeof parameter>[0];

/** What one check says of queries with one parameter `p` each: lines by query. */
async function said(
  ...queries: [clauses: string, fields: Fields, ...unknown[]][]
): Promise<string[][]> {
  const tree = new FakeSqlTree().source('orders', COLUMNS);
  const folders = queries.map(([clauses, fields], index) => {
    const [id, name] = [`11111111-2222-4333-8444-5555555555${index + 10}`, `group.case-${index}`];
    const parameters = { p: parameter({ required: true, ...fields }) };
    const definition = { id, name, parameters, row: rowOf('n INT64') };
    tree.endpoint(definition, `SELECT n FROM orders\n${clauses}`);
    const test = {
      name: 'a',
      tables: { orders: [ROW] },
      parameters: `p=${String(parameters.p.example)}`,
    };
    tree.write(`endpoints/${name}/tests/a.json`, [test]);
    return `${tree.directory}/endpoints/${name}/`;
  });
  const { stderr } = await runCommand(main, ['--sql', tree.directory, '--update']);
  return folders.map((folder) => {
    const lines = stderr
      .split('\n')
      .filter((line) => line.includes(folder) && !/^updated/.test(line));
    return lines.map((line) => line.replace(folder, ''));
  });
}

const DAYS: Fields = { type: 'INT64', example: '4' };
const CASES = casesBeside(import.meta.filename)<
  [clauses: string, fields: Fields, ...values: string[]]
>('values');

describe('warns about values:', () => {
  let found: string[][];
  beforeAll(async () => void (found = await said(...CASES)));

  it.each([...CASES.entries()])('%i %j', (index, [, , ...expected]) => {
    const values = found[index]?.map((line) =>
      line
        .replace(/ makes the query fail \(.*\);/, ':')
        .replace(/^warning: endpoint\.json:1:2\d\d: parameters\.p: /, ''),
    );
    expect(values).toEqual(expected);
  });
});

it('explains why the query fails', async () => {
  const [absent, zero] = await said(
    ['WHERE n > CAST(@p AS INT64)', { example: '1', required: false }],
    ['WHERE DIV(n, @p) > 1', { ...DAYS, maximum: 9 }],
  );
  expect(absent?.[0]).toContain('p: a call without it makes the query fail (Bad value); set');
  expect(zero?.[0]).toMatch(
    /p: "0" makes the query fail \(division by zero: 5 \/ 0\); "minimum" or/,
  );
});

it('reports invalid RE2 patterns in the query, with their lines', async () => {
  const clauses = "WHERE REGEXP_CONTAINS(name, r'(capt')\n  OR REGEXP_EXTRACT(name, '[') = @p";
  expect(await said([clauses, {}])).toEqual([
    [
      'query.sql:2:29: Cannot parse regular expression: missing ): (capt',
      'query.sql:3:27: Cannot parse regular expression: missing ]: [',
    ],
  ]);
});
