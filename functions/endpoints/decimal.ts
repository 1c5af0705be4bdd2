// Reads decimal numbers of any size exactly, compares them and writes them without an exponent.

/** `0.<digits> × 10^<exponent>`; the digits neither begin nor end with 0; zero has no digits. */
export interface Decimal {
  isNegative: boolean;
  digits: string;
  exponent: number;
}

// Linear in the text: no part of it can be matched in two ways.
const DECIMAL = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?$/;

/** Undefined for a text that is not a number. Takes time in proportion to the length of the text. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fractionAfter, fractionAlone, exponent = '0'] = match;
  const all = whole + (fractionAfter ?? fractionAlone ?? '');
  const fromFirst = all.replace(/^0+/, '');
  const digits = withoutTrailingZeros(fromFirst);
  if (digits === '') return { isNegative: false, digits: '', exponent: 0 };
  const leadingZeros = all.length - fromFirst.length;
  const pointAt = whole.length - leadingZeros;
  return { isNegative: sign === '-', digits, exponent: pointAt + Number(exponent) };
}

/** Negative if `a` is less than `b`, 0 if they are equal, else positive. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [signOfA, signOfB] = [signOf(a), signOf(b)];
  if (signOfA !== signOfB || signOfA === 0) return signOfA - signOfB;
  const magnitude =
    a.exponent - b.exponent || (a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0);
  return signOfA * magnitude;
}

/** `-12.5`; only for an exponent of few digits, because each place is written. */
export function formatDecimal({ isNegative, digits, exponent }: Decimal): string {
  const whole = exponent > 0 ? digits.slice(0, exponent).padEnd(exponent, '0') : '0';
  const fraction = exponent > 0 ? digits.slice(exponent) : '0'.repeat(-exponent) + digits;
  const isZero = digits === '';
  const point = fraction === '' || isZero ? '' : `.${fraction}`;
  return `${isNegative ? '-' : ''}${isZero ? '0' : whole}${point}`;
}

/** The text without the zeros at its end; a pattern would try each run of zeros in it. */
export function withoutTrailingZeros(text: string): string {
  let end = text.length;
  while (text[end - 1] === '0') end -= 1;
  return text.slice(0, end);
}

function signOf({ isNegative, digits }: Decimal): number {
  if (digits === '') return 0;
  return isNegative ? -1 : 1;
}
