// Chooses the ticks of an axis of values: round, and with as many digits as their step has.

export interface ValueTicks {
  /** The ends of the axis. */
  min: number;
  max: number;
  ticks: readonly { value: number; label: string }[];
}

const LARGE = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e4, 'K'],
] as const;
const LARGE_DECIMALS_MAX = 3;
const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });

/** The part of a range that zero may add to it, and the margin around it. */
const [NEAR, MARGIN] = [0.2, 0.05];
/** Of a value that all have, the part by which the range is wider on each side. */
const CONSTANT_MARGIN = 0.1;
/** Less of the largest value is not told apart: ticks would be alike. */
const DIFFERENCE_MIN = 1e-9;

/**
 * Roughly `about` ticks for these values; ticks of whole numbers are whole. With `hasZero` the axis ends with ticks, one
 * of them zero; without, it fits the values with a margin, and has the zero only if that is near.
 */
export function valueTicks(
  values: readonly number[],
  about: number,
  isWhole: boolean,
  hasZero = true,
): ValueTicks {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const fitted = hasZero || low > high ? undefined : fit(low, high, isWhole);
  if (fitted !== undefined) {
    for (let count = about; count <= 4 * about; count += 1) {
      const ticks = ticksBetween(fitted, count, isWhole, 'inside');
      if (ticks.length > 1) return { ...fitted, ticks };
    }
  }
  [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (low === high) high = 1;
  const ticks = ticksBetween({ min: low, max: high }, about, isWhole, 'around');
  // The outermost could be Infinity.
  return {
    min: Math.min(ticks[0]?.value ?? low, low),
    max: Math.max(ticks.at(-1)?.value ?? high, high),
    ticks,
  };
}

/** Undefined if zero is near. */
function fit(
  low: number,
  high: number,
  isWhole: boolean,
): Pick<ValueTicks, 'min' | 'max'> | undefined {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const isConstant = high / 2 - low / 2 <= (largest / 2) * DIFFERENCE_MIN;
  const span = high / 2 - low / 2;
  const isNear = low >= 0 ? low / 2 <= span * NEAR : high <= 0 && -high / 2 <= span * NEAR;
  if (largest === 0 || (isNear && !isConstant)) return undefined;
  const least = isWhole ? 1 : 0;
  const margin = isConstant ? Math.max(largest * CONSTANT_MARGIN, least) : 2 * span * MARGIN;
  const [min, max] = [low - margin, high + margin];
  if (min === max) return undefined;
  return { min: Math.max(min, -Number.MAX_VALUE), max: Math.min(max, Number.MAX_VALUE) };
}

function ticksBetween(
  { min, max }: Pick<ValueTicks, 'min' | 'max'>,
  about: number,
  isWhole: boolean,
  place: 'inside' | 'around',
): { value: number; label: string }[] {
  const { step, decimals } = roundStep(Math.max(max / about - min / about, 1e-300), isWhole);
  const [first, last] =
    place === 'around'
      ? [Math.floor(min / step), Math.ceil(max / step)]
      : [Math.ceil(min / step - 1e-9), Math.floor(max / step + 1e-9)];
  const label = labeller(Math.max(-min, max), step, decimals);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => {
    const value = (first + index) * step;
    return { value, label: label(value) };
  }).filter(({ value }) => Number.isFinite(value));
}

/** The next of 1, 2, 2.5 and 5 times a power of ten, and how many decimals it has. */
function roundStep(least: number, isWhole: boolean): { step: number; decimals: number } {
  const exponent = Math.floor(Math.log10(least));
  const power = 10 ** exponent;
  for (const factor of [1, 2, 2.5, 5]) {
    const decimals = Math.max(0, (factor === 2.5 ? 1 : 0) - exponent);
    if (isWhole && decimals > 0) continue;
    // 3 times 0.1 would be 0.30000000000000004.
    const step = factor * power;
    // Twice 1e308 is Infinity.
    if (step >= least * (1 - 1e-9)) return { step: Number.isFinite(step) ? step : power, decimals };
  }
  const next = Math.max(exponent + 1, isWhole ? 0 : -Infinity);
  return { step: 10 ** next, decimals: Math.max(0, -next) };
}

function labeller(largest: number, step: number, decimals: number): (value: number) => string {
  if (largest >= 1e15 || decimals > 6) {
    const stepExponent = Math.floor(Math.log10(step) + 1e-9);
    const isHalf = Math.abs(step / 10 ** stepExponent - 2.5) < 1e-9;
    return (value) => {
      if (value === 0) return '0';
      const exponent = Math.floor(Math.log10(Math.abs(value)) + 1e-9);
      const digits = Math.min(Math.max(exponent - stepExponent + (isHalf ? 1 : 0), 0), 15);
      return value.toExponential(digits).replace('e+', 'e');
    };
  }
  const [divisor, letter] = LARGE.find(([from]) => largest >= from) ?? [1, ''];
  const large = divisor === 1e4 ? 1000 : divisor;
  // More decimals would be longer than the whole number.
  const isLong = decimalsOf(step / large) > LARGE_DECIMALS_MAX;
  const [scale, suffix] = isLong ? [1, ''] : [large, letter];
  const ownDecimals = scale === 1 ? decimals : decimalsOf(step / scale);
  return (value) => {
    if (value === 0) return '0';
    const text = (value / scale).toFixed(ownDecimals);
    return scale === 1 ? grouped(text) : text + suffix;
  };
}

function decimalsOf(step: number): number {
  for (let decimals = 0; decimals < 15; decimals += 1) {
    if (Math.abs(step - Number(step.toFixed(decimals))) < step * 1e-9) return decimals;
  }
  return 15;
}

function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = GROUPED.format(Math.abs(Number(whole)));
  return `${sign}${digits}${fraction === undefined ? '' : `.${fraction}`}`;
}
