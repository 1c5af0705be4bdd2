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
