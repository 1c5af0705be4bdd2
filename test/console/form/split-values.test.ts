// How the console splits text into the values of a list, and writes values so that no other ones come of them.
import fc from 'fast-check';
import { joinValues, splitValues } from '../../../functions/console/form/split-values.ts';

it.each([
  ['STRING', ' a, b;c \n\n d ', ['a, b;c', 'd']],
  ['STRING', 'a\r\nc d\n\n', ['a', 'c d']],
  ['STRING', '', []],
  ['STRING', '["a\\nb", " "]', ['a\nb', ' ']],
  ['STRING', '[1]', ['[1]']],
  ['STRING', '[a', ['[a']],
  ['INT64', '1, 2;3\t3\n4', ['1', '2', '3', '3', '4']],
  ['DATETIME', '2026-11-20 10:00, 2026-11-21 10:00', ['2026-11-20 10:00', '2026-11-21 10:00']],
])('splits text of %s: %j', (scalar, text, expected) => {
  expect(splitValues(text, scalar)).toEqual(expected);
});

it.each(['STRING', 'INT64'])('shows any values of %s so that they stay what they are', (scalar) => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (values) => {
      const expected = values.length === 1 && values[0] === '' ? [] : values;
      expect(splitValues(joinValues(values, scalar), scalar)).toEqual(expected);
    }),
  );
});
