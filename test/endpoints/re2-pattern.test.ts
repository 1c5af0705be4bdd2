// Tests of patterns: accepts the syntax of RE2 (https://github.com/google/re2/wiki/Syntax), not that of JavaScript.
import { re2PatternFault } from '../../functions/endpoints/re2-pattern.ts';

describe('RE2', () => {
  it.each([
    ['an empty pattern', ''],
    ['classes', '[a-z0-9_-]+\\d\\w[[:alpha:]]'],
    ['flags', '(?i)abc(?s:.)'],
    ['a repetition of 1000', 'a{1000}'],
    ['repetitions that multiply to 1000', '(a{10}){100}'],
    ['a script', '\\p{Greek}'],
  ])('accepts %s', (_name, pattern) => {
    expect(re2PatternFault(pattern)).toBeUndefined();
  });

  it.each([
    ['an open class', '[a', 'missing closing ]'],
    ['a back-reference', '(a)\\1', 'invalid escape sequence'],
    ['a look-ahead', 'a(?=b)', 'invalid or unsupported Perl syntax'],
    ['a look-behind', '(?<=a)b', 'invalid'],
    ['a possessive repetition', 'a++', 'invalid nested repetition operator'],
    ['a backslash at the end', 'a\\', 'trailing backslash'],
    ['a repetition of 1001', 'a{1001}', 'invalid repeat count'],
    ['repetitions that multiply to 1100', '(a{11}){100}', 'invalid repeat count'],
    ['a group that no other one closes', '(', 'missing closing ): `(`'],
    ['a bar and a group', '|(', 'missing closing ): `|(`'],
  ])('rejects %s, with the reason', (_name, pattern, reason) => {
    const fault = re2PatternFault(pattern);
    expect(fault).toMatch(/^is not a regular expression of RE2: error parsing regexp: /);
    expect(fault).toContain(reason);
  });
});

/** Letters that differ, each with a space of one between it and the next. */
function letters(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String.fromCodePoint(0x4e00 + 2 * index));
}

// All of them would be taken by RE2JS, some after seconds.
describe('the limit on cost', () => {
  const REPEATED = 'it is too large (each repetition counts in full)';
  const FOLDED = 'its classes contain more than 30000 characters without regard to letter case';
  const CLASSES = 'it has more than 10 Unicode classes';

  it.each([
    ['3,001 characters', `[${'a'.repeat(2999)}]`, 'it is longer than 3000 characters'],
    ['2,501 instructions', 'a'.repeat(2500), 'it is too large'],
    ['repetitions that multiply to 1,000,000', '((a{100}){100}){100}', REPEATED],
    ['a long repetition of many groups', `(?:${'()'.repeat(120)}){1000}`, REPEATED],
    ['many long repetitions', '.{1,1000}'.repeat(28), REPEATED],
    ['a range of letters without regard to case, 80 times', `(?i)[${'Ā-ꟿ'.repeat(80)}]`, FOLDED],
    ['the same in a class that is never closed', `(?i)[${'Ā-ꟿ'.repeat(80)}`, FOLDED],
    ['the same in several classes, in hexadecimal', '(?i:[\\x{100}-\\x{A7FF}])'.repeat(10), FOLDED],
    ['a range that begins with the bracket', '(?i)[]-\u{1e942}]', FOLDED],
    ['words without regard to case, 235 times', `(?i)[${'\\w'.repeat(235)}]`, FOLDED],
    ['11 Unicode classes', `[${'\\pL'.repeat(11)}]`, CLASSES],
    ['11 of them apart', '\\P{Greek}|'.repeat(11), CLASSES],
  ])('rejects, with the reason: %s', (_name, pattern, reason) => {
    expect(re2PatternFault(pattern)).toBe(
      `is not a regular expression that this service accepts: ${reason}`,
    );
  });

  it.each([
    ['twelve projects', Array<string>(12).fill('kfqzwmxhvtrnjdbyplca').join('|')],
    ['a host', '(?i)^https?://(?:[a-z0-9-]+\\.)*example\\.(?:com|org)(?::\\d{1,5})?/'],
    ['2,498 characters', 'a'.repeat(2498)],
    ['a class of 2,998 characters', `[${'a'.repeat(2998)}]`],
    ['Chinese letters without regard to case', '(?i)[一-龥]{2,40}'],
    ['Latin and Greek letters without regard to case', '(?i)[a-zà-ÿĀ-ſ]+[Α-Ωα-ω]'],
    ['all characters outside ASCII', '[^\\x00-\\x7f]|[\\x{80}-\\x{10FFFF}]|(?i)[[:^ascii:]]'],
    ['ten Unicode classes', `[${'\\pL'.repeat(10)}]`],
    ['a repetition of 1000 of two', '(?:ab){1000}'],
    ['500 levels', `${'('.repeat(490)}a${')'.repeat(490)}`],
    ['a bracket in first position', '(?i)[]-z]'],
    ['braces with zeros, which are text', 'a{01}b{00}'],
  ])('accepts %s', (_name, pattern) => {
    expect(re2PatternFault(pattern)).toBeUndefined();
  });

  // RE2JS looks for a faster form of it in cubic time.
  it('accepts an anchored series of options within 200 ms of CPU time', () => {
    const pattern = `^${letters(480).join('?')}?$`;
    const before = process.cpuUsage();
    expect(re2PatternFault(pattern)).toBeUndefined();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(200);
  });
});
