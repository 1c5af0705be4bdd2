// Shows the rows as a sortable table.
import { groupDigits, isNumeric } from '../chart/plan/format-value.ts';
import type { ChartInput } from '../chart/plan/chart-plan.ts';
import { type Moments, planMoments } from '../chart/plan/plan-moments.ts';
import { isMeasure } from '../chart/plan/plan-panels.ts';
import { parseStep } from '../chart/plan/step.ts';
import { isInstant, onWall, parseInstant } from '../chart/plan/zoned-time.ts';
import { h } from '../dom.ts';
import type { Endpoint, Row } from '../service.ts';

type Column = Endpoint['row'][number];

/** Which column the table is sorted by; kept while the same endpoint is refreshed. */
export interface Sorting {
  column: string;
  direction: 'ascending' | 'descending';
}

interface TableOptions {
  endpoint: Endpoint;
  /** As the chart gets it, so that both name a time alike. */
  input: ChartInput;
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting) => void;
  /** Called with the index of a row that is pointed at. */
  onRow: (row: number) => void;
}

/** A cell shows as many letters; a long one would slow down every frame. */
const LETTERS_MAX = 120;
const DECIMALS_MAX = 2;
/** Numbers that are all less than one need more. */
const SMALL_DECIMALS_MAX = 4;

export function renderTable(options: TableOptions): HTMLElement {
  const { endpoint, input, sorting, onRow } = options;
  const columns = endpoint.row.map((column) => ({
    column,
    write: writerOf(column, input, endpoint.row),
  }));
  const body = sorted(endpoint, input.rows, sorting).map(({ row, index }) =>
    h(
      'tr',
      { 'data-row': String(index) },
      ...columns.map(({ column, write }) => cell(column, row[column.name], write.textOf, index)),
    ),
  );
  const table = h(
    'table',
    {},
    h('caption', { class: 'visually-hidden' }, `Rows of ${endpoint.name}`),
    h(
      'thead',
      {},
      h('tr', {}, ...columns.map(({ column, write }) => heading(column, write.zone, options))),
    ),
    h('tbody', {}, ...body),
  );
  table.addEventListener('pointerover', ({ target }) => {
    const row = (target as Element).closest<HTMLElement>('tr[data-row]')?.dataset.row;
    if (row !== undefined) onRow(Number(row));
  });
  return h(
    'div',
    { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': 'Rows' },
    table,
  );
}

/** Marks the rows with these indices, and no others. */
export function markRows(card: HTMLElement, rows: readonly number[]): void {
  for (const marked of card.querySelectorAll('tr[aria-current]'))
    marked.removeAttribute('aria-current');
  for (const index of rows)
    card.querySelector(`tr[data-row="${index}"]`)?.setAttribute('aria-current', 'true');
}

interface Writer {
  textOf: (value: unknown, index: number) => string;
  /** The zone of its times, where they have one. */
  zone: string | undefined;
}

function writerOf(column: Column, input: ChartInput, all: readonly Column[]): Writer {
  const { name, type, mode } = column;
  if (isNumeric(column)) {
    const format = numberFormat(input.rows.map((row) => row[name]));
    // Decimals and large integers are text, which keeps every digit.
    const textOf = (value: unknown): string =>
      typeof value === 'number' ? format.format(value) : groupDigits(value);
    return { textOf, zone: undefined };
  }
  if (!isInstant(type) || mode === 'REPEATED') return { textOf: cutText, zone: undefined };
  const isUtc = (zone: string): string => (zone === 'UTC' ? 'UTC' : 'local');
  if (input.bucket?.column === name && all.some((each) => each.name === name)) {
    const { moments, labels } = planMoments(input, column, parseStep(input.bucket.step));
    const texts = labelsByRow(moments);
    const zone = type === 'DATE' ? undefined : isUtc(labels.timeZone);
    return { textOf: (value, index) => texts.get(index) ?? exactText(value), zone };
  }
  if (type === 'DATE') return { textOf: exactText, zone: undefined };
  const textOf = (value: unknown): string => {
    const ms = parseInstant(type, value);
    if (Number.isNaN(ms)) return exactText(value);
    return onWall(ms, input.timeZone).toISOString().slice(0, 19).replace('T', ' ');
  };
  return { textOf, zone: isUtc(input.timeZone) };
}

function labelsByRow(moments: Moments['moments']): Map<number, string> {
  return new Map(
    moments.flatMap(({ label, state, rows }) =>
      rows.map((row) => [row, state === 'whole' ? label : `${label} · ${state}`] as const),
    ),
  );
}

/** The same number of decimals down a column. */
function numberFormat(values: readonly unknown[]): Intl.NumberFormat {
  const numbers = values.filter((value) => typeof value === 'number');
  const isSmall = numbers.every((value) => Math.abs(value) < 1);
  const most = isSmall ? SMALL_DECIMALS_MAX : DECIMALS_MAX;
  let decimals = 0;
  for (const value of numbers) {
    while (decimals < most && Number(value.toFixed(decimals)) !== value) decimals += 1;
  }
  return new Intl.NumberFormat('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

function heading(
  column: Column,
  zone: string | undefined,
  { sorting, onSort }: TableOptions,
): HTMLElement {
  const { name, description, unit } = column;
  const direction = sorting?.column === name ? sorting.direction : undefined;
  const button = h('button', { type: 'button', title: description }, name);
  const small = zone ?? (isMeasure(unit) ? unit : undefined);
  if (small !== undefined) button.append(' ', h('span', { class: 'zone' }, small));
  button.addEventListener('click', () =>
    onSort({
      column: name,
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

function cell(
  column: Column,
  value: unknown,
  textOf: Writer['textOf'],
  index: number,
): HTMLElement {
  const number = isNumeric(column) ? 'number' : '';
  if (value === null || value === undefined)
    return h('td', { class: `${number} null`.trim() }, 'null');
  const attributes = { class: number === '' ? undefined : number, 'data-value': exactText(value) };
  return h('td', attributes, textOf(value, index));
}

function cutText(value: unknown): string {
  const text = exactText(value);
  return text.length > LETTERS_MAX ? `${text.slice(0, LETTERS_MAX)}…` : text;
}

function exactText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Indexed {
  row: Row;
  /** In the order of the answer. */
  index: number;
}

function sorted(
  endpoint: Endpoint,
  rows: readonly Row[],
  sorting: Sorting | undefined,
): readonly Indexed[] {
  const indexed = rows.map((row, index) => ({ row, index }));
  const column = endpoint.row.find(({ name }) => name === sorting?.column);
  if (sorting === undefined || column === undefined) return indexed;
  const sign = sorting.direction === 'ascending' ? 1 : -1;
  return indexed.toSorted((a, b) => {
    const [left, right] = [a.row[column.name], b.row[column.name]];
    // Nulls are always last.
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compare(column, left, right);
  });
}

function compare(column: Column, left: unknown, right: unknown): number {
  if (isNumeric(column)) return Number(left) - Number(right);
  const [before, after] = [exactText(left), exactText(right)];
  return before < after ? -1 : Number(before !== after);
}
