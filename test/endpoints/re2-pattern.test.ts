// Tests of patterns: accepts the syntax of RE2 (https://github.com/google/re2/wiki/Syntax), not that of JavaScript.
import { re2PatternFault } from '../../functions/endpoints/re2-pattern.ts';
import { casesBeside } from '../support/cases.ts';
import { cpuMs } from '../support/process.ts';

const cases = casesBeside(import.meta.filename);

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

  it.each(cases<[string, string, string]>('invalid'))(
    'rejects %s, with the reason',
    (_name, pattern, reason) => {
      const fault = re2PatternFault(pattern);
      expect(fault).toMatch(/^is not a regular expression of RE2: error parsing regexp: /);
      expect(fault).toContain(reason);
    },
  );
});

// All of them would be taken by RE2JS, some after a second.
describe('the limit on cost', () => {
  const REPEATED = 'it is too large (each repetition counts in full)';
  const FOLDED = 'it has more than 20 ranges without regard to letter case';

  it.each([
    ['1,001 characters', 'a'.repeat(1001), 'it is longer than 1000 characters'],
    ['2,502 instructions', '(aaaaa){500}', 'it is too large'],
    ['a long repetition of many groups', `(?:${'()'.repeat(120)}){1000}`, REPEATED],
    ['repetitions that multiply to 1000', `(((${'a'.repeat(350)}){10}){10}){10}`, REPEATED],
    ['many long repetitions', '.{1,1000}'.repeat(28), REPEATED],
    ['a range of letters without regard to case, 80 times', `(?i)[${'Ā-ꟿ'.repeat(80)}]`, FOLDED],
    [
      'the same after a bracket, in hexadecimal',
      `(?s-m:(?mi)[]${'\\x{100}-\\x{A7FF}'.repeat(21)}])`,
      FOLDED,
    ],
    ['an open repetition of many letters', `(${'a'.repeat(500)}){40,}`, REPEATED],
  ])('rejects, with the reason: %s', (_name, pattern, reason) => {
    expect(re2PatternFault(pattern)).toBe(
      `is not a regular expression that this service accepts: ${reason}`,
    );
  });

  it.each([
    ...cases<[string, string]>('accepted'),
    ['forty projects', Array<string>(40).fill('kfqzwmxhvtrnjdbyplca').join('|')],
    ['1,000 characters', 'a'.repeat(1000)],
  ])('accepts %s', (_name, pattern) => {
    expect(re2PatternFault(pattern)).toBeUndefined();
  });

  // RE2JS looks for a faster form of it in cubic time.
  it('accepts an anchored series of options within 200 ms of CPU time', () => {
    /** Letters that differ, each with a space of one between it and the next. */
    function letters(count: number): string[] {
      return Array.from({ length: count }, (_, index) => String.fromCodePoint(0x4e00 + 2 * index));
    }

    const pattern = `^${letters(480).join('?')}?$`;
    const startedMs = cpuMs();
    expect(re2PatternFault(pattern)).toBeUndefined();
    expect(cpuMs() - startedMs).toBeLessThan(200);
  });
});
