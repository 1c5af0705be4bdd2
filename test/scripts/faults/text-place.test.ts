// Tests of lines and columns: of editors, and of GoogleSQL.
import {
  googleSqlPlace,
  lineAndColumn,
  offsetOfGoogleSql,
} from '../../../scripts/faults/text-place.ts';

it.each([
  ['the first character', 'SELECT', 0, { line: 1, column: 1 }],
  ['the end of a text', 'SELECT', 6, { line: 1, column: 7 }],
  ['the start of a line', 'a\nb', 2, { line: 2, column: 1 }],
  ['a line after a carriage return', 'a\r\nb', 3, { line: 2, column: 1 }],
  ['the character after a tab', '\tb', 1, { line: 1, column: 2 }],
  ['the character after an emoji, two code units', '😀b', 2, { line: 1, column: 3 }],
])('%s has the position that an editor shows', (_, text, offset, place) => {
  expect(lineAndColumn(text, offset)).toEqual(place);
});

it.each([
  ['on a later line', 'a\nbc', { line: 2, column: 2 }, 'c'],
  ['after tabs', 'SELECT\t\tzz', { line: 1, column: 17 }, 'zz'],
  ['after an emoji', "SELECT '😀', zz", { line: 1, column: 13 }, 'zz'],
  ['at the end', 'SELECT', { line: 1, column: 7 }, ''],
])('a position of GoogleSQL %s is converted to the right offset', (_, text, place, rest) => {
  expect(text.slice(offsetOfGoogleSql(text, place))).toBe(rest);
  expect(googleSqlPlace(text, text.length - rest.length)).toBe(`${place.line}:${place.column}`);
});
