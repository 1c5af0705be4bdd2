// Writes a value of a numeric column with the digits that matter.

const NUMERIC_TYPES = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']);

export function isNumeric({ type, mode }: { type: string; mode: string }): boolean {
  return NUMERIC_TYPES.has(type) && mode !== 'REPEATED';
}

/** The number to draw; null for null, NaN and infinities. */
export function toNumber(value: unknown): number | null {
  const number = value === null || value === undefined || value === '' ? NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Decimals and large integers are text, which keeps every digit. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'no value';
  if (typeof value !== 'number') return groupDigits(value);
  const size = Math.abs(value);
  if (value !== 0 && (size >= 1e15 || size < 1e-6))
    return String(Number(value.toPrecision(4))).replace('e+', 'e');
  if (size < 1) return format({ maximumSignificantDigits: 3 }, value);
  return format({ maximumFractionDigits: size < 100 ? 2 : 1 }, value);
}

/** A decimal with commas between its thousands; any other text as it is. */
export function groupDigits(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const [whole = '', ...fraction] = text.split('.');
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.');
}

const formats = new Map<string, Intl.NumberFormat>();

function format(options: Intl.NumberFormatOptions, value: number): string {
  const id = JSON.stringify(options);
  let made = formats.get(id);
  if (made === undefined) formats.set(id, (made = new Intl.NumberFormat('en', options)));
  return made.format(value);
}
