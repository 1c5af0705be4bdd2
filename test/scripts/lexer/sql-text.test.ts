// Tests of finding parameters and routines in a query: code counts, comments and strings do not.
import { calledFunctions, parametersOf } from '../../../scripts/lexer/sql-text.ts';

describe('the parameters of a query', () => {
  it.each([
    ['none', 'SELECT 1', []],
    ['in order of first use, once each', 'SELECT @b, @a, @b', ['b', 'a']],
    ['with underscores and digits', 'SELECT @function_id, @p2', ['function_id', 'p2']],
    ['without blanks around', 'SELECT IF(@a=@b,@c,1)', ['a', 'b', 'c']],
    ['not system variables', 'SELECT @@project_id, @@dataset.x, @a', ['a']],
    ['not in a line comment', 'SELECT @a -- @b\n, @c', ['a', 'c']],
    ['not in a comment at the end of the file', 'SELECT @a -- @b', ['a']],
    ['not in a hash comment', 'SELECT @a # @b\n, @c', ['a', 'c']],
    ['not in a block comment', 'SELECT @a /* @b\n @c */, @d', ['a', 'd']],
    ['after a block comment that holds stars', 'SELECT /* ** @b **/ @a', ['a']],
    ['not in a string', `SELECT '@b', "@c", @a`, ['a']],
    ['not in a string with an escaped quote', String.raw`SELECT 'it\'s @b', "a\"@c", @a`, ['a']],
    ['not in a raw string', String.raw`SELECT r'\d@b', @a`, ['a']],
    ['after a string that ends with a backslash', String.raw`SELECT 'a\\', @a`, ['a']],
    ['not in a string of three quotes', `SELECT """@b 'x' "y" @c""", @a`, ['a']],
    ['not in a string of three single quotes', `SELECT '''@b "x" it's\n @c''', @a`, ['a']],
    [
      'not in a string of three quotes that escapes one of them',
      String.raw`SELECT """a\"""@b""", @a`,
      ['a'],
    ],
    ['not in a quoted identifier', 'SELECT `@b`, @a', ['a']],
    ['in back-ticks, which are no part of the name', 'SELECT @`b`, @a, @b', ['b', 'a']],
    ['not system variables in back-ticks', 'SELECT @@`b`, @a', ['a']],
    ['not in a comment that is never closed', 'SELECT @a /* @b', ['a']],
    [
      'after a string that holds a comment mark',
      `SELECT '--', @a, "/*", @b, '#', @c`,
      ['a', 'b', 'c'],
    ],
    ['after a comment that holds a quote', `-- it's\nSELECT @a /* " */, @b`, ['a', 'b']],
    ['after an empty string', `SELECT '', @a, "", @b`, ['a', 'b']],
  ])('are found: %s', (_name, sql, expected) => {
    expect(parametersOf(sql).map(({ name }) => name)).toEqual(expected);
  });
});

describe('the functions of a query', () => {
  it.each([
    ['none', 'SELECT a FROM b', []],
    ['in order of first use, once each', 'SELECT f(g(1)), f(2)', ['f', 'g']],
    ['with blanks before the parenthesis', 'SELECT f (1), g\n(2)', ['f', 'g']],
    ['not in a comment', 'SELECT 1 -- f(1)\n/* g(2) */ # h(3)', []],
    ['not in a string', `SELECT 'f(1)', "g(2)", """h(3)"""`, []],
    ['in back-ticks, which are no part of the name', 'SELECT `f`(1), f(2)', ['f']],
    ['of a dataset, by the end of the name', 'SELECT d.f(1)', ['f']],
    ['not a name without a call', 'SELECT f, g FROM h', []],
    ['as a whole, not by the end of a name', 'SELECT my_f(1)', ['my_f']],
  ])('are found: %s', (_name, sql, expected) => {
    expect(calledFunctions(sql).map(({ name }) => name)).toEqual(expected);
  });
});
