// Strings: regular expressions, SPLIT, FORMAT, normal forms, LIKE with quantifiers, collation-free comparison.
import type { RowsCases } from './case.ts';

export const strings: RowsCases = {
  'REGEXP_CONTAINS looks anywhere in the text': [
    "SELECT REGEXP_CONTAINS('foo@example.com', r'@[a-z]+\\.com$'), REGEXP_CONTAINS('abc', '^b'), REGEXP_CONTAINS('ABC', '(?i)b')",
    ['true', 'false', 'true'],
  ],
  'REGEXP_EXTRACT gives the group, from a position, at an occurrence': [
    `SELECT REGEXP_EXTRACT('foo@example.com', r'^(\\w+)@'), REGEXP_EXTRACT('Hello Helloo and Hellooo', 'H?ello+', 1, 3),
      REGEXP_EXTRACT('Hello Helloo and Hellooo', 'H?ello+', 2), REGEXP_EXTRACT('abc', 'x')`,
    ['foo', 'Hellooo', 'ello', null],
  ],
  'REGEXP_EXTRACT_ALL gives all matches': [
    "SELECT REGEXP_EXTRACT_ALL('Try `f(x)` or `g(x)`', '`(.+?)`'), REGEXP_EXTRACT_ALL('a1b22', r'\\d+'), REGEXP_EXTRACT_ALL('a', r'\\d')",
    [['f(x)', 'g(x)'], ['1', '22'], []],
  ],
  'REGEXP_REPLACE refers to groups with backslashes': [
    "SELECT REGEXP_REPLACE('# Heading', r'^# ([a-zA-Z0-9\\s]+$)', r'<h1>\\1</h1>'), REGEXP_REPLACE('aaa', 'a', 'b'), REGEXP_REPLACE('abc', 'b*', '-')",
    ['<h1>Heading</h1>', 'bbb', '-a-c-'],
  ],
  'REGEXP_INSTR and INSTR count from 1': [
    "SELECT REGEXP_INSTR('ab@cd-ef', '@[^-]*'), REGEXP_INSTR('a@cd-ef b@', '@[^-]*', 3), INSTR('banana', 'an', 1, 2), INSTR('banana', 'an', -1), INSTR('a', 'x')",
    ['3', '10', '4', '4', '0'],
  ],
  'SPLIT keeps empty parts; an empty delimiter splits characters': [
    "SELECT SPLIT('a,,b'), SPLIT('a-b', '-'), SPLIT('äb', ''), SPLIT('')",
    [['a', '', 'b'], ['a', 'b'], ['ä', 'b'], ['']],
  ],
  'FORMAT writes numbers by their specifiers': [
    "SELECT FORMAT('%d|%5d|%05d|%+d|%x', 10, 10, 10, 10, 255), FORMAT('%.2f|%e|%g', 1.005e0 + 1, 1234.5, 0.5), FORMAT(\"%'d\", 1234567)",
    ['10|   10|00010|+10|ff', '2.00|1.234500e+03|0.5', '1,234,567'],
  ],
  'FORMAT writes any value with %t, as a literal with %T, and takes widths as arguments': [
    `SELECT FORMAT('%t %T', 'a', 'a'), FORMAT('%t %T', DATE '2026-01-02', DATE '2026-01-02'), FORMAT('%T', [1, 2]),
      FORMAT('|%*s|%-5s|', 4, 'ab', 'c'), FORMAT('%p', JSON '{"a": 1}'), FORMAT('%s', CAST(NULL AS STRING)), FORMAT('100%%')`,
    ['a "a"', '2026-01-02 DATE "2026-01-02"', '[1, 2]', '|  ab|c    |', '{"a":1}', null, '100%'],
  ],
  'NORMALIZE makes equal what looks equal': [
    `SELECT NORMALIZE('\\u00ea') = NORMALIZE('\\u0065\\u0302'), CHAR_LENGTH(NORMALIZE('\\u00ea', NFD)),
      NORMALIZE('\\u2168', NFKC), NORMALIZE_AND_CASEFOLD('The Red BARN') = NORMALIZE_AND_CASEFOLD('The red barn')`,
    ['true', '2', 'IX', 'true'],
  ],
  'LIKE takes % and _, escaped by a backslash': [
    "SELECT 'abc' LIKE 'a%', 'abc' LIKE 'a_', 'a%c' LIKE r'a\\%c', 'abc' LIKE r'a\\%c', 'abc' NOT LIKE '%d%'",
    ['true', 'false', 'true', 'false', 'true'],
  ],
  'LIKE ANY, LIKE SOME and LIKE ALL take several patterns': [
    `SELECT 'abc' LIKE ANY ('x%', '%c'), 'abc' LIKE SOME ('x', 'y'), 'abc' LIKE ALL ('a%', '%c'), 'abc' LIKE ALL ('a%', '%d'),
      'abc' LIKE ANY UNNEST(['z', 'a_c'])`,
    ['true', 'false', 'true', 'false', 'true'],
  ],
  'lengths count characters, BYTE_LENGTH bytes': [
    "SELECT LENGTH('абв'), CHAR_LENGTH('абв'), BYTE_LENGTH('абв'), LENGTH(b'\\xd0\\xb0'), OCTET_LENGTH('абв')",
    ['3', '3', '6', '2', '6'],
  ],
  'SUBSTR counts from 1, and from the end': [
    "SELECT SUBSTR('apple', 2), SUBSTR('apple', 2, 2), SUBSTR('apple', -2), SUBSTR('apple', 0), SUBSTR('apple', 123), LEFT('apple', 3), RIGHT('apple', 3)",
    ['pple', 'pp', 'le', 'apple', '', 'app', 'ple'],
  ],
  'padding, repeating, trimming and translating': [
    "SELECT LPAD('abc', 5, 'de'), RPAD('abc', 2), REPEAT('ab', 3), TRIM('**a*', '*'), LTRIM('  a '), TRANSLATE('cookie', 'eo', 'ia'), INITCAP('hello WORLD-all')",
    ['deabc', 'ab', 'ababab', 'a', 'a ', 'caakii', 'Hello World-All'],
  ],
  'code points, hashes and encodings': [
    `SELECT TO_CODE_POINTS('aб'), CODE_POINTS_TO_STRING([97, 1073]), TO_HEX(MD5('')), TO_BASE64(b'\\x00\\xff'), ASCII('A'), CHR(233), UNICODE('é')`,
    [['97', '1073'], 'aб', 'd41d8cd98f00b204e9800998ecf8427e', 'AP8=', '65', 'é', '233'],
  ],
  'STARTS_WITH, ENDS_WITH, STRPOS, REVERSE and REPLACE': [
    "SELECT STARTS_WITH('apple', 'ap'), ENDS_WITH('apple', 'e'), STRPOS('foo@x', '@'), REVERSE('aбc'), REPLACE('aaa', 'a', 'b')",
    ['true', 'true', '4', 'cбa', 'bbb'],
  ],
  'CONTAINS_SUBSTR looks for text in any letter case, and in the fields of a struct': [
    "SELECT CONTAINS_SUBSTR('the Blue house', 'blue'), CONTAINS_SUBSTR('red', 'blue'), CONTAINS_SUBSTR(('a', 'xBLUEx', 3), 'blue'), CONTAINS_SUBSTR('\\u2168', 'IX')",
    ['true', 'false', 'true', 'true'],
  ],
  'TO_BASE32 and FROM_BASE32 are inverse': [
    "SELECT TO_BASE32(b'abcde\\xFF'), FROM_BASE32('MFRGGZDF74======') = b'abcde\\xFF'",
    ['MFRGGZDF74======', 'true'],
  ],
  'SOUNDEX writes how a word sounds': [
    "SELECT SOUNDEX('Ashcraft'), SOUNDEX('Raven'), SOUNDEX('Ravyn')",
    ['A261', 'R150', 'R150'],
  ],
  'strings concatenate with || and with CONCAT; NULL makes NULL': [
    "SELECT 'a' || 'b' || 'c', CONCAT('a', 1, DATE '2026-01-02'), 'a' || CAST(NULL AS STRING), CONCAT('a', CAST(NULL AS STRING))",
    ['abc', 'a12026-01-02', null, null],
  ],
  'literals: raw, triple-quoted, escaped, bytes': [
    "SELECT r'a\\n', '''it's \"x\"''', 'a\\tb', '\\u00e9\\x41\\101', CAST(b'\\x61' AS STRING), 'it\\'s'",
    ['a\\n', 'it\'s "x"', 'a\tb', 'éAA', 'a', "it's"],
  ],
  'REGEXP_SUBSTR, and bytes that are no text': [
    "SELECT REGEXP_SUBSTR('Hello World Helloo', 'H?ello+', 1, 2), OCTET_LENGTH('é'), SAFE_CONVERT_BYTES_TO_STRING(b'\\xc2'), INSTR('aXa', 'X')",
    ['Helloo', '2', '\ufffd', '2'],
  ],
  'FORMAT writes structs, arrays, bytes and FLOAT64 as literals': [
    "SELECT FORMAT('%T', (1, 'a')), FORMAT('%t', [1.5, 2]), FORMAT('%T', b'a\\x00'), FORMAT('%T', NUMERIC '1.5'), FORMAT('%t', STRUCT(TRUE AS x, NULL AS y)), FORMAT('%d %s', NULL, 'a')",
    ['(1, "a")', '[1.5, 2.0]', 'b"a\\x00"', 'NUMERIC "1.5"', '(true, NULL)', null],
  ],
  'EDIT_DISTANCE counts changes': [
    "SELECT EDIT_DISTANCE('kitten', 'sitting'), EDIT_DISTANCE('a', ''), EDIT_DISTANCE('abcdef', 'uvwxyz', max_distance => 2)",
    ['3', '1', '2'],
  ],
};
