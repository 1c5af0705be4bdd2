// Where the values of a JSON file are, by JSON pointers.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import {
  type DefinitionFault,
  byPlace,
  formatFault,
} from '../../../scripts/faults/definition-fault.ts';
import { parseJsonDocument } from '../../../scripts/faults/json-document.ts';
import { casesBeside, expectLast } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const TEXT = `{
  "name": "ö😀", "row": { "a/b~c": { "type": "STRING" } },
  "list": [
    1, [2, 3]
  ]
}`;

/** Of what is missing, that of its closest parent. */
it.each(cases('places'))(
  'the place of %s',
  expectLast((pointer: string) =>
    formatFault(parseJsonDocument('a.json', TEXT).faultAt(pointer, 'is wrong')),
  ),
);

it('lists the faults of a file from its start to its end, after those of the whole file', () => {
  const faults: DefinitionFault[] = ['9:1', '2:7', '', '2:3', '', '10:1'].map((message) => {
    const [line, column] = message.split(':').map(Number);
    return { file: 'f', message, ...(column && { line, column }) };
  });
  const sorted = faults.sort(byPlace).map(({ message }) => message);
  expect(sorted).toEqual(['', '', '2:3', '2:7', '9:1', '10:1']);
});

it('reads the same value as JSON.parse, and rejects duplicate fields', () => {
  const read = parseJsonDocument('a.json', TEXT);
  expect([read.value, read.faults]).toEqual([JSON.parse(TEXT), []]);
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
