// Values of each type of a parameter, and the ways in which callers write one.
import fc from 'fast-check';
import type { ScalarType } from '../../../functions/core/parameter-type.ts';
import spellings from './spellings.json' with { type: 'json' };

const zeros = fc.nat({ max: 4 }).map((count) => '0'.repeat(count));

/** A decimal number without an exponent, with other signs, zeros and exponents. */
function spellDecimal(value: string): fc.Arbitrary<string> {
  const isNegative = value.startsWith('-');
  const [whole = '', fraction = ''] = value.replace('-', '').split('.');
  const sign = isNegative ? fc.constant('-') : fc.constantFrom('', '+');
  const exponent = fc.integer({ min: -3, max: 3 });
  return fc
    .tuple(sign, zeros, zeros, exponent, fc.constantFrom('e', 'E'), fc.constantFrom('', '+'))
    .map(([before, leading, trailing, shift, e, plus]) => {
      // Moves the point to the left by `shift` digits, which the exponent makes up for.
      const digits = `${'0'.repeat(4)}${whole}${fraction}${'0'.repeat(4)}`;
      const point = 4 + whole.length - shift;
      const shifted = `${leading}${digits.slice(0, point)}.${digits.slice(point)}${trailing}`;
      const power = shift === 0 ? '' : `${e}${shift > 0 ? plus : '-'}${Math.abs(shift)}`;
      return `${before}${shifted}${power}`;
    });
}

function spellInteger(value: string): fc.Arbitrary<string> {
  const [sign, digits] = value.startsWith('-') ? ['-', value.slice(1)] : ['', value];
  const signs = sign === '' ? ['', '+'] : [sign];
  return fc.tuple(fc.constantFrom(...signs), zeros).map(([s, leading]) => s + leading + digits);
}

const DAY_MS = 86_400_000;
/** A day after the first and before the last, so that every zone is in the years 1 to 9999. */
const instantMs = fc.oneof(
  fc.integer({ min: Date.parse('0001-01-02T00:00:00Z') / 1000, max: 253_402_214_400 }),
  fc.integer({ min: 1_795_000_000, max: 1_795_000_003 }),
);
const fraction = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 1, max: 999_999 }).map((micros) => `.${String(micros).padStart(6, '0')}`),
);
/** `2026-11-20T10:00:00` with or without six digits of a fraction. */
const civil = fc
  .tuple(instantMs, fraction)
  .map(([seconds, digits]) => new Date(seconds * 1000).toISOString().slice(0, 19) + digits);

/** Another letter for T, and more or fewer zeros at the end of the fraction. */
function spellCivil(value: string): fc.Arbitrary<string> {
  const [seconds = '', digits = ''] = value.split('.');
  return fc.tuple(fc.constantFrom('T', 't', ' '), fc.nat({ max: 6 })).map(([t, length]) => {
    const kept = digits.replace(/0+$/, '').padEnd(length, '0');
    return seconds.replace('T', t) + (kept === '' ? '' : `.${kept}`);
  });
}

/** The instant in any zone; the value is in UTC and has no zone. */
function spellInstant(value: string): fc.Arbitrary<string> {
  const [seconds = '', digits = ''] = value.split('.');
  const inZone = fc.integer({ min: -14 * 60, max: 14 * 60 }).map((aheadMinutes) => {
    const local = new Date(Date.parse(`${seconds}Z`) + aheadMinutes * 60_000);
    const size = Math.abs(aheadMinutes);
    const hours = String(Math.floor(size / 60)).padStart(2, '0');
    const minutes = String(size % 60).padStart(2, '0');
    const text = local.toISOString().slice(0, 19) + (digits === '' ? '' : `.${digits}`);
    return [text, `${aheadMinutes < 0 ? '-' : '+'}${hours}:${minutes}`] as const;
  });
  const inUtc = fc.constantFrom('Z', 'z', ' UTC').map((zone) => [value, zone] as const);
  return fc
    .oneof(inZone, inUtc)
    .chain(([text, zone]) => spellCivil(text).map((spelt) => spelt + zone));
}

const int64 = fc
  .oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -3n, max: 3n }),
    fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n),
  )
  .map(String);

/** At most 29 digits, a point and at most 9 digits. */
const numeric = fc
  .oneof(
    fc.bigInt({ min: -(10n ** 38n - 1n), max: 10n ** 38n - 1n }),
    fc.bigInt({ min: -3n, max: 3n }).map((units) => units * 10n ** 9n),
    fc.bigInt({ min: -(10n ** 11n), max: 10n ** 11n }),
  )
  .map((scaled) => {
    const digits = String(scaled < 0n ? -scaled : scaled).padStart(10, '0');
    return `${scaled < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
  });

const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 8 })
  .filter((chars) => !chars.includes('\0') && chars.isWellFormed());

const date = fc
  .integer({ min: Date.parse('0001-01-01') / DAY_MS, max: Date.parse('9999-12-31') / DAY_MS })
  .map((day) => new Date(day * DAY_MS).toISOString().slice(0, 10));

/** The type, its values, each in one spelling, and the spellings of such a value. */
export const SPELT_VALUES: readonly (readonly [
  type: ScalarType,
  value: fc.Arbitrary<string>,
  spell: (value: string) => fc.Arbitrary<string>,
])[] = [
  ['STRING', text, fc.constant],
  ['INT64', int64, spellInteger],
  ['FLOAT64', numeric, spellDecimal],
  ['NUMERIC', numeric, spellDecimal],
  ['BOOL', fc.constantFrom('true', 'false'), fc.constant],
  ['DATE', date, fc.constant],
  ['DATETIME', civil, spellCivil],
  ['TIMESTAMP', civil, spellInstant],
];

/** Spellings at the edges of each type. */
export const EDGES: Record<ScalarType, string[]> = spellings;
