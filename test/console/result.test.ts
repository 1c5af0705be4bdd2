// What is shown of rows: which ones a filter keeps, in which order, how their values are written, and how fresh they are.
import { formatBytes } from '../../functions/console/format.ts';
import { describeFreshness } from '../../functions/console/result/describe-freshness.ts';
import { filterRows } from '../../functions/console/result/table/filter-rows.ts';
import { type Sorting, sortRows } from '../../functions/console/result/table/sort-rows.ts';
import { writeColumn } from '../../functions/console/result/table/write-column.ts';
import type { Row } from '../../functions/console/service.ts';
import { casesBeside } from '../support/cases.ts';
import { namedColumns } from '../support/sql/fake-sql-tree.ts';

const cases = casesBeside(import.meta.filename);
/** As they are shown in Tokyo; `unit` is that of each column. */
function writtenOf(list: string, rows: readonly Row[], unit = '') {
  const columns = namedColumns(list).map((column) => (unit === '' ? column : { ...column, unit }));
  const input = { columns, rows, timeZone: 'Asia/Tokyo', computedAtMs: 0 };
  return columns.map((column) => writeColumn(column, input, columns));
}
it.each(cases<[string, string, number[]]>('filter'))(
  'keeps the rows whose %j has %j',
  (column, text, expected) => {
    const ROWS = [
      {
        at: '2026-11-20T23:00:00Z',
        name: 'North 1',
        celsius: -20.125,
        count: 1234,
        tags: ['a', 'b'],
      },
      { at: '2026-11-21T00:00:00Z', name: 'north 10', celsius: 2.4, count: 12, tags: [] },
      { at: '2026-11-21T01:00:00Z', name: null, celsius: null, count: 0, tags: ['b, c'] },
      { at: '2026-11-21T02:00:00Z', name: '', celsius: 'NaN', count: -5, tags: ['A'] },
    ];
    const list = 'at TIMESTAMP, name STRING, celsius FLOAT64, count INT64, tags STRING REPEATED';
    expect(filterRows(writtenOf(list, ROWS), ROWS, { column, text })).toEqual(expected);
  },
);

it.each(cases<[string, unknown[], string, number[]]>('filter with every digit'))(
  'compares an %s with every digit that its type has: %j %j',
  (type, values, text, expected) => {
    const rows = values.map((v) => ({ v }));
    expect(filterRows(writtenOf(`v ${type}`, rows), rows, { column: 'v', text })).toEqual(expected);
  },
);

it('writes each text once for all letters that are typed', () => {
  const rows = Array.from({ length: 1200 }, (_, index) => ({ name: `Row ${index}` }));
  let count = 0;
  const textOf = (value: unknown): string => {
    count += 1;
    return String(value);
  };
  const written = writtenOf('name STRING', rows).map((column) => ({ ...column, textOf }));
  const find = (text: string): number => filterRows(written, rows, { column: '', text }).length;
  expect([find('r'), find('row 1'), find('row 11'), find('R'), count]).toEqual([
    ...[1200, 311, 111, 1200, 1200],
  ]);
});

it.each(cases<[string, unknown[], Sorting['direction'], number[]]>('sort'))(
  'sorts values of %s with every digit, nulls last: %j, %s',
  (type, values, direction, expected) => {
    const rows = values.map((v) => ({ v }));
    const sorting = { column: 'v', direction };
    expect(sortRows(namedColumns(`v ${type}`), rows, sorting)).toEqual(expected);
    // Without a column to sort by, they are in the order of the answer.
    const all = [...values.keys()];
    for (const none of [undefined, { column: 'gone', direction }])
      expect(sortRows(namedColumns(`v ${type}`), rows, none)).toEqual(all);
  },
);

// A case may end with the unit of the column.
it.each(cases<[string, unknown[], string[], string?]>('numbers'))(
  'writes numbers of %s in one way: %j',
  (type, values, expected, unit = '') => {
    const rows = values.map((v) => ({ v }));
    const [written] = writtenOf(`v ${type}`, rows, unit);
    const texts = values.flatMap((value, row) =>
      value === null ? [] : (written?.textOf(value, row) ?? []),
    );
    expect(texts).toEqual(expected);
    const lengths = texts.map(({ length }) => length);
    expect(Math.max(...(written?.longest ?? []).map(({ length }) => length))).toBe(
      Math.max(...lengths),
    );
  },
);

it.each(cases<[number, string]>('bytes'))('writes %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each(
  cases<[string, { age?: number; bytesRead?: number; isLocal?: boolean }, string]>('freshness'),
)(
  'describes how fresh rows are: %s %j',
  (cacheStatus, { age = 0, bytesRead, isLocal = false }, expected) => {
    const nowMs = Date.parse('2026-11-20T10:00:00Z');
    jest.useFakeTimers({ now: nowMs });
    const computedAtMs = nowMs - age * 1000;
    const answer = { cacheStatus, bytesRead, rows: [{}, {}], durationMs: 12.3, computedAtMs };
    const { origin, age: words, parts } = describeFreshness(answer, isLocal);
    const [rows, ...read] = parts;
    expect(rows).toBe('2 rows in 12 ms');
    expect([`${origin}, ${words}`, ...read].join(' | ')).toBe(expected);
  },
);
