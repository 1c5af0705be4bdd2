// Converts the stored JSON of a result to CSV and NDJSON.
import type { ColumnDefinition } from '../endpoints/endpoint.ts';

type Columns = Readonly<Record<string, ColumnDefinition>>;

const NUMERIC_TYPES = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']);
const NUMBER = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/;
/** Text that needs no quotes: no separator of any locale, and no start of a formula. */
const PLAIN = /^[\w.:/ -]+$/;
/**
 * Where a spreadsheet could see the start of a formula: at the beginning, and after what separates cells in some locale,
 * also behind quotes, which it drops (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const FORMULA_STARTS = /(?<=^|[;|\t\r\n])(?=['"]*[=+\-@＝＋－＠])|^(?=['"]*[\t\r\n])/g;

// Source text access is in Node 21 and later, and not yet in TypeScript's types.
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source: string }) => unknown,
    ): unknown;
    /** A value that `JSON.stringify` writes as this text; for numbers that JavaScript would round. */
    rawJSON(text: string): object;
  }
}

type Row = Record<string, unknown>;

/** Reads JSON whose numbers keep their digits: by default so that `JSON.stringify` writes them again. */
export function parseExact(
  text: string,
  numberOf: (text: string) => unknown = JSON.rawJSON,
): unknown {
  return JSON.parse(text, (_, value, { source }) =>
    typeof value === 'number' ? numberOf(source) : value,
  );
}

/** The rows of a stored body, `{"result":[…]}`. */
function rowsOf(body: string): Row[] {
  return (parseExact(body) as { result: Row[] }).result;
}

/**
 * RFC 4180 with a header line. Null is an empty cell, the empty string is `""`. An apostrophe goes before each start of a
 * formula, also where the text has one already, so that removing one is never ambiguous.
 */
export function toCsv(body: string, columns: Columns): string {
  const lines = rowsOf(body).map((row) =>
    Object.entries(columns).map(([name, column]) => cell(column, row[name])),
  );
  return [Object.keys(columns), ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

/** One row per line, each line an object as in `result`. */
export function toNdjson(body: string): string {
  return rowsOf(body)
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
}

function cell(column: ColumnDefinition, value: unknown): string {
  if (value === null || value === undefined) return '';
  const isNested = column.mode === 'REPEATED' || column.type === 'RECORD' || column.type === 'JSON';
  const text = typeof value === 'string' && !isNested ? value : JSON.stringify(value);
  if (NUMERIC_TYPES.has(column.type) && NUMBER.test(text)) return text;
  const safe = text.replaceAll(FORMULA_STARTS, "'");
  return PLAIN.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}
