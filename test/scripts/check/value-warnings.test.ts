// Tests of the warnings of `npm run check` about values that make a query fail: parameters, and patterns in the SQL.
import { main } from '../../../scripts/check.ts';
import { runCommand } from '../../support/command.ts';
import { FakeSqlTree, parameter, rowOf } from '../../support/sql/fake-sql-tree.ts';

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

const OF_DAYS = 'WHERE DATE_SUB(day, INTERVAL @p DAY) > day';
const OF_ZONE = 'WHERE DATETIME(TIMESTAMP(day), @p) IS NULL';
const DAYS: Fields = { type: 'INT64', example: '4' };
const FROM_0: Fields = { ...DAYS, minimum: 0 };
const ABSENT = 'a call without it: set "required", give a "default", or write IF for its absence';
const OPTIONAL: Fields = { example: '2026-01-01', format: 'date', required: false };
const NO_ZERO = '"0": "minimum": 1 refuses it';
const LARGEST = '"9223372036854775807": "maximum": 10000 refuses it';
const NO_NUMBER = '"x": declare it "type": "INT64"';

const CASES: [clauses: string, fields: Fields, ...values: string[]][] = [
  [OF_DAYS, { ...FROM_0, maximum: 999 }],
  [OF_DAYS, FROM_0, LARGEST],
  ['WHERE DIV(n, @p) > 1', { ...DAYS, maximum: 9 }, NO_ZERO],
  ['ORDER BY n LIMIT @p', { ...DAYS, maximum: 999, default: '9' }, '"-1": "minimum": 0 refuses it'],
  ['ORDER BY n LIMIT @p', { ...FROM_0, maximum: 999, required: false }, ABSENT],
  ['WHERE day > CAST(@p AS DATE)', { example: '2026-01-01' }, '"x": declare it "type": "DATE"'],
  ["WHERE @p != '' AND day > CAST(@p AS DATE)", OPTIONAL, ABSENT],
  ["WHERE IF(@p = '', TRUE, day > CAST(@p AS DATE))", OPTIONAL],
  ['WHERE n > CAST(@p AS INT64)', { example: '1' }, NO_NUMBER],
  ['WHERE REGEXP_CONTAINS(name, @p)', {}, '"(": "format": "re2" refuses it'],
  ['WHERE REGEXP_CONTAINS(name, @p)', { format: 're2' }],
  [OF_ZONE, { example: 'UTC' }, '"x": "enum" or "pattern" refuses it'],
  [
    "WHERE IF(LENGTH(@p) > 10, ERROR('too long: ' || name), name) != ''",
    {},
    `"${'x'.repeat(40)}": "enum", "pattern" or "maxLength" refuses it`,
  ],
  [OF_ZONE, { example: 'UTC', enum: ['UTC', 'Mars'] }, '"Mars": take it out of "enum"'],
  [
    'WHERE DATE_ADD(@p, INTERVAL 1 DAY) > day',
    { type: 'DATE', example: '2026-01-01' },
    '"9999-12-31": bound it in query.sql',
  ],
  [
    "WHERE tags[OFFSET(@p)] = 'x'",
    DAYS,
    '"-1": SAFE_OFFSET or SAFE_ORDINAL gives NULL',
    '"10000": SAFE_OFFSET or SAFE_ORDINAL gives NULL',
  ],
  ["WHERE tags[SAFE_OFFSET(@p)] = 'x'", DAYS],
  ['WHERE SQRT(n - @p) > 1', { ...FROM_0, example: '1', maximum: 999 }],
  ['WHERE n * @p > 1', FROM_0, LARGEST],
  ["WHERE IF(@p > 90, ERROR('at most 90'), n) > 1", FROM_0],
  [
    "WHERE n IN (SELECT CAST(e AS INT64) FROM UNNEST(SPLIT(@p, ',')) AS e)",
    { example: '1,2' },
    NO_NUMBER,
  ],
  ['CROSS JOIN (SELECT @p AS given) AS q WHERE DIV(n, q.given) > 1', FROM_0, NO_ZERO],
  [
    "WHERE JSON_VALUE(TO_JSON(name), @p) = 'x'",
    { example: '$', enum: ['$', 'a'] },
    '"a": take it out of "enum"',
  ],
  ['QUALIFY NTILE(@p) OVER (ORDER BY n) = 1', FROM_0, NO_ZERO],
];

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
  expect(zero?.[0]).toMatch(/p: "0" makes the query fail \(division by zero: 5 \/ 0\); "minimum"/);
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
