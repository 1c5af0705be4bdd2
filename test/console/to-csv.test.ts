// The console's CSV is the service's, byte for byte.
import { toCsv } from '../../functions/console/result/to-csv.ts';
import { toCsv as serviceCsv } from '../../functions/http/row-formats.ts';

const COLUMNS = ['STRING', 'FLOAT64', 'INT64', 'NUMERIC', 'BOOL', 'JSON', 'TIMESTAMP'].map(
  (type) => ({ name: type.toLowerCase(), type, mode: 'NULLABLE' as const, description: 'x' }),
);
type Column = (typeof COLUMNS)[number];
const LIST = { name: 'list', type: 'FLOAT64', mode: 'REPEATED' as const, description: 'x' };

it('writes every value as the service does', () => {
  const row = (string: string, numbers: string): string =>
    `{"string":${JSON.stringify(string)},${numbers},"bool":true,"json":{"a":[1.0,"=x"]},"timestamp":"2026-11-20T10:00:00Z","list":[1.50,2]}`;
  const texts = [
    'plain',
    '',
    '=1+1',
    'a,b',
    'say "hi"',
    'a;=b',
    '\t=x',
    '日本',
    '-5',
    "it's",
    'a\nb',
  ];
  const body = `{"result":[${[
    ...texts.map((text) => row(text, '"float64":1.0,"int64":9007199254740993,"numeric":"0.10"')),
    row('x', '"float64":"NaN","int64":-1,"numeric":"-1.5"'),
    row('x', '"float64":1e-9,"int64":null,"numeric":null'),
  ].join(',')}]}`;
  const columns = [...COLUMNS, LIST];
  const named = Object.fromEntries(columns.map(({ name, ...column }) => [name, column]));
  const order = Array.from({ length: 13 }, (_, index) => index);
  expect(toCsv(body, columns, order)).toBe(serviceCsv(body, named));
  expect(toCsv('{"result":[]}', columns, [])).toBe(serviceCsv('{"result":[]}', named));
});

it('has the columns and the rows that it is given, in their order', () => {
  const body = '{"result":[{"float64":1.50,"int64":1},{"float64":2.0,"int64":2}]}';
  const [, float64, int64] = COLUMNS as [Column, Column, Column];
  expect(toCsv(body, [int64, float64], [1, 0])).toBe('int64,float64\r\n2,2.0\r\n1,1.50\r\n');
  expect(toCsv(body, [int64], [0, 1])).toBe('int64\r\n1\r\n2\r\n');
});
