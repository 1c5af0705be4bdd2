// Writes the numbers of a column in one way: with the same decimals, unless an exponent is shorter.
import { exactText, formatValue, groupDigits, isExtreme } from './format-value.ts';

const DECIMALS_MAX = 2;
/** Significant digits of the largest number, if all are less than one. */
const SIGNIFICANT_MAX = 4;

interface NumberColumn {
  textOf: (value: unknown) => string;
  /** Texts of which one is the longest of the column. */
  longest: readonly string[];
}

/** INT64, NUMERIC and BIGNUMERIC keep every digit; FLOAT64 is rounded. */
export function writeNumbers(type: string, values: readonly unknown[]): NumberColumn {
  const known = values.filter((value) => value !== null && value !== undefined);
  const numbers = known.filter((value) => typeof value === 'number');
  const largest = numbers.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  if (type !== 'FLOAT64') return withLongest(known, exact(known));
  if (isExtreme(largest)) return { textOf: formatValue, longest: known.map(formatValue) };
  return withLongest(known, rounded(numbers, largest));
}

/** With as many decimals as the numbers need, up to a bound. */
function rounded(numbers: readonly number[], largest: number): NumberColumn['textOf'] {
  const isSmall = largest > 0 && largest < 1;
  const most = isSmall ? SIGNIFICANT_MAX - 1 - Math.floor(Math.log10(largest)) : DECIMALS_MAX;
  let count = 0;
  for (const value of numbers)
    while (count < most && Number(value.toFixed(count)) !== value) count += 1;
  const digits = { minimumFractionDigits: count, maximumFractionDigits: count };
  const format = new Intl.NumberFormat('en', digits);
  return (value) => (typeof value === 'number' ? format.format(value) : exactText(value));
}

/** Decimals and large integers are text, which keeps every digit. */
function exact(values: readonly unknown[]): NumberColumn['textOf'] {
  const decimals = values.map((value) =>
    typeof value === 'string' ? (/^-?\d+\.(\d+)$/.exec(value)?.[1]?.length ?? 0) : 0,
  );
  const count = decimals.reduce((most, length) => Math.max(most, length), 0);
  return (value) => {
    const text = groupDigits(value);
    if (count === 0 || !/^-?[\d,]+(?:\.\d+)?$/.test(text)) return text;
    const [whole = '', fraction = ''] = text.split('.');
    return `${whole}.${fraction.padEnd(count, '0')}`;
  };
}

/** The greatest and the least have the most digits before the point; texts such as `Infinity` may be longer. */
function withLongest(values: readonly unknown[], textOf: NumberColumn['textOf']): NumberColumn {
  const others: unknown[] = [];
  let [least, most]: unknown[] = [];
  for (const value of values) {
    const number = Number(value);
    if (!Number.isFinite(number)) {
      others.push(value);
      continue;
    }
    if (least === undefined || number < Number(least)) least = value;
    if (most === undefined || number > Number(most)) most = value;
  }
  return { textOf, longest: [least, most, ...others].map(textOf) };
}
