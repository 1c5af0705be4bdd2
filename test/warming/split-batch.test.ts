// Tests of splitting the rows of a batch into one result for each key, for every division into pages.
import fc from 'fast-check';
import type { ColumnSchema, WireRow } from '../../functions/core/query-runner.ts';
import { type KeyPart, createKeySplitter } from '../../functions/warming/split-batch.ts';

const KEY: ColumnSchema = { name: 'key', type: 'STRING' };
const COUNT: ColumnSchema = { name: 'count', type: 'INT64' };
const SCHEMA = [KEY, COUNT];

const row = (...values: unknown[]): WireRow => ({ f: values.map((v) => ({ v })) });

/** The results by key, of rows that come in these pages. */
function split(keys: string[], pages: WireRow[][], rowCountMax = 1000): Map<string, KeyPart> {
  const splitter = createKeySplitter(keys, rowCountMax);
  const results = new Map<string, KeyPart>();
  for (const part of [
    ...pages.flatMap((page) => splitter.push(SCHEMA, page)),
    ...splitter.finish(),
  ]) {
    const before = results.get(part.key);
    results.set(part.key, {
      ...part,
      rows: [...(before?.rows ?? []), ...part.rows],
      truncated: part.truncated || before?.truncated === true,
    });
  }
  expect(results.size).toBe(keys.length);
  return results;
}

it('delivers the rows of each page with the page, by key', () => {
  const splitter = createKeySplitter(['a', 'b', 'c'], 1000);
  expect(splitter.push(SCHEMA, [row('a', '1')])).toMatchObject([{ key: 'a', rows: [row('1')] }]);
  expect(splitter.push(SCHEMA, [row('a', '2'), row('b', '3')])).toMatchObject([
    { key: 'a', rows: [row('2')] },
    { key: 'b', rows: [row('3')] },
  ]);
  expect(splitter.finish()).toMatchObject([{ key: 'c', rows: [] }]);
});

const NO_KEY = 'The first column of a batch must be key.';
const UNKNOWN = 'A batch returned an unknown key: its query must return key of @keys as it is.';
const AGAIN =
  'A batch returned a key again after another key: its query does not order the rows by key.';

// Rows that cannot be told apart would end up in somebody else's result.
it.each<[string, ColumnSchema[], WireRow[], string]>([
  ['without a column key in front', [COUNT, KEY], [row('1', 'a')], NO_KEY],
  ['without any column', [], [], NO_KEY],
  ['with a key that was not asked for', SCHEMA, [row('c', '1')], UNKNOWN],
  ['with no key', SCHEMA, [row(null, '1')], UNKNOWN],
  ['that is not ordered by key', SCHEMA, [row('a', '1'), row('b', '2'), row('a', '3')], AGAIN],
])('rejects a result %s', (_, schema, rows, message) => {
  expect(() => createKeySplitter(['a', 'b'], 10).push(schema, rows)).toThrow(message);
});

it('depends only on the rows, wherever the pages end', () => {
  const results = fc.uniqueArray(
    fc.record({ key: fc.string(), counts: fc.array(fc.nat(), { maxLength: 5 }) }),
    { selector: ({ key }) => key, maxLength: 6 },
  );
  fc.assert(
    fc.property(
      results,
      fc.array(fc.nat({ max: 8 }), { maxLength: 10 }),
      fc.integer({ min: 1, max: 6 }),
      (given, pageSizes, rowCountMax) => {
        const rows = given.flatMap(({ key, counts }) => counts.map((n) => row(key, String(n))));
        const pages = [...pageSizes.map((size) => rows.splice(0, size)), rows];
        const found = split(
          given.map(({ key }) => key),
          pages,
          rowCountMax,
        );
        for (const { key, counts } of given) {
          expect(found.get(key)?.rows).toEqual(
            counts.slice(0, rowCountMax).map((n) => row(String(n))),
          );
          expect(found.get(key)?.truncated).toBe(counts.length > rowCountMax);
        }
      },
    ),
  );
});
