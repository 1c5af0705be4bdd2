// Reads the rows on the page as texts, each value as the service writes it.
import { isNumeric } from '../../chart/plan/format-value.ts';
import type { Endpoint } from '../../service.ts';

const NUMBER = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/;
/** As in http/row-formats.ts: where a spreadsheet could see the start of a formula. */
const FORMULA_STARTS = /(?<=^|[;|\t\r\n])(?=['"]*[=+\-@＝＋－＠])|^(?=['"]*[\t\r\n])/g;

export type Column = Pick<Endpoint['row'][number], 'name' | 'type' | 'mode'>;
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** These columns of the body of an answer, and its rows in this order of their indices; null for null. */
export function exactTexts(
  body: string,
  columns: readonly Column[],
  order: readonly number[],
): (string | null)[][] {
  const { rawJSON } = JSON as { rawJSON?: (source: string) => unknown };
  // Numbers have the digits of the answer, if the browser provides them.
  const keepDigits: Reviver = (_, value, { source } = {}) =>
    typeof value === 'number' && source !== undefined
      ? { toJSON: () => rawJSON?.(source) ?? value }
      : value;
  const { result } = JSON.parse(body, keepDigits) as { result: Record<string, unknown>[] };
  return order.map((index) =>
    columns.map((column) => textOf(column, result[index]?.[column.name] ?? null)),
  );
}

/** A number in a numeric column, which is what it looks like in any program. */
export function isNumberText(column: Column, text: string): boolean {
  return isNumeric(column) && NUMBER.test(text);
}

/** With an apostrophe before each start of a formula, unless it is a number. */
export function withoutFormulas(column: Column, text: string): string {
  return isNumberText(column, text) ? text : text.replaceAll(FORMULA_STARTS, "'");
}

function textOf({ type, mode }: Column, value: unknown): string | null {
  if (value === null) return null;
  const isNested = mode === 'REPEATED' || type === 'RECORD' || type === 'JSON';
  return typeof value === 'string' && !isNested ? value : JSON.stringify(value);
}
