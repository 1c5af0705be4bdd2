// Writes the rows on the page as texts, each value as the service writes it: CSV, TSV and Markdown.
import { isNumeric } from '../chart/plan/format-value.ts';
import type { Column as Described } from '../service.ts';

const NUMBER = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/;
/** As in http/row-formats.ts: where a spreadsheet could see the start of a formula. */
const FORMULA_STARTS = /(?<=^|[;|\t\r\n])(?=['"]*[=+\-@＝＋－＠])|^(?=['"]*[\t\r\n])/g;
const PLAIN = /^[\w.:/ -]+$/;

type Column = Pick<Described, 'name' | 'type' | 'mode'>;
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** These columns of the body of an answer, and its rows in this order of their indices. */
export interface ExportedRows {
  body: string;
  columns: readonly Column[];
  order: readonly number[];
}

/** Byte for byte as the service does: RFC 4180 with a header line. */
export function toCsv(rows: ExportedRows): string {
  return linesOf(rows, (text, column) => {
    if (text === null) return '';
    const safe = withoutFormulas(column, text);
    return isNumberText(column, text) || PLAIN.test(safe) ? safe : quoted(safe);
  })
    .map((line) => `${line.join(',')}\r\n`)
    .join('');
}

/** Text between tabs, which spreadsheets paste into cells; quoted where it has a tab, a line break or a quote. */
export function toTsv(rows: ExportedRows): string {
  return linesOf(rows, (text, column) => {
    const safe = withoutFormulas(column, text ?? '');
    return /["\t\r\n]/.test(safe) ? quoted(safe) : safe;
  })
    .map((line) => `${line.join('\t')}\n`)
    .join('');
}

/** https://github.github.com/gfm/#tables-extension- with numbers on the right. A text is what it is, and neither markup nor a second cell. */
export function toMarkdown(rows: ExportedRows): string {
  const [heads = [], ...lines] = linesOf(rows, (text) => escapeMarkup(text ?? ''));
  const rules = rows.columns.map((column) => (isNumeric(column) ? '---:' : '---'));
  return [heads.map(escapeMarkup), rules, ...lines]
    .map((line) => `| ${line.join(' | ')} |\n`)
    .join('');
}

/** The names of the columns, and the cells of each row. */
function linesOf(
  { body, columns, order }: ExportedRows,
  write: (text: string | null, column: Column) => string,
): string[][] {
  const { rawJSON } = JSON as { rawJSON?: (source: string) => unknown };
  // Numbers have the digits of the answer, if the browser provides them.
  const keepDigits: Reviver = (_, value, { source } = {}) =>
    typeof value === 'number' && source !== undefined
      ? { toJSON: () => rawJSON?.(source) ?? value }
      : value;
  const { result } = JSON.parse(body, keepDigits) as { result: Record<string, unknown>[] };
  const lines = order.map((index) =>
    columns.map((column) => write(textOf(column, result[index]?.[column.name] ?? null), column)),
  );
  return [columns.map(({ name }) => name), ...lines];
}

function textOf({ type, mode }: Column, value: unknown): string | null {
  if (value === null) return null;
  const isNested = mode === 'REPEATED' || type === 'RECORD' || type === 'JSON';
  return typeof value === 'string' && !isNested ? value : JSON.stringify(value);
}

/** A number in a numeric column, which is what it looks like in any program. */
function isNumberText(column: Column, text: string): boolean {
  return isNumeric(column) && NUMBER.test(text);
}

/** With an apostrophe before each start of a formula, unless it is a number. */
function withoutFormulas(column: Column, text: string): string {
  return isNumberText(column, text) ? text : text.replaceAll(FORMULA_STARTS, "'");
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** An underscore between letters or digits is no markup. */
function escapeMarkup(text: string): string {
  return text
    .replaceAll(/[\\|<>&`*[\]~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .trim()
    .replaceAll(/\r\n?|\n/g, '<br>');
}
