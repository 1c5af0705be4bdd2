// Writes the rows on the page as CSV, byte for byte as the service does.
import { type Column, exactTexts, isNumberText, withoutFormulas } from './exact-texts.ts';

const PLAIN = /^[\w.:/ -]+$/;

/** RFC 4180 with a header line. */
export function toCsv(body: string, columns: readonly Column[], order: readonly number[]): string {
  const lines = exactTexts(body, columns, order).map((texts) =>
    texts.map((text, index) => cell(columns[index] as Column, text)),
  );
  return [columns.map(({ name }) => name), ...lines]
    .map((line) => `${line.join(',')}\r\n`)
    .join('');
}

function cell(column: Column, text: string | null): string {
  if (text === null) return '';
  const safe = withoutFormulas(column, text);
  return isNumberText(column, text) || PLAIN.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}
