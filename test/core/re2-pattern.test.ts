// Which patterns RE2 takes (https://github.com/google/re2/wiki/Syntax), and nothing that JavaScript takes instead.
import { re2PatternFault } from '../../functions/core/re2-pattern.ts';

describe('RE2', () => {
  it.each([
    ['a literal', 'abc'],
    ['an empty pattern', ''],
    ['anchors', '^abc$'],
    ['classes', '[a-z0-9_-]+\\d\\w[[:alpha:]]'],
    ['flags', '(?i)abc(?s:.)'],
    ['a named group', '(?P<name>a)'],
    ['a lazy repetition', 'a+?'],
    ['a repetition of 1000', 'a{1000}'],
    ['repetitions that multiply to 1000', '(a{10}){100}'],
    ['a script', '\\p{Greek}'],
    ['a quoted passage', '\\Qa.b\\E'],
    ['the beginning and end of the text', '\\Aabc\\z'],
  ])('takes %s', (_name, pattern) => {
    expect(re2PatternFault(pattern)).toBeUndefined();
  });

  it.each([
    ['an open class', '[a', 'missing closing ]'],
    ['an open group', '(a', 'missing closing )'],
    ['a closing parenthesis too many', 'a)', 'unexpected )'],
    ['a repetition of nothing', '*', 'missing argument to repetition operator'],
    ['a repetition of a repetition', 'a**', 'invalid nested repetition operator'],
    ['a back-reference', '(a)\\1', 'invalid escape sequence'],
    ['a look-ahead', 'a(?=b)', 'invalid or unsupported Perl syntax'],
    ['a negative look-ahead', 'a(?!b)', 'invalid or unsupported Perl syntax'],
    ['a look-behind', '(?<=a)b', 'invalid'],
    ['a possessive repetition', 'a++', 'invalid nested repetition operator'],
    ['a backslash at the end', 'a\\', 'trailing backslash'],
    ['an inverted range', '[z-a]', 'invalid character class range'],
    ['a repetition of 1001', 'a{1001}', 'invalid repeat count'],
    ['repetitions that multiply to 1,000,000', '((a{100}){100}){100}', 'invalid repeat count'],
    ['an unknown class', '\\p{Klingon}', 'invalid character class range'],
  ])('refuses %s, and says why', (_name, pattern, reason) => {
    expect(re2PatternFault(pattern)).toContain(reason);
  });
});
