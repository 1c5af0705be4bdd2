// Tests of splitting SQL into tokens.
import fc from 'fast-check';
import { applyEdits, tokens } from '../../../scripts/lexer/sql-tokens.ts';
import { casesBeside, expectLast } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

it.each(cases('tokens'))(
  'tokens %s',
  expectLast((sql: string) => tokens(sql).map(({ text }) => text)),
);

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
