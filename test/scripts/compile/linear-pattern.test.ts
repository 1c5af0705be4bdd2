// Tests of patterns of definitions: they mean in RE2 what they mean in JavaScript, or are refused, and take little time.
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { linearPattern } from '../../../scripts/compile/linear-pattern.ts';
import { cpuMs } from '../../support/process.ts';
import { casesBeside, expectLast } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

/** As the functions search a text for it. */
function search(pattern: string, textLengthMax?: number): (text: string) => boolean {
  const re2 = RE2JS.compile(linearPattern(pattern, textLengthMax));
  return (text) => re2.test(text);
}

describe('a pattern of a definition', () => {
  it('accepts the same texts as JavaScript', () => {
    const ATOMS = [
      String.raw`a - & \- \/ \\ \[ \u0041 \u{1F600} \ud83d\ude00 \x5f`,
      String.raw`\cJ \0 \t \v \d \D \w \W \s \S \p{Lu} \P{L} \p{Script=Greek} \p{sc=Latin}`,
    ].flatMap((atoms) => atoms.split(' '));
    const IN_CLASS = ATOMS.filter((atom) => atom !== '-');
    const RANGES = String.raw`a-c A-\x5a \u{61}-\u{7a} +-- \ud83d\ude00-\u{1f64f} \0-\x1f`.split(
      ' ',
    );
    const ASSERTIONS = ['.', '^', '$', '\\b', '\\B'];
    const CLASSES = [
      '[]',
      '[^]',
      '[a-]',
      '[-a]',
      '[^^]',
      '[\\b]',
      '[\\]]',
      '[\\w-]',
      '[&&&]',
      '[[:a]',
    ];
    const classes = fc
      .tuple(
        fc.constantFrom('', '^'),
        fc.array(fc.constantFrom(...IN_CLASS, ...RANGES), { minLength: 1, maxLength: 4 }),
      )
      .map(([not, members]) => `[${not}${members.join('')}]`);
    const { pattern: patterns } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
      pattern: fc
        .array(fc.array(tie('term'), { maxLength: 3 }), { minLength: 1, maxLength: 2 })
        .map((alternatives) => alternatives.map((terms) => terms.join('')).join('|')),
      term: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(...ATOMS.filter((atom) => atom !== '\\-'), ...CLASSES, ...ASSERTIONS),
        classes,
        fc
          .tuple(
            tie('pattern'),
            fc.constantFrom('(?:', '('),
            fc.constantFrom('', '*', '+?', '?', '{2}', '{0,2}', '{1,}'),
          )
          .map(([inner, open, times]) => `${open}${inner})${times}`),
      ),
    }));
    const characters = [
      ...'aAbz09_- \t\n\r\v\0\b^]\\/[&éÀαΩ\u00a0\u2028\ufeff\u180e\u200b',
      '😀',
      '😁',
    ];
    const texts = fc.string({ unit: fc.constantFrom(...characters), maxLength: 6 });

    /** At every character, as ECMA-262 searches: V8 also looks for `\\B` between the halves of one. */
    function isFound(pattern: string, text: string): boolean {
      const sticky = new RegExp(pattern, 'uy');
      const starts = [...text].map((_, index, all) => all.slice(0, index).join('').length);
      return [...starts, text.length].some((start) => {
        sticky.lastIndex = start;
        return sticky.test(text);
      });
    }

    fc.assert(
      fc.property(
        patterns,
        fc.array(texts, { minLength: 5, maxLength: 10 }),
        (pattern, samples) => {
          const matches = search(pattern, 10);
          expect(samples.map(matches)).toEqual(samples.map((text) => isFound(pattern, text)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(cases('rejected'))(
    'is rejected: %s',
    expectLast((pattern: string) => linearPattern(pattern)),
  );

  it('may have named groups, and a long repetition if the text is short', () => {
    expect(['ab', 'b'].map(search('^(?<first>a)(?:b)$'))).toEqual([true, false]);
    const matches = search('^[a-z]{1,120}$', 4065);
    expect([matches('a'.repeat(120)), matches('a'.repeat(121))]).toEqual([true, false]);
  });

  // Each takes JavaScript's engine hours.
  it.each(cases<[pattern: string, unit: string]>('slow in JavaScript'))(
    '%s takes less than a second for 16,000 characters',
    (pattern, unit) => {
      const matches = search(pattern);
      const startedMs = cpuMs();
      expect(matches(`${unit.repeat(16_000 / unit.length)}!`)).toBe(false);
      expect(cpuMs() - startedMs).toBeLessThan(1000);
    },
  );

  it('compiles in less than a second, whatever the pattern', () => {
    const optional = Array.from({ length: 480 }, (_, index) =>
      String.fromCodePoint(0x4e_00 + 2 * index),
    );
    const startedMs = cpuMs();
    expect(search(`^${optional.join('?')}?$`, 480)('')).toBe(true);
    expect(cpuMs() - startedMs).toBeLessThan(1000);
  });
});
