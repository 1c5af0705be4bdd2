// Puts the table of rows into its card, with the parts that hide and order columns, show whole texts and print.
import type { ChartInput } from '../../chart/plan/chart-plan.ts';
import { byId, h } from '../../dom.ts';
import { createFilterBar } from '../filter/filter-bar.ts';
import { type Filter, filterRows, isMisread, prepareTexts } from '../filter/filter-rows.ts';
import type { Endpoint } from '../../service.ts';
import {
  type Arrangement,
  UNARRANGED,
  isUnarranged,
  moveColumn,
  toggleColumn,
  visibleColumns,
} from './arrange-columns.ts';
import { createArrangeDialog } from './arrange-dialog.ts';
import { dragHeadings } from './drag-headings.ts';
import { type GridContent, createGrid } from './grid.ts';
import { printedRows } from './print-rows.ts';
import { type Sorting, sortRows } from './sort-rows.ts';
import { createTextDialog } from './text-dialog.ts';
import { type WrittenColumn, writeColumn } from './write-column.ts';

export interface TableContent {
  endpoint: Endpoint;
  /** As the chart gets it, so that both name a time alike. */
  input: ChartInput;
  sorting: Sorting | undefined;
  arrangement: Arrangement;
  filter: Filter | undefined;
}

interface TableOptions {
  onSort: (sorting: Sorting) => void;
  onArrange: (arrangement: Arrangement) => void;
  onFilter: (filter: Filter | undefined) => void;
  /** Called with the index of a row that is pointed at. */
  onRow: (row: number) => void;
}

interface Table {
  /** The indices of the rows that the filter keeps, from top to bottom. */
  rowsOf: (content: TableContent) => number[];
  /** With `keepsPlace`, the table stays scrolled to where it is. */
  show: (content: TableContent, keepsPlace: boolean) => void;
  /** Marks the rows with these indices, and no others. */
  mark: (rows: readonly number[]) => void;
  clear: () => void;
}

