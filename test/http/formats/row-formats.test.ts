// Tests of converting a stored result to CSV and to newline-delimited JSON.
import fc from 'fast-check';
import { toCsv, toNdjson } from '../../../functions/http/row-formats.ts';
import { encodeRows } from '../../support/bigquery/local-bigquery.ts';
import { wireRow } from '../../support/fakes/fake-query-runner.ts';
import { columns as columnsOf } from '../../support/sql/columns.ts';
import { rowOf } from '../../support/sql/fake-sql-tree.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

it('CSV has the columns in the order of the definition, empty if a row lacks one', () => {
  const columns = rowOf('b STRING, a STRING, c STRING');
  expect(toCsv('{"result":[{"a":"1","b":"2","other":"3"}]}', columns)).toBe('b,a,c\r\n2,1,\r\n');
});

it.each(cases<[string, string, string, string]>('cells'))(
  'CSV writes %s',
  (_, type, json, cell) => {
    expect(toCsv(`{"result":[{"x":${json}}]}`, rowOf(`x ${type}`))).toBe(`x\r\n${cell}\r\n`);
  },
);

// OWASP, CSV injection: a cell of somebody else's text must not run in a spreadsheet.
it.each(cases<[string, string]>('formulas'))('CSV makes %j safe in a spreadsheet', (x, cell) => {
  expect(toCsv(JSON.stringify({ result: [{ x }] }), rowOf('x STRING'))).toBe(`x\r\n${cell}\r\n`);
});

it('newline-delimited JSON is one row per line, unchanged', () => {
  expect(toNdjson('{"result":[{"a":"x\\n","b":1.50},{"a":null,"b":[{"c":"]}"}]}]}')).toBe(
    '{"a":"x\\n","b":1.50}\n{"a":null,"b":[{"c":"]}"}]}\n',
  );
});

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n\'",;|\\{}[]:é ＝a1'.split('')) }),
);

it('any result can be read back from CSV and newline-delimited JSON as the same rows, and no text cell starts with a formula', () => {
  const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);
  const list =
    'text STRING, integer INT64, float FLOAT64, json JSON, list STRING REPEATED, record RECORD (a STRING)';
  const [schema, columns] = [columnsOf(list), rowOf(list)];
  const anyRow = fc.record({
    text: orNull(anyText),
    integer: orNull(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    float: orNull(fc.double()),
    json: orNull(fc.jsonValue().map((value) => JSON.stringify(value, null, 1))),
    list: fc.array(anyText),
    record: orNull(fc.record({ a: orNull(anyText) })),
  });

  /** An independent reader of RFC 4180: throws for anything but what RFC 4180 allows; every line has to end with CRLF. */
  function readCsv(csv: string): { text: string; isQuoted: boolean }[][] {
    const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
    const lines: ReturnType<typeof readCsv> = [[]];
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

  /** The rule of the README: one quote less wherever a formula could start. */
  function undefuse(cell: string): string {
    return cell.replaceAll(/(?<=^|[;|\t\r\n])'(?=['"]*[=+\-@＝＋－＠])|^'(?=['"]*[\t\r\n])/g, '');
  }

  const parsed = (cell: string | null | undefined): unknown =>
    cell === null || cell === undefined ? null : JSON.parse(cell);
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 5 }), (rows) => {
      const body = encodeRows(
        schema,
        rows.map(({ text, integer, float, json, list, record }) =>
          wireRow(
            ...[text, integer?.toString() ?? null, float === null ? null : String(float), json],
            list.map((v) => ({ v })),
            record && wireRow(record.a),
          ),
        ),
      );
      const [header, ...lines] = readCsv(toCsv(body, columns));
      expect(header?.map((cell) => cell.text)).toEqual(Object.keys(columns));
      for (const [text, , , json, list, record] of lines) {
        for (const cell of [text, json, list, record]) {
          expect(cell?.text).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
        }
      }
      const read = lines.map((cells) =>
        cells.map((cell) => (cell.text === '' && !cell.isQuoted ? null : undefuse(cell.text))),
      );
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
      const texts = toNdjson(body).split('\n');
      expect(texts.pop()).toBe('');
      const { result } = JSON.parse(body) as { result: unknown[] };
      expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(result);
    }),
  );
});

// In a locale of its own a spreadsheet splits at other characters and may take our quotes for text.
it.each([';', '|', '\t', '\n', '\r'])('CSV starts no formula after %j, quoted or not', (mark) => {
  fc.assert(
    fc.property(fc.array(anyText), (texts) => {
      const [, ...lines] = toCsv(
        JSON.stringify({ result: texts.map((text) => ({ first: 'x', text })) }),
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
