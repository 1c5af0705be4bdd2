// Writes the numbers of a column in one way: with the same decimals, or all with an exponent.
import { exactText, groupDigits } from './format-value.ts';

const DECIMALS_MAX = 2;
/** Significant digits of the largest number, if all are less than one. */
const SIGNIFICANT_MAX = 4;
const EXPONENT_FROM = 1e15;
const EXPONENT_BELOW = 1e-6;

interface NumberColumn {
  textOf: (value: unknown) => string;
  /** Texts of which one is the widest of the column. */
  widest: () => string[];
}

/** INT64, NUMERIC and BIGNUMERIC keep every digit; FLOAT64 is rounded. */
export function writeNumbers(type: string, values: readonly unknown[]): NumberColumn {
  const numbers = values.filter((value) => typeof value === 'number');
  const largest = numbers.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  const isExtreme = largest >= EXPONENT_FROM || (largest > 0 && largest < EXPONENT_BELOW);
  if (type === 'FLOAT64' && isExtreme) {
    const textOf = withExponent(numbers);
    return { textOf, widest: () => numbers.map(textOf) };
  }
  const textOf = type === 'FLOAT64' ? rounded(numbers, largest) : exact(values);
  return { textOf, widest: () => longest(values).map(textOf) };
}

function withExponent(numbers: readonly number[]): NumberColumn['textOf'] {
  const digits = decimalsOf(numbers, SIGNIFICANT_MAX - 1, (value, count) =>
    Number(value.toExponential(count)),
  );
  return (value) =>
    typeof value === 'number' ? value.toExponential(digits).replace('e+', 'e') : exactText(value);
}

function rounded(numbers: readonly number[], largest: number): NumberColumn['textOf'] {
  const isSmall = largest > 0 && largest < 1;
  const most = isSmall ? SIGNIFICANT_MAX - 1 - Math.floor(Math.log10(largest)) : DECIMALS_MAX;
  const count = decimalsOf(numbers, most, (value, digits) => Number(value.toFixed(digits)));
  const format = new Intl.NumberFormat('en', {
    minimumFractionDigits: count,
    maximumFractionDigits: count,
  });
  return (value) => (typeof value === 'number' ? format.format(value) : exactText(value));
}

/** As many decimals as the numbers need, at most `most`. */
function decimalsOf(
  numbers: readonly number[],
  most: number,
  round: (value: number, count: number) => number,
): number {
  let count = 0;
  for (const value of numbers) {
    while (count < most && round(value, count) !== value) count += 1;
  }
  return count;
}

/** Decimals and large integers are text, which keeps every digit. */
function exact(values: readonly unknown[]): NumberColumn['textOf'] {
  const count = values.reduce<number>(
    (most, value) => Math.max(most, (/^-?\d+\.(\d+)$/.exec(exactText(value))?.[1] ?? '').length),
    0,
  );
  return (value) => {
    const text = groupDigits(value);
    if (count === 0 || !/^-?[\d,]+(?:\.\d+)?$/.test(text)) return text;
    const [whole = '', fraction = ''] = text.split('.');
    return `${whole}.${fraction.padEnd(count, '0')}`;
  };
}

/** The values with the most digits before the point, with a sign and without. */
function longest(values: readonly unknown[]): unknown[] {
  let [above, below]: unknown[] = [];
  let [aboveLength, belowLength] = [0, 0];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    const text = typeof value === 'number' ? Math.trunc(value).toString() : exactText(value);
    const point = text.indexOf('.');
    const length = point === -1 ? text.length : point;
    const isBelow = typeof value === 'number' ? value < 0 : text.startsWith('-');
    if (isBelow && length > belowLength) [below, belowLength] = [value, length];
    if (!isBelow && length > aboveLength) [above, aboveLength] = [value, length];
  }
  return [above, below].filter((value) => value !== undefined);
}
