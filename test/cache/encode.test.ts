// Tests of how each BigQuery type is written in an answer: unusual values. See result-body.test.ts for one of each type.
import { encodeRows } from '../support/bigquery/local-bigquery.ts';
import { wireRow as row } from '../support/fakes/fake-query-runner.ts';
import type { ColumnSchema } from '../../functions/core/query-runner.ts';
import { columns } from '../support/sql/columns.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

/** The JSON text of one value in a column of the type. */
function encoded(type: string, value: unknown, field: Partial<ColumnSchema> = {}): string {
  const json = encodeRows([{ name: 'x', type, ...field }], [row(value)]);
  const [before, after] = ['{"result":[{"x":', '}]}'];
  expect(json.startsWith(before) && json.endsWith(after)).toBe(true);
  return json.slice(before.length, -after.length);
}

describe('a scalar', () => {
  it.each(cases<[string, string, string, string]>('scalars'))(
    'writes %s',
    (_name, type, wire, expected) => {
      expect(encoded(type, wire)).toBe(expected);
      // In a batch, BigQuery gives the columns other modes.
      expect(encoded(type, wire, { mode: 'REQUIRED' })).toBe(expected);
      expect(encoded(type, wire, { mode: 'NULLABLE' })).toBe(expected);
      expect(() => JSON.parse(expected) as unknown).not.toThrow();
    },
  );

  it.each([
    ...['INT64', 'FLOAT64', 'BOOL', 'STRING', 'BYTES', 'DATE', 'TIME', 'DATETIME', 'TIMESTAMP'],
    ...['NUMERIC', 'BIGNUMERIC', 'JSON', 'RECORD'],
  ])('writes NULL of %s as null', (type) => {
    expect(encoded(type, null, { fields: [{ name: 'a', type: 'STRING' }] })).toBe('null');
  });
});

describe('a TIMESTAMP, in microseconds in the API', () => {
  it.each(cases<[string, string, string]>('timestamps'))('%s', (_name, wire, expected) => {
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