export function mountTable(
  card: HTMLElement,
  { onSort, onArrange, onFilter, onRow }: TableOptions,
): Table {
  let all: Endpoint['row'] = [];
  let arrangement = UNARRANGED;
  let shown: GridContent | undefined;
  let asked: { of: readonly unknown[]; rows: number[] } | undefined;
  /** The columns of the rows on the page, by name: a new order of rows or columns does not change their texts. */
  let written: { input?: ChartInput; columns: Map<string, WrittenColumn> } = { columns: new Map() };

  const grid = createGrid({
    onSort,
    onRow,
    onOpen: (column, position, value) => texts.open(column, position, value),
    onMove: (name, places) => move(placeOf(name), placeOf(name) + (places === 1 ? 2 : -1)),
    onHide(name) {
      onArrange(toggleColumn(all, arrangement, name));
      tell(`${name} is hidden.`);
    },
  });
  dragHeadings(grid.headings, { onMove: move });
  const dialogs = h('div', {});
  const texts = createTextDialog(dialogs, {
    onFilter,
    onClose: grid.focus,
  });
  const columnsDialog = createArrangeDialog(dialogs, onArrange);
  const arrange = byId('arrange');
  arrange.addEventListener('click', columnsDialog.open);
  const restore = h('button', { class: 'link', type: 'button' }, 'Restore');
  restore.addEventListener('click', () => {
    onArrange(UNARRANGED);
    arrange.focus();
  });
  const noteText = h('span', {});
  const note = h('p', { class: 'table-note muted small' }, noteText, ' ', restore);
  const frame = h('div', { class: 'table-frame' }, grid.element);
  const bar = createFilterBar((filter) => {
    onFilter(filter);
    if (filter === undefined) filterButton.focus();
  });
  const filterButton = byId('filter');
  filterButton.addEventListener('click', () => {
    const isOpen = !bar.element.hidden;
    onFilter(isOpen ? undefined : { column: '', text: '', isWhole: false });
    if (isOpen) return;
    bar.focus();
    // On a phone, the rows below it are behind "Run" otherwise.
    if (matchMedia('(max-width: 40rem)').matches) bar.element.scrollIntoView();
  });
  window.addEventListener('beforeprint', () => {
    if (shown !== undefined) card.append(printedRows(shown));
  });
  window.addEventListener('afterprint', () => card.querySelector('.printed')?.remove());

  return {
    rowsOf,
    show(content, keepsPlace) {
      const { endpoint, input, sorting, arrangement: next, filter } = content;
      all = endpoint.row;
      arrangement = next;
      shown = {
        label: `Rows of ${endpoint.name}`,
        columns: visibleColumns(all, next).map((column) => write(column, content)),
        rows: input.rows,
        order: rowsOf(content),
        sorting,
      };
      const names = shown.columns.map(({ column }) => column.name);
      const kept = shown.order.length;
      const isNone = kept === 0 && filter !== undefined && isMisread(shown.columns, filter);
      bar.show(names, filter, isNone ? 'not a number' : countOf(kept, input.rows.length));
      filterButton.setAttribute('aria-expanded', String(filter !== undefined));
      const hidden = all.length - shown.columns.length;
      note.hidden = isUnarranged(next);
      noteText.textContent =
        hidden === 0
          ? 'The columns are in another order.'
          : `${hidden} of ${all.length} columns ${hidden === 1 ? 'is' : 'are'} hidden.`;
      if (!frame.isConnected) card.replaceChildren(note, bar.element, frame, dialogs);
      grid.show(shown, keepsPlace);
      columnsDialog.show(all, next);
    },
    mark: grid.mark,
    clear() {
      shown = undefined;
      asked = undefined;
      texts.close();
      columnsDialog.close();
      card.replaceChildren();
    },
  };

  /** The chart, the table and the count ask for the same. */
  function rowsOf(content: TableContent): number[] {
    const of = [content.input, content.sorting, content.arrangement, content.filter];
    if (asked === undefined || !of.every((each, index) => each === asked?.of[index]))
      asked = { of, rows: findRows(content) };
    return asked.rows;
  }

  function findRows({
    endpoint,
    input,
    sorting,
    arrangement: next,
    filter,
  }: TableContent): number[] {
    const order = sortRows(endpoint.row, input.rows, sorting);
    if (filter === undefined) return order;
    const columns = filter.column === '' ? visibleColumns(endpoint.row, next) : endpoint.row;
    const searched = columns.map((column) => write(column, { endpoint, input }));
    // While nothing is typed yet.
    if (filter.text === '') prepareTexts(searched, input.rows);
    const kept = new Set(filterRows(searched, input.rows, filter));
    return order.filter((index) => kept.has(index));
  }

  function write(
    column: Endpoint['row'][number],
    { endpoint, input }: Pick<TableContent, 'endpoint' | 'input'>,
  ): WrittenColumn {
    if (written.input !== input) written = { input, columns: new Map() };
    const made = written.columns.get(column.name) ?? writeColumn(column, input, endpoint.row);
    written.columns.set(column.name, made);
    return made;
  }

  function placeOf(name: string): number {
    return shown?.columns.findIndex(({ column }) => column.name === name) ?? -1;
  }

  /** Moves a visible column before another one, by their places. */
  function move(from: number, before: number): void {
    const names = shown?.columns.map(({ column }) => column.name) ?? [];
    const name = names[from];
    if (name === undefined || before < 0) return;
    onArrange(moveColumn(all, arrangement, name, names[before]));
    tell(`${name} is column ${placeOf(name) + 1} of ${names.length}.`);
  }
}

/** `12 of 300 rows`. */
export function countOf(kept: number, all: number): string {
  const of = kept === all ? '' : `${kept.toLocaleString('en')} of `;
  return `${of}${all.toLocaleString('en')} ${all === 1 ? 'row' : 'rows'}`;
}

/** For screen readers. */
function tell(text: string): void {
  byId('status').textContent = text;
}
