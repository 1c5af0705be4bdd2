// Tests of splitting SQL into tokens.
import fc from 'fast-check';
import { applyEdits, tokens } from '../../../scripts/lexer/sql-tokens.ts';

it.each([
  ["'a''b'", ["'a'", "'b'"]],
  [String.raw`'it\'s' x 'a\\' y`, [String.raw`'it\'s'`, 'x', String.raw`'a\\'`, 'y']],
  [String.raw`"""a\"""b""" c`, [String.raw`"""a\"""b"""`, 'c']],
  [`'--' a "/*" b '#' c '' d "" e`, ["'--'", 'a', '"/*"', 'b', "'#'", 'c', "''", 'd', '""', 'e']],
  [String.raw`r'\'' + rb"\\"`, [String.raw`r'\''`, '+', String.raw`rb"\\"`]],
  ["'''a 'b' \n c''' d", ["'''a 'b' \n c'''", 'd']],
  ['"""a "b" ""c""" d', ['"""a "b" ""c"""', 'd']],
  [`a -- it's\nc # d\ne /* ** " \n **/ g -- h`, ['a', 'c', 'e', 'g']],
  ['`a b`.c', ['`a b`', '.', 'c']],
  ['@p @@v @`q`', ['@p', '@@v', '@`q`']],
  ['1.5e3+.5', ['1.5e3', '+', '.5']],
  ["br'x' rb'y' b'z'", ["br'x'", "rb'y'", "b'z'"]],
  ['SELECT 0x1F, 0Xab', ['SELECT', '0x1F', ',', '0Xab']],
  ['t.1abc + .5 + a.b.2c', ['t', '.', '1abc', '+', '.5', '+', 'a', '.', 'b', '.', '2c']],
  [
    'f(x).1a [0].5b `q`.3',
    ['f', '(', 'x', ')', '.', '1a', '[', '0', ']', '.', '5b', '`q`', '.', '3'],
  ],
  ['1.5 1. 1.e5 1e-5 (.5)', ['1.5', '1.', '1.e5', '1e-5', '(', '.5', ')']],
  ['/* never closed', []],
  ["'never closed", ["'never closed"]],
])('splits %s', (sql, expected) => {
  expect(tokens(sql).map(({ text }) => text)).toEqual(expected);
});

it('never loses or repeats a character, whatever the text', () => {
  const piece = fc.oneof(
    fc.constantFrom("'", '"', '`', '\\', '--', '/*', '*/', '\n', '#', "'''", 'r', '@'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const sql = pieces.join('');
      let end = 0;
      for (const token of tokens(sql)) {
        expect(token.start).toBeGreaterThanOrEqual(end);
        expect(sql.slice(token.start, token.end)).toBe(token.text);
        end = token.end;
      }
      expect(applyEdits(sql, [])).toBe(sql);
    }),
  );
});

it('applies edits at their positions in the original text', () => {
  const edits = [
    { start: 4, end: 5, text: '[five]' },
    { start: 0, end: 1, text: '' },
  ];
  expect(applyEdits('12345', edits)).toBe('234[five]');
});

it('applies insertions before a replacement at the same position', () => {
  const edits = [
    { start: 1, end: 2, text: 'two' },
    { start: 1, end: 1, text: 'a' },
    { start: 1, end: 1, text: 'b' },
  ];
  expect(applyEdits('123', edits)).toBe('1abtwo3');
});
