// How the console splits text into the values of a list.
import { splitPasted, splitValues } from '../../../functions/console/form/split-values.ts';

it.each([
  ['STRING', 'a,b', ['a', 'b']],
  ['STRING', ' b ; a;; b ;', ['b', 'a', 'b']],
  ['STRING', 'a\tb\r\nc d\n\n', ['a', 'b', 'c d']],
  // The strongest separator alone: values can contain the others.
  ['STRING', 'Smith, John\nDoe; Jane', ['Smith, John', 'Doe; Jane']],
  ['STRING', 'a, b; c', ['a, b', 'c']],
  ['STRING', 'one value\n', ['one value']],
  ['STRING', ' ,; ', [',']],
  ['INT64', '1, 2;3\t3\n4', ['1', '2', '3', '3', '4']],
  ['DATETIME', '2026-11-20 10:00, 2026-11-21 10:00', ['2026-11-20 10:00', '2026-11-21 10:00']],
  ['STRING', '', []],
])('splits pasted text of %s: %j', (scalar, text, expected) => {
  expect(splitPasted(text, scalar)).toEqual(expected);
});

it('splits typed text of a STRING at line breaks alone', () => {
  expect(splitValues(' a, b;c \n\n d ', 'STRING')).toEqual(['a, b;c', 'd']);
  expect(splitValues('1, 2\n3', 'INT64')).toEqual(['1', '2', '3']);
});
