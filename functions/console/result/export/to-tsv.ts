// Writes the rows on the page as text between tabs, which spreadsheets paste into cells.
import { type Column, exactTexts, withoutFormulas } from './exact-texts.ts';

/** With a header line; quoted as in CSV where a text has a tab, a line break or a quote. */
export function toTsv(body: string, columns: readonly Column[], order: readonly number[]): string {
  const lines = exactTexts(body, columns, order).map((texts) =>
    texts.map((text, index) => {
      const safe = withoutFormulas(columns[index] as Column, text ?? '');
      return /["\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    }),
  );
  return [columns.map(({ name }) => name), ...lines].map((line) => `${line.join('\t')}\n`).join('');
}
