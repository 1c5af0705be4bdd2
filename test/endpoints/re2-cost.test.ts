// Tests of the estimated cost of compiling a pattern: literal costs, and never less than RE2JS needs.
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { re2Cost } from '../../functions/endpoints/re2-cost.ts';

it.each([
  ['a|bc', [5, 0, 0]],
  ['ab*', [4, 0, 0]],
  ['ab{0}', [2, 0, 0]],
  ['(?:ab){3,5}', [26, 0, 0]],
  ['\\Qa{9}\\E{9}', [13, 0, 0]],
  ['[](]', [1, 0, 0]],
  ['[^](]', [1, 0, 0]],
  ['[a-z]', [1, 0, 0]],
  ['(?i)[a-z]', [1, 26, 0]],
  ['(?i:a)[a-z]', [4, 26, 0]],
  ['(?s-i)[a-z]', [1, 0, 0]],
  ['(?i)[\\x{100}-\\x{1FF}\\x41-\\x5a\\101-\\132]', [1, 308, 0]],
  ['(?i)[Ā-ǿ]', [1, 256, 0]],
  ['(?i)[😀-😂]', [1, 0, 0]],
  ['(?i)[𐐀-𐑏]', [1, 80, 0]],
  ['(?i)[\\x00-\\x{10FFFF}]', [1, 1, 0]],
  ['(?i)[\\x{100}-\\x{10FFFF}]', [1, 124_996, 0]],
  ['(?i)[-a]', [1, 1, 0]],
  ['(?i)[a-]', [1, 1, 0]],
  ['(?i)\\w[\\W[:alpha:][:^word:]]', [2, 512, 0]],
  ['\\pL[\\p{Greek}\\P{^Lu}]\\PN', [3, 0, 4]],
])('the cost of %j is %j', (pattern, [instructions, foldedCodePoints, unicodeClasses]) => {
  expect(re2Cost(pattern)).toEqual({ instructions, foldedCodePoints, unicodeClasses });
});

const PIECES = [
  String.raw`a ab . ^ $ \b | || ( ) (?: (?i) (?i: (?P<n> (a|b)`,
  String.raw`[ [^ ] [] [^] - a-z [:alpha:] [[:word:]] [a-z] [\]a] \[ \]`,
  String.raw`* +? ? {2} {0} {0,} {3,} {2,5} {00} {01} {10} {,3} { }`,
  String.raw`\Q \E \Qa(b\E \w \pL \p{Greek} \x{100} \x41 \101 \\ 😀`,
].flatMap((pieces) => pieces.split(' '));

it('the cost is never lower than the size of the program that RE2JS compiles', () => {
  let takenCount = 0;
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }),
      fc.constantFrom('', '{10}', '{2,9}', '*'),
      (pieces, repetition) => {
        const text = pieces.join('');
        for (const pattern of [text, `(?:${text})${repetition}`]) {
          const { instructions } = re2Cost(pattern);
          const size = programSize(pattern);
          if (size === undefined) continue;
          takenCount += 1;
          // Every program begins with a failure and ends with a match.
          expect([pattern, size - 2 <= instructions + 1]).toEqual([pattern, true]);
        }
      },
    ),
    { numRuns: 5000 },
  );
  expect(takenCount).toBeGreaterThan(2000);
});

function programSize(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return undefined;
  }
}
