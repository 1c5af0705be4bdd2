// Where the values of a JSON file are, by JSON pointers.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { pointerStep } from '../../../scripts/faults/schema-error.ts';
import { parseJsonDocument } from '../../../scripts/faults/json-document.ts';

const TEXT = `{
  "name": "ö😀", "row": { "a/b~c": { "type": "STRING" } },
  "list": [
    1, [2, 3]
  ]
}`;

it.each([
  ['', 1, 1],
  ['/name', 2, 3],
  ['/row', 2, 18],
  [`/row${pointerStep('a/b~c')}`, 2, 27],
  ['/list', 3, 3],
  ['/list/0', 4, 5],
  ['/list/1/1', 4, 12],
])('locates %s', (pointer, line, column) => {
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
])('locates the missing %s at its closest parent', (pointer, line, column) => {
  const { faultAt } = parseJsonDocument('a.json', TEXT);
  expect(faultAt(pointer, '')).toMatchObject({ line, column });
});

it('reads the same value as JSON.parse, and rejects duplicate fields', () => {
  expect(parseJsonDocument('a.json', TEXT).value).toEqual(JSON.parse(TEXT));
  const { value, faults } = parseJsonDocument(
    'a.json',
    '[{"a": 1,\n"b": {"a": 2, "a": 3}, "b": 4}]',
  );
  expect([value, ...faults.map(({ message, ...place }) => [place, message])]).toEqual([
    undefined,
    [{ file: 'a.json', line: 2, column: 15 }, 'duplicate field a: first in 2:7'],
    [{ file: 'a.json', line: 2, column: 24 }, 'duplicate field b: first in 2:1'],
  ]);
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
])('rejects what JSON.parse rejects: %j', (text) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  const { value, faults } = parseJsonDocument('a.json', text);
  expect(value).toBeUndefined();
  expect(faults).toHaveLength(1);
});

it.each(['endpoint', 'table', 'tests'])('%s.schema.json is a JSON Schema', (name) => {
  const schema = JSON.parse(readFileSync(`sql/${name}.schema.json`, 'utf8')) as object;
  expect(new Ajv().validateSchema(schema)).toBe(true);
});
