// The stored JSON of a result to the other forms that a client may ask for.
import type { ColumnDefinition } from '../endpoints/endpoint.ts';
import { members, rowTexts } from './json-text.ts';

type Columns = Readonly<Record<string, ColumnDefinition>>;

const NUMERIC_TYPES = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']);
const NUMBER = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/;
/** In no locale a separator, and nothing that a spreadsheet could read as the start of a formula. */
const PLAIN = /^[\w.:/ -]+$/;
/**
 * Where a spreadsheet could see the start of a formula: at the beginning of the text, and after what
 * separates cells in some locale or import, where no comma does and our quotes are then mere text.
 * Quotes in between are passed over: a spreadsheet drops them.
 * https://owasp.org/www-community/attacks/CSV_Injection, the full-width forms included.
 */
const FORMULA_STARTS = /(?<=^|[;|\t\r\n])(?=['"]*[=+\-@＝＋－＠])|^(?=['"]*[\t\r\n])/g;

/**
 * RFC 4180 with a header line: CRLF after every line, null an empty cell and the empty string `""`,
 * records, lists and JSON as JSON text. Text gets an apostrophe wherever a spreadsheet could see the
 * start of a formula, also where it has one there already: taking one off again is never ambiguous.
 */
export function toCsv(body: string, columns: Columns): string {
  const names = Object.keys(columns);
  const lines = rowTexts(body).map((row) => {
    const values = members(row);
    return Object.entries(columns).map(([name, column]) => cell(column, values.get(name)));
  });
  return [names, ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

/** One row per line, each line an object as in `result`. */
export function toNdjson(body: string): string {
  // JSON columns keep BigQuery's own spacing; a line break can only be between two tokens.
  return rowTexts(body)
    .map((row) => `${row.replaceAll(/[\r\n]+/g, '')}\n`)
    .join('');
}

function cell(column: ColumnDefinition, json: string | undefined): string {
  if (json === undefined || json === 'null') return '';
  const isNested = column.mode === 'REPEATED' || column.type === 'RECORD' || column.type === 'JSON';
  const text = json.startsWith('"') && !isNested ? (JSON.parse(json) as string) : json;
  if (NUMERIC_TYPES.has(column.type) && NUMBER.test(text)) return text;
  const safe = text.replaceAll(FORMULA_STARTS, "'");
  return PLAIN.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}
