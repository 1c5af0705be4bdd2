// Tests of decimal numbers of any size: read, compared and written without loss.
import fc from 'fast-check';
import {
  type Decimal,
  compareDecimals,
  formatDecimal,
  parseDecimal,
} from '../../functions/endpoints/decimal.ts';

function decimal(text: string): Decimal {
  const parsed = parseDecimal(text);
  if (parsed === undefined) throw new Error(`${text} is no number`);
  return parsed;
}

/** The number in units of 10^-9, and a text of it. */
const scaled = fc
  .oneof(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.bigInt({ min: -20n, max: 20n }))
  .map((units): [bigint, string] => [units, `${units}e-9`]);

it.each([
  ['0', '0'],
  ['-0', '0'],
  ['-0.00e7', '0'],
  ['100', '100'],
  ['1e2', '100'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['-12.50', '-12.5'],
  ['0012.5e-1', '1.25'],
  ['12.5e-3', '0.0125'],
  ['+1E+0', '1'],
  ['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
])('writes %s as %s', (text, expected) => {
  expect(formatDecimal(decimal(text))).toBe(expected);
});

it.each(['', '.', '-', 'e1', '1e', '1e+', '1.2.3', '1 ', ' 1', '1_0', '0x1', 'NaN', 'inf', '１'])(
  'rejects %j as not a number',
  (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  },
);

it.each([
  ['-2', '-1', -1],
  ['-10', '-9', -1],
  ['-1', '0', -1],
  ['-0', '0', 0],
  ['0', '1e-9', -1],
  ['0.1', '0.12', -1],
  ['9', '10', -1],
  ['1.0', '1', 0],
  ['9223372036854775807', '9223372036854775808', -1],
  ['1e1000', '1e999', 1],
  ['-1e1000', '-1e999', -1],
])('compares %s with %s', (a, b, sign) => {
  expect(Math.sign(compareDecimals(decimal(a), decimal(b)))).toBe(sign);
  expect(Math.sign(compareDecimals(decimal(b), decimal(a))) + sign).toBe(0);
});

it('compares numbers like integers of the same unit', () => {
  fc.assert(
    fc.property(scaled, scaled, ([a, textOfA], [b, textOfB]) => {
      const order = compareDecimals(decimal(textOfA), decimal(textOfB));
      expect([order < 0, order > 0]).toEqual([a < b, a > b]);
    }),
  );
});

it('writes a number that parses to the same value', () => {
  fc.assert(
    fc.property(scaled, ([, text]) => {
      const written = formatDecimal(decimal(text));
      expect(written).toMatch(/^(0|-?([1-9]\d*|0)(\.\d*[1-9])?)$/);
      expect(written).not.toBe('-0');
      expect(decimal(written)).toEqual(decimal(text));
    }),
  );
});
