// Values of each type of a parameter, and the ways in which callers write one.
import fc from 'fast-check';
import type { ScalarType } from '../../../functions/core/parameter-type.ts';

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
export const EDGES: Record<ScalarType, string[]> = {
  STRING: ['a', 'A', 'é', 'e\u0301', ' a', '01', '1'],
  INT64: ['0', '-0', '01', '1', '-1', '9223372036854775807', '-9223372036854775808'],
  FLOAT64: ['0', '-0', '1', '1e0', '0.1', '1e-1', '1e308', '5e-324', '1e-400', '9007199254740993'],
  NUMERIC: ['0', '-0', '1', '1.000', '1e-9', '1e28', '99999999999999999999999999999.999999999'],
  BOOL: ['true', 'false'],
  DATE: ['0001-01-01', '9999-12-31', '2024-02-29', '2000-02-29'],
  DATETIME: ['0001-01-01T00:00:00', '9999-12-31T23:59:59.999999', '2026-11-20 10:00:00.100'],
  TIMESTAMP: [
    '0001-01-01T00:00:00Z',
    '0001-01-01T01:00:00+01:00',
    '9999-12-31T23:59:59.999999Z',
    '1970-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999999Z',
  ],
};

/** What is said of a text that is no value of a type. */
export const VALUE_FAULTS = {
  STRING: 'must not contain a NUL character',
  INT64: 'must be a whole number (INT64), such as 42',
  FLOAT64: 'must be a number (FLOAT64), such as 1.5 or 2e3',
  NUMERIC: 'must be a decimal number (NUMERIC), such as 12.5',
  BOOL: 'must be true or false (BOOL)',
  DATE: 'must be a day of the calendar (DATE), such as 2026-11-20',
  DATETIME:
    'must be a date and a time of day without a zone (DATETIME), such as 2026-11-20T10:00:00',
  TIMESTAMP:
    'must be a date, a time of day and a zone (TIMESTAMP), such as 2026-11-20T10:00:00Z or 2026-11-20T11:00:00+01:00',
};
