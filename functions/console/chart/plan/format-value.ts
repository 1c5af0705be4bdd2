// Writes a value of a numeric column with the digits that matter.

const [SMALL, MEDIUM, LARGE] = [
  new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }),
  new Intl.NumberFormat('en', { maximumFractionDigits: 2 }),
  new Intl.NumberFormat('en', { maximumFractionDigits: 1 }),
] as const;
const NUMERIC_TYPES = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']);

export function isNumeric({ type, mode }: { type: string; mode: string }): boolean {
  return NUMERIC_TYPES.has(type) && mode !== 'REPEATED';
}

/** The number to draw; null for null, NaN and infinities. */
export function toNumber(value: unknown): number | null {
  const number = value === null || value === undefined || value === '' ? NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Whether a number of this size is written with an exponent. */
export function isExtreme(size: number): boolean {
  return size >= 1e15 || (size > 0 && size < 1e-6);
}

/** Decimals and large integers are text, which keeps every digit. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'no value';
  if (typeof value !== 'number') return groupDigits(value);
  const size = Math.abs(value);
  if (isExtreme(size)) return Number(value.toPrecision(4)).toExponential().replace('e+', 'e');
  return (size < 1 ? SMALL : size < 100 ? MEDIUM : LARGE).format(value);
}

/** A text as it is, anything else as JSON. */
export function exactText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** A decimal with commas between its thousands; any other text as it is. */
export function groupDigits(value: unknown): string {
  const text = exactText(value);
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const [whole = '', ...fraction] = text.split('.');
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.');
}
