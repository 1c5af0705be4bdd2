// Tests of converting a stored result to CSV and to newline-delimited JSON.
import fc from 'fast-check';
import { toCsv, toNdjson } from '../../../functions/http/row-formats.ts';
import { encodeRows } from '../../support/bigquery/local-bigquery.ts';
import { columns as columnsOf } from '../../support/sql/columns.ts';
import { rowOf } from '../../support/sql/fake-sql-tree.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const csvOf = (type: string, json: string): string =>
  toCsv(`{"result":[{"x":${json}}]}`, rowOf(`x ${type}`));

describe('CSV', () => {
  it('has the columns in the order of the definition, empty if a row lacks one', () => {
    const columns = rowOf('b STRING, a STRING, c STRING');
    expect(toCsv('{"result":[{"a":"1","b":"2","other":"3"}]}', columns)).toBe('b,a,c\r\n2,1,\r\n');
  });

  it.each(cases<[string, string, string, string]>('cells'))('writes %s', (_, type, json, cell) => {
    expect(csvOf(type, json)).toBe(`x\r\n${cell}\r\n`);
  });

  // OWASP, CSV injection: a cell of somebody else's text must not run in a spreadsheet.
  it.each(cases<[string, string]>('formulas'))('makes %j safe in a spreadsheet', (text, cell) => {
    expect(csvOf('STRING', JSON.stringify(text))).toBe(`x\r\n${cell}\r\n`);
  });
});

describe('newline-delimited JSON', () => {
  it('is one row per line, unchanged', () => {
    expect(toNdjson('{"result":[{"a":"x\\n","b":1.50},{"a":null,"b":[{"c":"]}"}]}]}')).toBe(
      '{"a":"x\\n","b":1.50}\n{"a":null,"b":[{"c":"]}"}]}\n',
    );
  });
});

describe('any result of BigQuery', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n\'",;|\\{}[]:é ＝a1'.split('')) }),
  );
  const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);
  const list =
    'text STRING, integer INT64, float FLOAT64, json JSON, list STRING REPEATED, record RECORD (a STRING)';
  const [schema, columns] = [columnsOf(list), rowOf(list)];
  const row = fc.record({
    text: orNull(text),
    integer: orNull(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    float: orNull(fc.double()),
    json: orNull(fc.jsonValue().map((value) => JSON.stringify(value, null, 1))),
    list: fc.array(text),
    record: orNull(fc.record({ a: orNull(text) })),
  });
  type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

  const bodyOf = (rows: Row[]): string =>
    encodeRows(
      schema,
      rows.map((values) => ({
        f: [
          { v: values.text },
          { v: values.integer?.toString() ?? null },
          { v: values.float === null ? null : String(values.float) },
          { v: values.json },
          { v: values.list.map((v) => ({ v })) },
          { v: values.record === null ? null : { f: [{ v: values.record.a }] } },
        ],
      })),
    );

  it('can be read back from CSV as the same rows', () => {
    /** The rule of the README: one quote less wherever a formula could start. */
    function undefuse(cell: string): string {
      return cell.replaceAll(/(?<=^|[;|\t\r\n])'(?=['"]*[=+\-@＝＋－＠])|^'(?=['"]*[\t\r\n])/g, '');
    }

    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const [header, ...lines] = readCsv(toCsv(bodyOf(rows), columns));
        expect(header?.map((cell) => cell.text)).toEqual(Object.keys(columns));
        const read = lines.map((cells) =>
          cells.map((cell) => (cell.text === '' && !cell.isQuoted ? null : undefuse(cell.text))),
        );
        const parsed = (cell: string | null | undefined): unknown =>
          cell === null || cell === undefined ? null : JSON.parse(cell);
        expect(
          read.map(([text, integer, float, json, list, record]) => ({
            text,
            integer: integer === null ? null : BigInt(integer ?? ''),
            float: float === null ? null : Number(float),
            json: parsed(json),
            list: parsed(list),
            record: parsed(record),
          })),
        ).toEqual(
          rows.map((values) => ({
            ...values,
            // JSON has no minus zero that survives `JSON.stringify`.
            float: values.float === 0 ? 0 : values.float,
            json: parsed(values.json),
          })),
        );
      }),
    );
  });

  it('never starts a text cell with a formula', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 3 }), (rows) => {
        const [, ...lines] = readCsv(toCsv(bodyOf(rows), columns));
        for (const [text, , , json, list, record] of lines) {
          for (const cell of [text, json, list, record]) {
            expect(cell?.text).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
          }
        }
      }),
    );
  });

  // In a locale of its own a spreadsheet splits at other characters and may take our quotes for text.
  it.each([';', '|', '\t', '\n', '\r'])('starts no formula after %j, quoted or not', (mark) => {
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const [, ...lines] = toCsv(
          JSON.stringify({ result: texts.map((value) => ({ first: 'x', text: value })) }),
          rowOf('first STRING, text STRING'),
        ).split('\r\nx,');
        for (const line of lines) {
          for (const cell of line.split(mark)) {
            expect(cell.replace(/^"+/, '')).not.toMatch(/^[=+\-@＝＋－＠]/);
          }
        }
      }),
    );
  });

  it('can be read back from newline-delimited JSON as the same rows', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const body = bodyOf(rows);
        const lines = toNdjson(body).split('\n');
        expect(lines.pop()).toBe('');
        const { result } = JSON.parse(body) as { result: unknown[] };
        expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(result);
      }),
    );
  });
});

interface Cell {
  text: string;
  isQuoted: boolean;
}

/** An independent reader of RFC 4180: throws for anything but what RFC 4180 allows; every line has to end with CRLF. */
function readCsv(csv: string): Cell[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const lines: Cell[][] = [[]];
  while (cell.lastIndex < csv.length) {
    const found = cell.exec(csv);
    if (found === null) throw new Error(`This is not CSV: ${csv}`);
    const [, quoted, plain = '', end] = found;
    const text = quoted?.replaceAll('""', '"') ?? plain;
    lines.at(-1)?.push({ text, isQuoted: quoted !== undefined });
    if (end === '\r\n') lines.push([]);
  }
  if (lines.pop()?.length !== 0) throw new Error('The last line has no end.');
  return lines;
}
