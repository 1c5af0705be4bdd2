// Numbers and conditions: operators, SAFE functions, comparison with NULL, bits, buckets.
import type { RowsCases } from './case.ts';

export const numbers: RowsCases = {
  'operators bind as the reference orders them': [
    'SELECT 1 + 2 * 3, -2 * -3, 10 - 4 - 3, 1 << 3 | 1, 5 & 3 ^ 1, NOT TRUE OR TRUE, 2 BETWEEN 1 AND 3 AND FALSE',
    ['7', '6', '3', '9', '0', 'true', 'false'],
  ],
  'AND, OR and NOT know three values': [
    'SELECT NULL AND FALSE, NULL AND TRUE, NULL OR TRUE, NULL OR FALSE, NOT CAST(NULL AS BOOL), NULL IS NOT TRUE',
    ['false', null, 'true', null, null, 'true'],
  ],
  'IS DISTINCT FROM treats NULL as a value': [
    'SELECT NULL IS DISTINCT FROM NULL, 1 IS DISTINCT FROM NULL, 1 IS NOT DISTINCT FROM 1, 1 = CAST(NULL AS INT64)',
    ['false', 'true', 'true', null],
  ],
  'CASE, IF, IFNULL, NULLIF and COALESCE': [
    "SELECT CASE WHEN FALSE THEN 'a' WHEN NULL THEN 'b' ELSE 'c' END, CASE 2 WHEN 1 THEN 'x' END, IF(NULL, 1, 2), IFNULL(NULL, 3), NULLIF(4, 4), COALESCE(NULL, NULL, 5)",
    ['c', null, '2', '3', null, '5'],
  ],
  'a branch that is not taken raises no error': [
    "SELECT IF(TRUE, 1, 1 / 0), CASE WHEN x = 0 THEN 0 ELSE 1 / x END, COALESCE(x, ERROR('never')) FROM UNNEST([0]) AS x",
    ['1.0', '0.0', '0'],
  ],
  'SAFE functions give NULL for an overflow': [
    'SELECT SAFE_ADD(9223372036854775807, 1), SAFE_SUBTRACT(5, 4), SAFE_MULTIPLY(9223372036854775807, 2), SAFE_NEGATE(-9223372036854775808), SAFE.SQRT(-1), SAFE.LN(0)',
    [null, '1', null, null, null, null],
  ],
  'ROUND, TRUNC, CEIL and FLOOR': [
    'SELECT ROUND(2.5), ROUND(-2.5), TRUNC(-2.7), CEIL(-2.3), FLOOR(-2.3), ROUND(123.7, -1), TRUNC(1.239, 2)',
    ['3.0', '-3.0', '-2.0', '-2.0', '-3.0', '120.0', '1.23'],
  ],
  'GREATEST and LEAST are NULL if one of their arguments is': [
    "SELECT GREATEST(1, 3, 2), LEAST('b', 'a'), GREATEST(1, NULL), LEAST(1, 2.5)",
    ['3', 'a', null, '1.0'],
  ],
  'bits shift, count and turn round': [
    'SELECT 1 << 4, -1 >> 63, 6 & 3, 6 | 3, 6 ^ 3, ~0, BIT_COUNT(255), BIT_COUNT(-1)',
    ['16', '1', '2', '7', '5', '-1', '8', '64'],
  ],
  'RANGE_BUCKET gives the place in a sorted array': [
    'SELECT RANGE_BUCKET(20, [0, 10, 20, 30, 40]), RANGE_BUCKET(25, [0, 10, 20, 30, 40]), RANGE_BUCKET(-10, [5, 6, 7, 8]), RANGE_BUCKET(80, [0, 10]), RANGE_BUCKET(1, [])',
    ['3', '3', '0', '2', '0'],
  ],
  'powers, roots, logarithms and signs': [
    'SELECT POW(2, 10), SQRT(16), LOG(8, 2), LOG10(1000), EXP(0), SIGN(-3), ABS(-3), LN(1)',
    ['1024.0', '4.0', '3.0', '3.0', '1.0', '-1', '3', '0.0'],
  ],
  'NaN is equal to nothing; ordering puts it before all numbers, after NULL': [
    "SELECT FORMAT('%t', x), x = x, IS_NAN(x) FROM UNNEST([1.0, CAST('nan' AS FLOAT64), CAST('-inf' AS FLOAT64), NULL]) AS x ORDER BY x",
    ['NULL', null, null],
    ['nan', 'false', 'true'],
    ['-inf', 'true', 'false'],
    ['1.0', 'true', 'false'],
  ],
  'NUMERIC keeps decimals exact where FLOAT64 does not': [
    "SELECT 0.1 + 0.2 = 0.3, NUMERIC '0.1' + NUMERIC '0.2' = NUMERIC '0.3', NUMERIC '1' / 3, NUMERIC '10' * BIGNUMERIC '0.1'",
    ['false', 'true', '0.333333333', '1'],
  ],
  'PARSE_NUMERIC and PARSE_BIGNUMERIC take signs, spaces and commas': [
    "SELECT PARSE_NUMERIC('  - 12.34 '), PARSE_NUMERIC('1,2,,3,.45+'), PARSE_BIGNUMERIC('1e3'), SAFE.PARSE_NUMERIC('1.1.1')",
    ['-12.34', '123.45', '1000', null],
  ],
  'CBRT of a cube is exact': ['SELECT CBRT(27), CBRT(-8)', ['3.0', '-2.0']],
  'distances between vectors': [
    'SELECT COSINE_DISTANCE([1.0, 2.0], [2.0, 4.0]) < 1e-9, EUCLIDEAN_DISTANCE([1.0, 2.0], [4.0, 6.0])',
    ['true', '5.0'],
  ],
  'NET functions read addresses and hosts': [
    `SELECT NET.HOST('http://www.Google.Co.UK:80/x'), NET.REG_DOMAIN('http://www.Google.Co.UK'), NET.PUBLIC_SUFFIX('http://www.google.co.uk'),
      NET.IP_TO_STRING(NET.IP_FROM_STRING('48.49.50.51')), NET.SAFE_IP_FROM_STRING('48.49'), NET.IP_TO_STRING(NET.IP_TRUNC(NET.IP_FROM_STRING('10.1.2.3'), 8)), NET.IPV4_TO_INT64(b'\\x00\\x00\\x01\\x02')`,
    ['www.Google.Co.UK', 'Google.Co.UK', 'co.uk', '48.49.50.51', null, '10.0.0.0', '258'],
  ],
};
