// The stored JSON of a result to the other forms that a client may ask for.
import type { ColumnDefinition } from './endpoint.ts';
import { members, rowTexts } from './json-text.ts';

type Columns = Readonly<Record<string, ColumnDefinition>>;

const NUMERIC_TYPES = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']);
const NUMBER = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/;
/** In no locale a separator, and nothing that a spreadsheet could read as the start of a formula. */
const PLAIN = /^[\w.:/ -]+$/;
/** https://owasp.org/www-community/attacks/CSV_Injection, the full-width forms included. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * RFC 4180 with a header line: CRLF after every line, null an empty cell and the empty string `""`,
 * records, lists and JSON as JSON text. Text that a spreadsheet would run as a formula gets an
 * apostrophe in front; text that has one there already gets one more, so that nothing is ambiguous.
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
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return PLAIN.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}
