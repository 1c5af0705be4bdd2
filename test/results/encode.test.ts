// Tests of how each BigQuery type is written in an answer: unusual values. See result-body.test.ts for one of each type.
import { encodeRows } from '../support/bigquery/encode-rows.ts';
import type { ColumnSchema, WireRow } from '../../functions/core/query-runner.ts';
import { columns } from '../support/sql/columns.ts';

function row(...values: unknown[]): WireRow {
  return { f: values.map((v) => ({ v })) };
}

/** The JSON text of one value in a column of the type. */
function encoded(type: string, value: unknown, field: Partial<ColumnSchema> = {}): string {
  const json = encodeRows([{ name: 'x', type, ...field }], [row(value)]);
  const [before, after] = ['{"result":[{"x":', '}]}'];
  expect(json.startsWith(before) && json.endsWith(after)).toBe(true);
  return json.slice(before.length, -after.length);
}

describe('a scalar', () => {
  it.each([
    ['INT64 2^53 - 1 as a number', 'INT64', '9007199254740991', '9007199254740991'],
    ['INT64 -(2^53 - 1) as a number', 'INT64', '-9007199254740991', '-9007199254740991'],
    ['INT64 2^53 as a string', 'INT64', '9007199254740992', '"9007199254740992"'],
    ['INT64 least', 'INT64', '-9223372036854775808', '"-9223372036854775808"'],
    ['INT64 greatest', 'INT64', '9223372036854775807', '"9223372036854775807"'],
    ['FLOAT64 whole', 'FLOAT64', '3.0', '3'],
    ['FLOAT64 with 17 digits', 'FLOAT64', '0.30000000000000004', '0.30000000000000004'],
    ['FLOAT64 great', 'FLOAT64', '1.7976931348623157E308', '1.7976931348623157e+308'],
    ['FLOAT64 small', 'FLOAT64', '5E-324', '5e-324'],
    ['FLOAT64 NaN', 'FLOAT64', 'NaN', '"NaN"'],
    ['FLOAT64 -Infinity', 'FLOAT64', '-Infinity', '"-Infinity"'],
    ['FLOAT64 inf, as engines also write it', 'FLOAT64', 'inf', '"Infinity"'],
    ['FLOAT64 -inf', 'FLOAT64', '-inf', '"-Infinity"'],
    ['BOOL false', 'BOOL', 'false', 'false'],
    ['STRING empty', 'STRING', '', '""'],
    ['STRING beyond the BMP', 'STRING', '€😀', '"€😀"'],
    ['STRING that looks like a number', 'STRING', '17', '"17"'],
    ['STRING that looks like null', 'STRING', 'null', '"null"'],
    [
      'NUMERIC without loss',
      'NUMERIC',
      '99999999999999999999999999999.999999999',
      '"99999999999999999999999999999.999999999"',
    ],
    ['BIGNUMERIC exactly', 'BIGNUMERIC', '0.0000000000000000000001', '"0.0000000000000000000001"'],
    ['JSON object', 'JSON', '{"a":[1,null,"b"]}', '{"a":[1,null,"b"]}'],
    ['JSON null', 'JSON', 'null', 'null'],
    ['JSON number, digits kept', 'JSON', '9007199254740993', '9007199254740993'],
    ['a type of tomorrow as a string', 'GEOGRAPHY', 'POINT(1 2)', '"POINT(1 2)"'],
  ])('writes %s', (_name, type, wire, expected) => {
    expect(encoded(type, wire)).toBe(expected);
    // In a batch, BigQuery gives the columns other modes.
    expect(encoded(type, wire, { mode: 'REQUIRED' })).toBe(expected);
    expect(encoded(type, wire, { mode: 'NULLABLE' })).toBe(expected);
    expect(() => JSON.parse(expected) as unknown).not.toThrow();
  });

  it.each([
    ...['INT64', 'FLOAT64', 'BOOL', 'STRING', 'BYTES', 'DATE', 'TIME', 'DATETIME', 'TIMESTAMP'],
    ...['NUMERIC', 'BIGNUMERIC', 'JSON', 'RECORD'],
  ])('writes NULL of %s as null', (type) => {
    expect(encoded(type, null, { fields: [{ name: 'a', type: 'STRING' }] })).toBe('null');
  });
});

describe('a TIMESTAMP, in microseconds in the API', () => {
  it.each([
    ['without a fraction', '1795168800000000', '2026-11-20T10:00:00Z'],
    ['with milliseconds', '1795168800123000', '2026-11-20T10:00:00.123Z'],
    ['with hundreds of microseconds', '1795168800123400', '2026-11-20T10:00:00.123400Z'],
    ['with one microsecond', '1795168800000001', '2026-11-20T10:00:00.000001Z'],
    ['at the epoch', '0', '1970-01-01T00:00:00Z'],
    ['one microsecond before the epoch', '-1', '1969-12-31T23:59:59.999999Z'],
    ['one millisecond before the epoch', '-1000', '1969-12-31T23:59:59.999Z'],
    ['before 1970 with a fraction', '-2208988799500000', '1900-01-01T00:00:00.500Z'],
    ['in the year 1', '-62135596800000000', '0001-01-01T00:00:00Z'],
    ['in the year 9999', '253402300799999999', '9999-12-31T23:59:59.999999Z'],
  ])('%s', (_name, wire, expected) => {
    expect(encoded('TIMESTAMP', wire)).toBe(`"${expected}"`);
  });

  it('out of range for a date is an error', () => {
    expect(() => encoded('TIMESTAMP', '9223372036854775807')).toThrow(RangeError);
  });
});

describe('records and lists', () => {
  it.each([
    ['empty', []],
    ['null', null],
  ])('writes a REPEATED column that is %s as an empty list', (_name, value) => {
    expect(encoded('STRING', value, { mode: 'REPEATED' })).toBe('[]');
  });

  it('writes a RECORD as an object, each field by its own type', () => {
    const fields = columns('id INT64, at TIMESTAMP, note STRING');
    expect(encoded('RECORD', row('9007199254740993', '0', null), { fields })).toBe(
      '{"id":"9007199254740993","at":"1970-01-01T00:00:00Z","note":null}',
    );
  });

  it('writes records nested in lists and records', () => {
    const fields = columns('requests RECORD REPEATED (path STRING, codes INT64 REPEATED)');
    const value = row([{ v: row('/rest', [{ v: '200' }, { v: '404' }]) }, { v: row('/auth', []) }]);
    expect(encoded('RECORD', value, { fields })).toBe(
      '{"requests":[{"path":"/rest","codes":[200,404]},{"path":"/auth","codes":[]}]}',
    );
  });
});

describe('the envelope', () => {
  it('keeps the order of the columns and rows, even if names look like numbers', () => {
    const schema = columns('z INT64, 2 INT64, 1 INT64, a INT64');
    expect(encodeRows(schema, [row('1', '2', '3', '4'), row('5', '6', '7', '8')])).toBe(
      '{"result":[{"z":1,"2":2,"1":3,"a":4},{"z":5,"2":6,"1":7,"a":8}]}',
    );
  });

  it.each([
    ['a quote', 'a"b', String.raw`"a\"b"`],
    ['__proto__', '__proto__', '"__proto__"'],
    ['letters of any script', 'größe_数', '"größe_数"'],
  ])('escapes a column name with %s', (_name, name, expected) => {
    expect(encodeRows([{ name, type: 'INT64' }], [row('1')])).toBe(`{"result":[{${expected}:1}]}`);
  });
});
