-- Strings: regular expressions, SPLIT, FORMAT, normal forms, LIKE with quantifiers, collation-free comparison.

-- FORMAT writes numbers by their specifiers
SELECT FORMAT('%d|%5d|%05d|%+d|%x', 10, 10, 10, 10, 255), FORMAT('%.2f|%e|%g', 1.005e0 + 1, 1234.5, 0.5), FORMAT("%'d", 1234567)
--> ["10|   10|00010|+10|ff", "2.00|1.234500e+03|0.5", "1,234,567"]

-- FORMAT writes any value with %t, as a literal with %T, and takes widths as arguments
SELECT FORMAT('%t %T', 'a', 'a'), FORMAT('%t %T', DATE '2026-01-02', DATE '2026-01-02'), FORMAT('%T', [1, 2]),
  FORMAT('|%*s|%-5s|', 4, 'ab', 'c'), FORMAT('%p', JSON '{"a": 1}'), FORMAT('%s', CAST(NULL AS STRING)), FORMAT('100%%')
--> ["a \"a\"", "2026-01-02 DATE \"2026-01-02\"", "[1, 2]", "|  ab|c    |", "{\"a\":1}", null, "100%"]

-- LIKE takes % and _, escaped by a backslash
SELECT 'abc' LIKE 'a%', 'abc' LIKE 'a_', 'a%c' LIKE r'a\%c', 'abc' LIKE r'a\%c', 'abc' NOT LIKE '%d%'
--> ["true", "false", "true", "false", "true"]

-- LIKE ANY, LIKE SOME and LIKE ALL take several patterns
SELECT 'abc' LIKE ANY ('x%', '%c'), 'abc' LIKE SOME ('x', 'y'), 'abc' LIKE ALL ('a%', '%c'), 'abc' LIKE ALL ('a%', '%d'),
  'abc' LIKE ANY UNNEST(['z', 'a_c'])
--> ["true", "false", "true", "false", "true"]

-- CONTAINS_SUBSTR looks for text in any letter case, and in the fields of a struct
SELECT CONTAINS_SUBSTR('the Blue house', 'blue'), CONTAINS_SUBSTR('red', 'blue'), CONTAINS_SUBSTR(('a', 'xBLUEx', 3), 'blue'), CONTAINS_SUBSTR('\u2168', 'IX')
--> ["true", "false", "true", "true"]

-- strings concatenate with || and with CONCAT; NULL makes NULL
SELECT 'a' || 'b' || 'c', CONCAT('a', 1, DATE '2026-01-02'), 'a' || CAST(NULL AS STRING), CONCAT('a', CAST(NULL AS STRING))
--> ["abc", "a12026-01-02", null, null]

-- literals: raw, triple-quoted, escaped, bytes
SELECT r'a\n', '''it's "x"''', 'a\tb', '\u00e9\x41\101', CAST(b'\x61' AS STRING), 'it\'s'
--> ["a\\n", "it's \"x\"", "a\tb", "éAA", "a", "it's"]

-- FORMAT writes structs, arrays, bytes and FLOAT64 as literals
SELECT FORMAT('%T', (1, 'a')), FORMAT('%t', [1.5, 2]), FORMAT('%T', b'a\x00'), FORMAT('%T', NUMERIC '1.5'), FORMAT('%t', STRUCT(TRUE AS x, NULL AS y)), FORMAT('%d %s', NULL, 'a')
--> ["(1, \"a\")", "[1.5, 2.0]", "b\"a\\x00\"", "NUMERIC \"1.5\"", "(true, NULL)", null]
