// All rows as a plain table, which exists only while the page is printed.
import { h } from '../../dom.ts';
import type { GridContent } from './grid.ts';
import type { WrittenColumn } from './write-column.ts';

/** A page has no dialog for the rest of a text. */
const LETTERS_MAX = 240;

export function printedRows({ columns, rows, order }: GridContent): HTMLElement {
  const numberClass = ({ isNumber }: WrittenColumn): string | undefined =>
    isNumber ? 'number' : undefined;
  return h(
    'table',
    { class: 'printed' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...columns.map((one) =>
          h(
            'th',
            { class: numberClass(one) },
            one.unit === undefined ? one.column.name : `${one.column.name} ${one.unit}`,
          ),
        ),
      ),
    ),
    h(
      'tbody',
      {},
      ...order.map((index) =>
        h(
          'tr',
          {},
          ...columns.map((one) => {
            const value = rows[index]?.[one.column.name] ?? null;
            const text = value === null ? 'null' : one.textOf(value, index);
            const shown = text.length > LETTERS_MAX ? `${text.slice(0, LETTERS_MAX)}…` : text;
            return h('td', { class: numberClass(one) }, shown);
          }),
        ),
      ),
    ),
  );
}
