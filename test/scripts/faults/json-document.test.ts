// Where the values of a JSON file are, by JSON pointers.
import { pointerStep } from '../../../scripts/faults/schema-error.ts';
import { parseJsonDocument } from '../../../scripts/faults/json-document.ts';

const TEXT = `{
  "name": "ö😀", "row": { "a/b~c": { "type": "STRING" } },
  "list": [
    1, [2, 3]
  ],
  "twice": 1,
  "twice": 2
}`;

it.each([
  ['', 1, 1],
  ['/name', 2, 3],
  ['/row', 2, 18],
  [`/row${pointerStep('a/b~c')}`, 2, 27],
  ['/list', 3, 3],
  ['/list/0', 4, 5],
  ['/list/1/1', 4, 12],
])('finds %s', (pointer, line, column) => {
  const { faults, faultAt } = parseJsonDocument('a.json', TEXT);
  expect(faults).toEqual([]);
  expect(faultAt(pointer, 'is wrong')).toEqual({
    file: 'a.json',
    line,
    column,
    message: 'is wrong',
  });
});

it.each([
  ['/row/type', 2, 18],
  ['/list/7/2', 3, 3],
  ['/name/length', 2, 3],
  ['/owner', 1, 1],
])('reports %s, which is not there, at what is around it', (pointer, line, column) => {
  const { faultAt } = parseJsonDocument('a.json', TEXT);
  expect(faultAt(pointer, '')).toMatchObject({ line, column });
});

it('reads the last of two properties with one name, as JSON.parse does', () => {
  const { value, faultAt } = parseJsonDocument('a.json', TEXT);
  expect(value).toEqual(JSON.parse(TEXT));
  expect(faultAt('/twice', '')).toMatchObject({ line: 7, column: 3 });
});

it.each([
  '',
  '{"a": 1,}',
  '[01]',
  "{'a': 1}",
  '{"a": 1} {}',
  '["\\q"]',
  '["\t"]',
  '\uFEFF[]',
  '// a\n1',
])('reads no value where JSON.parse reads none: %j', (text) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  const { value, faults } = parseJsonDocument('a.json', text);
  expect(value).toBeUndefined();
  expect(faults).toHaveLength(1);
});
