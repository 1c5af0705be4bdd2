// Chooses the ticks of an axis of values: round, with zero, and with as many digits as their step has.

export interface ValueTicks {
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
const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });

/** Roughly `about` ticks for these values; ticks of whole numbers are whole. */
export function valueTicks(values: readonly number[], about: number, isWhole: boolean): ValueTicks {
  let [low, high] = [0, 0];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low === high) high = 1;
  const { step, decimals } = roundStep(Math.max(high / about - low / about, 1e-300), isWhole);
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  const label = labeller(Math.max(-low, high), step, decimals);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => {
    const value = (first + index) * step;
    return { value, label: label(value) };
  }).filter(({ value }) => Number.isFinite(value));
  return {
    min: Math.max(first * step, -Number.MAX_VALUE),
    max: Math.min(last * step, Number.MAX_VALUE),
    ticks,
  };
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
  const [divisor, suffix] = LARGE.find(([from]) => largest >= from) ?? [1, ''];
  const scale = divisor === 1e4 ? 1000 : divisor;
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
