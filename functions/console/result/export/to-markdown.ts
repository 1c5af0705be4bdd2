// Writes the rows on the page as a table of Markdown: https://github.github.com/gfm/#tables-extension-
import { isNumeric } from '../../chart/plan/format-value.ts';
import { type Column, exactTexts } from './exact-texts.ts';

/** Numbers are on the right. A text is what it is, and neither markup nor a second cell. */
export function toMarkdown(
  body: string,
  columns: readonly Column[],
  order: readonly number[],
): string {
  const heads = columns.map(({ name }) => escape(name));
  const rules = columns.map((column) => (isNumeric(column) ? '---:' : '---'));
  const lines = exactTexts(body, columns, order).map((texts) =>
    texts.map((text) => escape(text ?? '')),
  );
  return [heads, rules, ...lines].map((line) => `| ${line.join(' | ')} |\n`).join('');
}

/** An underscore between letters or digits is no markup. */
function escape(text: string): string {
  return text
    .replaceAll(/[\\|<>&`*[\]~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .trim()
    .replaceAll(/\r\n?|\n/g, '<br>');
}
