// The rows of the console as text: its CSV is the service's, byte for byte; Markdown and TSV have the same values.
import { toCsv, toMarkdown, toTsv } from '../../../functions/console/result/export-rows.ts';
import { toCsv as serviceCsv } from '../../../functions/http/row-formats.ts';
import { casesBeside } from '../../support/cases.ts';
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

it.each(casesBeside(import.meta.filename)<[string, string, string]>('texts'))(
  'copies %j for a spreadsheet without a formula, and for Markdown without markup or a second cell',
  (string, tsv, markdown) => {
    const [text, number] = [COLUMNS.slice(0, 1), COLUMNS.slice(2, 3)];
    const body = JSON.stringify({
      result: [{ string: 'other' }, { string, int64: null, bool: true }],
    });
    const rows = { body, columns: [...number, ...text], order: [1] };
    expect(toTsv(rows)).toBe(`int64\tstring\n\t${tsv}\n`);
    expect(toMarkdown(rows)).toBe(`| int64 | string |\n| ---: | --- |\n|  | ${markdown} |\n`);
  },
);
