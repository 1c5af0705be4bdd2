// The console's CSV is the service's, byte for byte.
import { toCsv } from '../../functions/console/result/to-csv.ts';
import { toCsv as serviceCsv } from '../../functions/http/row-formats.ts';

const COLUMNS = ['STRING', 'FLOAT64', 'INT64', 'NUMERIC', 'BOOL', 'JSON', 'TIMESTAMP'].map(
  (type) => ({ name: type.toLowerCase(), type, mode: 'NULLABLE' as const, description: 'x' }),
);
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
  expect(toCsv(body, columns)).toBe(serviceCsv(body, named));
  expect(toCsv('{"result":[]}', columns)).toBe(serviceCsv('{"result":[]}', named));
});
