// Writes the rows on the page as texts, each value as the service writes it: CSV, TSV and Markdown.
import { isNumeric } from '../chart/plan/format-value.ts';
import type { Column } from '../service.ts';

const NUMBER = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/;
/** As in http/row-formats.ts: where a spreadsheet could see the start of a formula. */
const FORMULA_STARTS = /(?<=^|[;|\t\r\n])(?=['"]*[=+\-@＝＋－＠])|^(?=['"]*[\t\r\n])/g;
/** What CSV and TSV need no quotes for. */
const [PLAIN, ONE_CELL] = [/^[\w.:/ -]+$/, /^[^"\t\r\n]*$/];

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** These columns of the body of an answer, and its rows in this order of their indices. */
export interface ExportedRows {
  body: string;
  columns: readonly Column[];
  order: readonly number[];
}

/** Byte for byte as the service does: RFC 4180 with a header line. */
export function toCsv(rows: ExportedRows): string {
  return linesOf(rows, forSpreadsheet(PLAIN), (cells) => `${cells.join(',')}\r\n`).join('');
}

/** Text between tabs, which spreadsheets paste into cells; quoted where it has a tab, a line break or a quote. */
export function toTsv(rows: ExportedRows): string {
  return linesOf(rows, forSpreadsheet(ONE_CELL), (cells) => `${cells.join('\t')}\n`).join('');
}

/** https://github.github.com/gfm/#tables-extension- with numbers on the right. A text is what it is, and neither markup nor a second cell. */
export function toMarkdown(rows: ExportedRows): string {
  const lineOf = (cells: string[]): string => `| ${cells.join(' | ')} |\n`;
  const rules = rows.columns.map((column) => (isNumeric(column) ? '---:' : '---'));
  return linesOf(rows, escapeMarkup, lineOf).toSpliced(1, 0, lineOf(rules)).join('');
}

/** A line for the names of the columns and one for each row; a cell that is null is empty. */
function linesOf(
  { body, columns, order }: ExportedRows,
  write: (text: string, column: Column) => string,
  lineOf: (cells: string[]) => string,
): string[] {
  const { rawJSON } = JSON as unknown as { rawJSON: (source: string) => unknown };
  // Numbers have the digits of the answer, if the browser provides them.
  const keepDigits: Reviver = (_, value, { source } = {}) =>
    typeof value === 'number' && source !== undefined ? rawJSON(source) : value;
  const { result } = JSON.parse(body, keepDigits) as { result: Record<string, unknown>[] };
  const rows = order.map((index) =>
    columns.map((column) => {
      const value = result[index]?.[column.name] ?? null;
      return value === null ? '' : write(textOf(column, value), column);
    }),
  );
  return [columns.map((column) => write(column.name, { ...column, type: 'STRING' })), ...rows].map(
    lineOf,
  );
}

function textOf({ type, mode }: Column, value: unknown): string {
  const isNested = mode === 'REPEATED' || type === 'RECORD' || type === 'JSON';
  return typeof value === 'string' && !isNested ? value : JSON.stringify(value);
}

/** With an apostrophe before each start of a formula, unless it is a number, which is what it looks like in any program. */
function forSpreadsheet(unquoted: RegExp) {
  return (text: string, column: Column): string => {
    if (isNumeric(column) && NUMBER.test(text)) return text;
    const safe = text.replaceAll(FORMULA_STARTS, "'");
    return unquoted.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
  };
}

/** An underscore between letters or digits is no markup. */
function escapeMarkup(text: string): string {
  return text
    .replaceAll(/[\\|<>&`*[\]~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .trim()
    .replaceAll(/\r\n?|\n/g, '<br>');
}
