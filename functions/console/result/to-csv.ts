// Writes the rows on the page as CSV, each value as the service writes it.
import type { Endpoint } from '../service.ts';

const NUMERIC_TYPES = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']);
const NUMBER = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/;
const PLAIN = /^[\w.:/ -]+$/;
/** As in http/row-formats.ts: where a spreadsheet could see the start of a formula. */
const FORMULA_STARTS = /(?<=^|[;|\t\r\n])(?=['"]*[=+\-@＝＋－＠])|^(?=['"]*[\t\r\n])/g;

type Column = Pick<Endpoint['row'][number], 'name' | 'type' | 'mode'>;
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** These columns of the body of an answer, and its rows in this order of their indices: RFC 4180 with a header line. */
export function toCsv(body: string, columns: readonly Column[], order: readonly number[]): string {
  const keepDigits: Reviver = (_, value, context) =>
    typeof value === 'number' && context?.source !== undefined
      ? new SourceNumber(context.source)
      : value;
  const { result } = JSON.parse(body, keepDigits) as { result: Record<string, unknown>[] };
  const lines = order.map((index) =>
    columns.map((column) => cell(column, result[index]?.[column.name])),
  );
  return [columns.map(({ name }) => name), ...lines]
    .map((line) => `${line.join(',')}\r\n`)
    .join('');
}

/** A number with the digits of the answer, if the browser provides them. */
class SourceNumber {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  toJSON(): unknown {
    const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
    return rawJSON === undefined ? Number(this.#source) : rawJSON(this.#source);
  }
}

function cell({ type, mode }: Column, value: unknown): string {
  if (value === null || value === undefined) return '';
  const isNested = mode === 'REPEATED' || type === 'RECORD' || type === 'JSON';
  const text = typeof value === 'string' && !isNested ? value : JSON.stringify(value);
  if (NUMERIC_TYPES.has(type) && NUMBER.test(text)) return text;
  const safe = text.replaceAll(FORMULA_STARTS, "'");
  return PLAIN.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}
