// The rows of the console as text: its CSV is the service's, byte for byte; Markdown and TSV have the same values.
import { toCsv, toMarkdown, toTsv } from '../../../functions/console/result/export-rows.ts';
import { toCsv as serviceCsv } from '../../../functions/http/row-formats.ts';
import { rowOf } from '../../support/sql/fake-sql-tree.ts';

const ROW = rowOf(
  'string STRING, float64 FLOAT64, int64 INT64, numeric NUMERIC, bool BOOL, json JSON, timestamp TIMESTAMP, list FLOAT64 REPEATED',
);
const COLUMNS = Object.entries(ROW).map(([name, column]) => ({ name, ...column }));

it('writes every value as the service does', () => {
  const row = (string: string, numbers: string): string =>
    `{"string":${JSON.stringify(string)},${numbers},"bool":true,"json":{"a":[1.0,"=x"]},"timestamp":"2026-11-20T10:00:00Z","list":[1.50,2]}`;
  const texts = ['', '=1+1', 'a,b', 'say "hi"', 'a;=b', '\t=x', '日本', '-5', "it's", 'a\nb'];
  const body = `{"result":[${[
    ...texts.map((text) => row(text, '"float64":1.0,"int64":9007199254740993,"numeric":"0.10"')),
    row('x', '"float64":"NaN","int64":-1,"numeric":"-1.5"'),
    row('x', '"float64":1e-9,"int64":null,"numeric":null'),
  ].join(',')}]}`;
  const order = [...Array(12).keys()];
  expect(toCsv({ body, columns: COLUMNS, order })).toBe(serviceCsv(body, ROW));
  expect(toCsv({ body: '{"result":[]}', columns: COLUMNS, order: [] })).toBe(
    serviceCsv('{"result":[]}', ROW),
  );
});

it('has the columns and the rows that it is given, in their order', () => {
  const body = '{"result":[{"float64":1.50,"int64":1},{"float64":2.0,"int64":2}]}';
  const [int64, float64] = [COLUMNS.slice(2, 3), COLUMNS.slice(1, 2)];
  expect(toCsv({ body, columns: [...int64, ...float64], order: [1, 0] })).toBe(
    'int64,float64\r\n2,2.0\r\n1,1.50\r\n',
  );
});

const TEXTS = ['=1+1', 'a|b', 'say "hi"', 'a\r\nb', 'a\tb', '*_x_* <b> [l](u) `c` \\', 'a_b', ''];
const [STRING, , INT64] = COLUMNS;
const SHOWN = [INT64, STRING].filter((column) => column !== undefined);
const SHOWN_BODY = JSON.stringify({
  result: TEXTS.map((string, index) => ({
    string,
    int64: index === 7 ? null : -index,
    bool: true,
  })),
});
const ORDER = [...TEXTS.keys()];

it('copies TSV that a spreadsheet pastes into the same cells, and that is no formula', () => {
  expect(toTsv({ body: SHOWN_BODY, columns: SHOWN, order: ORDER }).split('\n-')).toEqual([
    "int64\tstring\n0\t'=1+1",
    '1\ta|b',
    '2\t"say ""hi"""',
    '3\t"a\r\nb"',
    '4\t"a\tb"',
    '5\t*_x_* <b> [l](u) `c` \\',
    '6\ta_b\n\t\n',
  ]);
  expect(toTsv({ body: SHOWN_BODY, columns: SHOWN, order: [6, 1] })).toBe(
    'int64\tstring\n-6\ta_b\n-1\ta|b\n',
  );
});

it('copies no emphasis of Markdown', () => {
  const result = ['__init__', '__proto__ and _x', 'a_b é_日 1_2', 'a__b', '_'];
  const body = JSON.stringify({ result: result.map((string) => ({ string })) });
  const order = [...result.keys()];
  expect(
    toMarkdown({ body, columns: COLUMNS.slice(0, 1), order })
      .split('\n')
      .slice(2, -1),
  ).toEqual([
    ...['| \\_\\_init\\_\\_ |', '| \\_\\_proto\\_\\_ and \\_x |', '| a_b é_日 1_2 |'],
    ...['| a\\_\\_b |', '| \\_ |'],
  ]);
});

it('copies a table of Markdown in which a text is one cell and no markup', () => {
  expect(toMarkdown({ body: SHOWN_BODY, columns: SHOWN, order: ORDER })).toBe(
    [
      '| int64 | string |',
      '| ---: | --- |',
      '| 0 | =1+1 |',
      '| -1 | a\\|b |',
      '| -2 | say "hi" |',
      '| -3 | a<br>b |',
      '| -4 | a\tb |',
      '| -5 | \\*\\_x\\_\\* \\<b\\> \\[l\\](u) \\`c\\` \\\\ |',
      '| -6 | a_b |',
      '|  |  |',
      '',
    ].join('\n'),
  );
});
