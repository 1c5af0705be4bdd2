// All rows as a plain table, which exists only while the page is printed.
import { h } from '../../dom.ts';
import type { GridContent } from './grid.ts';

/** Paper has no dialog for the rest of a text. */
const LETTERS_MAX = 120;
/** Columns with longer texts may have several lines. */
const LINE_MAX = 24;

export function printedRows({ columns, rows, order }: GridContent): HTMLElement {
  const printed = columns.map(({ column, unit, isNumber, isCuttable, textOf }) => {
    const texts = order.map((index) => {
      const value = rows[index]?.[column.name] ?? null;
      const text = value === null ? 'null' : textOf(value, index);
      return text.length > LETTERS_MAX ? `${text.slice(0, LETTERS_MAX)}…` : text;
    });
    const isLong = isCuttable && texts.some(({ length }) => length > LINE_MAX);
    const name = unit === undefined ? column.name : `${column.name} ${unit}`;
    return { name, texts, class: isNumber ? 'number' : isLong ? 'long' : undefined };
  });
  const heads = printed.map((one) => h('th', { class: one.class }, one.name));
  const lines = order.map((_, position) =>
    h('tr', {}, ...printed.map((one) => h('td', { class: one.class }, one.texts[position] ?? ''))),
  );
  return h(
    'table',
    { class: 'printed' },
    h('thead', {}, h('tr', {}, ...heads)),
    h('tbody', {}, ...lines),
  );
}
