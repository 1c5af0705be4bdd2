// Tests of finding parameters, routines and tables in a query: code counts, comments and strings do not.
import {
  calledFunctions,
  parametersOf,
  tablePaths,
  withoutLayout,
} from '../../../scripts/lexer/sql-text.ts';

it.each([
  ['none', 'SELECT 1', []],
  ['in order of first use, once each', 'SELECT @b, @a, @b', ['b', 'a']],
  ['with underscores and digits', 'SELECT @function_id, @p2', ['function_id', 'p2']],
  ['without blanks around', 'SELECT IF(@a=@b,@c,1)', ['a', 'b', 'c']],
  ['not system variables', 'SELECT @@project_id, @@dataset.x, @a', ['a']],
  ['not in comments and strings', `SELECT @a -- @b\n, '@c', @d /* @e`, ['a', 'd']],
  ['not in a quoted identifier', 'SELECT `@b`, @a', ['a']],
  ['in back-ticks, which are no part of the name', 'SELECT @`b`, @a, @b', ['b', 'a']],
  ['not system variables in back-ticks', 'SELECT @@`b`, @a', ['a']],
])('the parameters of a query are found: %s', (_name, sql, expected) => {
  expect(parametersOf(sql).map(({ name }) => name)).toEqual(expected);
});

it.each([
  ['none', 'SELECT a FROM b', []],
  ['in order of first use, once each', 'SELECT f(g(1)), f(2)', ['f', 'g']],
  ['with blanks before the parenthesis', 'SELECT f (1), g\n(2)', ['f', 'g']],
  ['not in comments and strings', `SELECT 1 -- f(1)\n, 'g(2)'`, []],
  ['in back-ticks, which are no part of the name', 'SELECT `f`(1), f(2)', ['f']],
  ['of a dataset, by the end of the name', 'SELECT d.f(1)', ['f']],
  ['not a name without a call', 'SELECT f, g FROM h', []],
  ['as a whole, not by the end of a name', 'SELECT my_f(1)', ['my_f']],
])('the functions of a query are found: %s', (_name, sql, expected) => {
  expect(calledFunctions(sql).map(({ name }) => name)).toEqual(expected);
});

it.each<[string, string[]]>([
  ['SELECT a FROM orders', ['SELECT', 'a', 'FROM', 'orders']],
  ['FROM crm.customers', ['FROM', 'crm|customers']],
  ['FROM `crm.customers`', ['FROM', 'crm|customers']],
  ['FROM `acme-crm`.crm.`order list`', ['FROM', 'acme-crm|crm|order list']],
  ['FROM my-project-12.crm . customers', ['FROM', 'my-project-12|crm|customers']],
  ['FROM `example.com:acme.crm.customers`', ['FROM', 'example|com:acme|crm|customers']],
  ['FROM `a.events_2026*`', ['FROM', 'a|events_2026*']],
  ["'FROM x' -- FROM y\n/* `z` */ 1", ['1']],
  ['"it`s" `b`', ['b']],
])('the table paths of %s', (sql, paths) => {
  expect(tablePaths(sql).map(({ parts }) => parts.join('|'))).toEqual(paths);
});

it('a table path has its position', () => {
  const sql = "SELECT 'é', x FROM `a`.b";
  const { start = 0, end = 0 } = tablePaths(sql).at(-1) ?? {};
  expect(sql.slice(start, end)).toBe('`a`.b');
});

describe('a text without its layout', () => {
  it.each([
    ['SELECT 0x1F', 'SELECT 0 x1F'],
    ['SELECT 0X1f', 'SELECT 0 X1f'],
    ['SELECT 1e5', 'SELECT 1 e5'],
    ['SELECT 1.e5', 'SELECT 1. e5'],
    ['SELECT a.1b', 'SELECT a .1 b'],
    ['SELECT 1 .5', 'SELECT 1.5'],
    ["SELECT r'a'", "SELECT r 'a'"],
    ["SELECT rb'a'", "SELECT rb 'a'"],
    ["SELECT r b'a'", "SELECT rb'a'"],
    ['SELECT 1 --2\n', 'SELECT 1 - -2'],
    ['SELECT a <> b', 'SELECT a < > b'],
    ['SELECT a >= b', 'SELECT a > = b'],
    ['SELECT a || b', 'SELECT a | | b'],
    ['SELECT @@x', 'SELECT @ @x'],
    ['SELECT @x', 'SELECT @ x'],
    ["SELECT 'a b'", "SELECT 'a  b'"],
    ['SELECT `a b`', 'SELECT `a  b`'],
    ['SELECT ab', 'SELECT a b'],
  ])('%s is not %s', (one, other) => {
    expect(withoutLayout(one)).not.toEqual(withoutLayout(other));
  });

  it.each([
    ['SELECT a,b', 'SELECT\n  a,\n  b -- The second.\n'],
    ['SELECT f(a)', '/* All. */ SELECT f( a )'],
    ['SELECT a+b=c', 'SELECT a + b = c'],
    ['SELECT a FROM t WHERE((a))', 'SELECT a\tFROM t\r\nWHERE ( ( a ) )'],
    ['SELECT ARRAY<STRUCT<a INT64>>[]', 'SELECT ARRAY <STRUCT< a INT64>>[ ]'],
    ['SELECT a#b\n', 'SELECT a'],
  ])('%s is %s', (one, other) => {
    expect(withoutLayout(one)).toEqual(withoutLayout(other));
  });
});
