// Shows the rows as a sortable table.
import { h } from './dom.ts';
import type { Endpoint, Row } from './service.ts';
import { type Zone, formatInstant, isInstant } from './time.ts';

type Column = Endpoint['row'][number];

/** Which column the table is sorted by; kept while the same endpoint is refreshed. */
export interface Sorting {
  column: string;
  direction: 'ascending' | 'descending';
}

const NUMERIC_TYPES = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']);
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

export function isNumeric({ type, mode }: Pick<Column, 'type' | 'mode'>): boolean {
  return NUMERIC_TYPES.has(type) && mode !== 'REPEATED';
}

export function renderTable(
  endpoint: Endpoint,
  rows: readonly Row[],
  zone: Zone,
  sorting: Sorting | undefined,
  onSort: (sorting: Sorting) => void,
): HTMLElement {
  const body = sorted(endpoint, rows, sorting).map((row) =>
    h('tr', {}, ...endpoint.row.map((column) => cell(column, row[column.name], zone))),
  );
  const table = h(
    'table',
    {},
    h('caption', { class: 'visually-hidden' }, `Rows of ${endpoint.name}`),
    h(
      'thead',
      {},
      h('tr', {}, ...endpoint.row.map((column) => heading(column, zone, sorting, onSort))),
    ),
    h('tbody', {}, ...body),
  );
  return h(
    'div',
    { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': 'Rows' },
    table,
  );
}

function heading(
  column: Column,
  zone: Zone,
  sorting: Sorting | undefined,
  onSort: (sorting: Sorting) => void,
): HTMLElement {
  const direction = sorting?.column === column.name ? sorting.direction : undefined;
  const button = h(
    'button',
    { type: 'button', title: column.description },
    ...breakable(column.name),
  );
  if (isZoned(column)) {
    button.append(' ', h('span', { class: 'zone' }, zone === 'utc' ? 'UTC' : 'local'));
  }
  button.addEventListener('click', () =>
    onSort({
      column: column.name,
      direction: direction === 'ascending' ? 'descending' : 'ascending',
    }),
  );
  return h(
    'th',
    {
      scope: 'col',
      class: isNumeric(column) ? 'number' : undefined,
      'aria-sort': direction ?? 'none',
    },
    button,
  );
}

/** Allows a line break between the words of a long name. */
function breakable(name: string): (Node | string)[] {
  return name.split(/(?<=_)/).flatMap((part, index) => (index === 0 ? [part] : [h('wbr'), part]));
}

function cell(column: Column, value: unknown, zone: Zone): HTMLElement {
  if (value === null || value === undefined) {
    const className = isNumeric(column) ? 'number null' : 'null';
    return h('td', { class: className }, 'null');
  }
  const exact = textOf(value);
  if (isNumeric(column)) {
    // Decimals and large integers are text, which keeps every digit.
    const text = typeof value === 'number' ? NUMBER.format(value) : exact;
    return h('td', { class: 'number', 'data-value': exact }, text);
  }
  const text = isZoned(column) ? formatInstant(column.type, exact, zone) : exact;
  return h('td', { 'data-value': exact }, text);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isZoned({ type, mode }: Column): boolean {
  return isInstant(type) && type !== 'DATE' && mode !== 'REPEATED';
}

function sorted(
  endpoint: Endpoint,
  rows: readonly Row[],
  sorting: Sorting | undefined,
): readonly Row[] {
  const column = endpoint.row.find(({ name }) => name === sorting?.column);
  if (sorting === undefined || column === undefined) return rows;
  const sign = sorting.direction === 'ascending' ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [left, right] = [a[column.name], b[column.name]];
    // Nulls are always last.
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compare(column, left, right);
  });
}

function compare(column: Column, left: unknown, right: unknown): number {
  if (isNumeric(column)) return Number(left) - Number(right);
  const [before, after] = [textOf(left), textOf(right)];
  return before < after ? -1 : Number(before !== after);
}
