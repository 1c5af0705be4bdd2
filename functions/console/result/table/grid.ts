// The table itself: a grid with one line a row, of which only the rows in view and their neighbours are in the page.
import { h } from '../../dom.ts';
import type { Endpoint, Row } from '../../service.ts';
import { type Advance, cutText, widthOf } from './cut-text.ts';
import { fitChips } from './fit-chips.ts';
import { fitColumns } from './fit-columns.ts';
import { measureText } from './measure-text.ts';
import { type Cell, nextCell } from './next-cell.ts';
import { type RecycledRows, recycleRows } from './recycle-rows.ts';
import type { Sorting } from './sort-rows.ts';
import type { WrittenColumn } from './write-column.ts';

export interface GridContent {
  label: string;
  columns: readonly WrittenColumn[];
  rows: readonly Row[];
  /** Indices of `rows`, from top to bottom. */
  order: readonly number[];
  sorting: Sorting | undefined;
}

interface GridOptions {
  onSort: (sorting: Sorting) => void;
  /** Called with the index of a row that is pointed at. */
  onRow: (row: number) => void;
  /** Called for the whole text of a cell. */
  onOpen: (column: Endpoint['row'][number], position: number, value: unknown) => void;
  /** Called for a column to be moved so many places to the right. */
  onMove: (name: string, places: 1 | -1) => void;
  onHide: (name: string) => void;
}

interface Grid {
  element: HTMLElement;
  headings: HTMLTableRowElement;
  /** With `keepsPlace`, the grid stays scrolled to where it is. */
  show: (content: GridContent, keepsPlace: boolean) => void;
  /** Marks the rows with these indices, and no others. */
  mark: (rows: readonly number[]) => void;
  focus: () => void;
}

/** The height of a row and of the header, in rem. */
const ROW_REM = 2;
/** Padding as in table.css: of a text; of a name or a number, with room for an arrow. */
const TEXT_PADDING = 20;
const NUMBER_PADDING = 34;
const HEADING_MAX = 240;
const TEXT_MIN = 160;
/** After a long scroll, rows above and below are drawn this much later. */
const SETTLED_MS = 100;

export function createGrid({ onSort, onRow, onOpen, onMove, onHide }: GridOptions): Grid {
  let content: GridContent = { label: '', columns: [], rows: [], order: [], sorting: undefined };
  let needs: { least: number; most: number }[] = [];
  let measured = { by: '', needs: new WeakMap<WrittenColumn, (typeof needs)[number]>() };
  /** Of the columns, in pixels. */
  let widths: number[] = [];
  let marked: ReadonlySet<number> = new Set();
  /** The cell that Tab leads to. Its row stays in the page, so that the focus is not lost. */
  let active: Cell = { position: -1, column: 0 };
  let recycled: RecycledRows | undefined;
  let outside: HTMLTableRowElement | undefined;
  let [rowPx, widthPx, heightPx] = [0, 0, 0];
  let lastTop = 0;
  let settling: ReturnType<typeof setTimeout> | undefined;
  let [pointerX, pointerY] = [0, 0];
  let thin: Advance = () => 0;
  let bold = thin;

  const headings = h('tr', { role: 'row', 'aria-rowindex': '1' });
  const body = h('tbody', { role: 'rowgroup' });
  const table = h(
    'table',
    { class: 'grid', role: 'grid' },
    h('thead', { role: 'rowgroup' }, headings),
    body,
  );
  const element = h('div', { class: 'table-scroll' }, table);
  element.addEventListener('scroll', showRows, { passive: true });
  table.addEventListener('focusin', ({ target }) => activate(cellOf(target) ?? active));
  table.addEventListener('keydown', onKey);
  for (const type of ['pointermove', 'pointerdown'] as const)
    body.addEventListener(type, ({ target, clientX, clientY }) => {
      // Rows that are scrolled under a pointer at rest are not pointed at.
      const isAtRest = type === 'pointermove' && pointerX === clientX && pointerY === clientY;
      [pointerX, pointerY] = [clientX, clientY];
      const position = isAtRest ? undefined : cellOf(target)?.position;
      if (position !== undefined) point(position);
    });
  body.addEventListener('click', ({ target }) => {
    const cell = cellOf(target);
    const isMarking = getSelection()?.isCollapsed === false;
    if (cell && !isMarking && (target as Element).closest('.has-more')) open(cell);
  });
  body.addEventListener('dblclick', ({ target }) => {
    const cell = cellOf(target);
    if (cell) open(cell);
  });
  new ResizeObserver(() => {
    // Not while another tab of the page is open.
    if (element.clientWidth === 0) return;
    if (element.clientWidth !== widthPx) fit();
    else if (element.clientHeight !== heightPx) showRows();
  }).observe(element);

  return {
    element,
    headings,
    show(next, keepsPlace) {
      const hadFocus = table.contains(document.activeElement);
      const { name } = content.columns[active.column]?.column ?? {};
      content = next;
      const { columns, order } = content;
      const column = columns.findIndex((one) => one.column.name === name);
      active = {
        position: keepsPlace ? Math.min(active.position, order.length - 1) : -1,
        column: column === -1 ? Math.min(active.column, columns.length - 1) : column,
      };
      if (!keepsPlace) {
        active.column = 0;
        element.scrollTo(0, 0);
      }
      build();
      if (hadFocus) focus();
    },
    mark(rows) {
      marked = new Set(rows);
      for (const row of body.rows) markRow(row);
    },
    focus,
  };

  function build(): void {
    const { label, columns, order } = content;
    const { fontSize, fontFamily } = getComputedStyle(table);
    thin = measureText(`${fontSize} ${fontFamily}`);
    bold = measureText(`600 ${fontSize} ${fontFamily}`);
    rowPx = Math.round(ROW_REM * parseFloat(getComputedStyle(document.documentElement).fontSize));
    table.setAttribute('aria-label', label);
    table.setAttribute('aria-rowcount', String(order.length + 1));
    table.setAttribute('aria-colcount', String(columns.length));
    table.style.setProperty('--row', `${rowPx}px`);
    body.style.height = `${order.length * rowPx}px`;
    const measures = `${fontSize} ${fontFamily} ${element.clientWidth}`;
    if (measured.by !== measures) measured = { by: measures, needs: new WeakMap() };
    // A filter or another order changes no width, and to measure all texts takes long.
    needs = columns.map((column) => {
      const need = measured.needs.get(column) ?? needOf(column, element.clientWidth);
      measured.needs.set(column, need);
      return need;
    });
    recycled = recycleRows(body, { create: createRow, fill });
    fit();
  }

  function needOf(
    { column, unit = '', widest, isNumber, isCuttable }: WrittenColumn,
    max: number,
  ): (typeof needs)[number] {
    const name = Math.ceil(widthOf(`${column.name} ${unit}`.trim(), bold));
    let text = Math.ceil(widthOf('null', thin));
    for (const one of widest()) {
      text = Math.max(text, Math.ceil(widthOf(one, thin, isCuttable ? max : undefined)));
      if (isCuttable && text >= max) break;
    }
    const padding = paddingOf(isNumber);
    const least = Math.max(
      Math.min(name, HEADING_MAX) + NUMBER_PADDING,
      (isCuttable ? Math.min(text, TEXT_MIN) : text) + padding,
    );
    return { least, most: Math.max(least, text + padding) };
  }

  /** Distributes the width of the grid among the columns. */
  function fit(): void {
    const hadFocus = headings.contains(document.activeElement);
    widthPx = element.clientWidth;
    widths = fitColumns(needs, widthPx);
    table.style.setProperty('--columns', widths.map((width) => `${width}px`).join(' '));
    table.style.width = `${widths.reduce((sum, width) => sum + width, 0)}px`;
    headings.replaceChildren(...content.columns.map(heading));
    if (hadFocus) focus();
    recycled?.refill();
    showRows();
  }

  /** Those in view, and half as many above and below, so that a wheel finds them drawn; after a long scroll, first those in view alone. */
  function showRows(): void {
    if (rowPx === 0) return;
    heightPx = element.clientHeight;
    const { length } = content.order;
    const inView = Math.ceil(heightPx / rowPx);
    const top = Math.min(Math.floor(element.scrollTop / rowPx), length);
    const isFar = Math.abs(top - lastTop) >= inView;
    lastTop = top;
    clearTimeout(settling);
    if (isFar) settling = setTimeout(showRows, SETTLED_MS);
    const margin = isFar ? 0 : Math.ceil(inView / 2);
    const end = Math.min(length, top + inView + margin);
    const first = Math.max(0, top - margin);
    recycled?.show(first, end, active.position);
    // One style changes in each frame. Positioning each row by itself costs the browser 50 ms and more.
    body.style.paddingTop = `${first * rowPx}px`;
    const isOutside = active.position < first || active.position >= end;
    placeOutside(isOutside ? recycled?.at(active.position) : undefined);
  }

  /** Positions the row with the focus, even if its neighbours are not in the page. */
  function placeOutside(row: HTMLTableRowElement | undefined): void {
    if (outside !== row) outside?.removeAttribute('style');
    outside = row;
    if (row === undefined) return;
    row.style.position = 'absolute';
    row.style.top = `${active.position * rowPx}px`;
  }

  function heading({ column, unit, isNumber }: WrittenColumn, index: number): HTMLElement {
    const { name, description } = column;
    const behind = unit === undefined ? '' : ` ${unit}`;
    const room = (widths[index] ?? 0) - NUMBER_PADDING - widthOf(behind, bold);
    const text = cutText(name, Math.ceil(room), bold);
    const { sorting } = content;
    const direction = sorting?.column === name ? sorting.direction : undefined;
    const button = h(
      'button',
      {
        ...{ type: 'button', 'aria-keyshortcuts': 'Shift+ArrowLeft Shift+ArrowRight Delete' },
        title: text === name ? description : `${name}: ${description}`,
        'aria-label': text === name ? undefined : name + behind,
      },
      text,
    );
    button.tabIndex = tabIndexOf({ position: -1, column: index });
    if (unit !== undefined) button.append(' ', h('span', { class: 'zone' }, unit));
    button.addEventListener('click', () =>
      onSort({ column: name, direction: direction === 'ascending' ? 'descending' : 'ascending' }),
    );
    return h(
      'th',
      {
        ...{ role: 'columnheader', scope: 'col', 'aria-sort': direction ?? 'none' },
        class: isNumber ? 'number' : undefined,
      },
      button,
    );
  }

  function createRow(): HTMLTableRowElement {
    return h('tr', { role: 'row' }, ...content.columns.map(() => h('td', { role: 'gridcell' })));
  }

  function fill(row: HTMLTableRowElement, position: number): void {
    const index = content.order[position] ?? 0;
    const values = content.rows[index] ?? {};
    row.setAttribute('aria-rowindex', String(position + 2));
    row.dataset.row = String(index);
    markRow(row);
    for (const [column, cell] of [...row.cells].entries()) {
      const written = content.columns[column];
      if (written === undefined) continue;
      const { isNumber, isCuttable } = written;
      const value = values[written.column.name] ?? null;
      const whole = value === null ? 'null' : written.textOf(value, index);
      const room = (widths[column] ?? 0) - paddingOf(isNumber);
      const parts = value === null ? undefined : written.partsOf?.(value);
      const text = isCuttable && parts === undefined ? cutText(whole, room, thin) : whole;
      const hasMore =
        parts !== undefined || text !== whole || (isNumber && isRounded(value, whole));
      if (parts === undefined) cell.textContent = text;
      else cell.replaceChildren(...chipsOf(parts, room));
      cell.className = [isNumber && 'number', value === null && 'null', hasMore && 'has-more']
        .filter(Boolean)
        .join(' ');
      cell.tabIndex = tabIndexOf({ position, column });
    }
  }

  function chipsOf(parts: readonly string[], room: number): (Node | string)[] {
    const { chips, others } = fitChips(parts, room, thin);
    return [
      ...chips.map((chip) => h('span', { class: 'chip' }, chip)),
      ...(others === 0 ? [] : [`+${others}`]),
    ];
  }

  function markRow(row: HTMLTableRowElement): void {
    if (marked.has(Number(row.dataset.row))) row.setAttribute('aria-current', 'true');
    else row.removeAttribute('aria-current');
  }

  function tabIndexOf({ position, column }: Cell): number {
    return position === active.position && column === active.column ? 0 : -1;
  }

  function elementOf({ position, column }: Cell): HTMLElement | null | undefined {
    return position === -1
      ? headings.cells[column]?.querySelector('button')
      : recycled?.at(position)?.cells[column];
  }

  function focus(): void {
    elementOf(active)?.focus({ preventScroll: true });
  }

  function activate(cell: Cell): void {
    const before = elementOf(active);
    active = cell;
    const now = elementOf(active);
    if (before && before !== now) before.tabIndex = -1;
    if (now) now.tabIndex = 0;
  }

  /** Scrolls to a cell, which may be of a row that is not in the page yet. */
  function goTo(cell: Cell): void {
    const top = cell.position * rowPx;
    const view = heightPx - rowPx;
    if (cell.position >= 0)
      element.scrollTop = Math.min(Math.max(element.scrollTop, top + rowPx - view), top);
    activate(cell);
    showRows();
    activate(cell);
    focus();
    elementOf(cell)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    point(cell.position);
  }

  function point(position: number): void {
    const row = content.order[position];
    if (row !== undefined) onRow(row);
  }

  function open({ position, column }: Cell): void {
    const { column: opened } = content.columns[column] ?? {};
    const row = content.rows[content.order[position] ?? -1];
    if (opened !== undefined && row !== undefined)
      onOpen(opened, position, row[opened.name] ?? null);
  }

  function onKey(event: KeyboardEvent): void {
    const { columns, order } = content;
    const { key, shiftKey } = event;
    const { name } = columns[active.column]?.column ?? {};
    const isHeading = active.position === -1;
    const page = Math.max(1, Math.floor(heightPx / rowPx) - 2);
    const next = nextCell(active, { rows: order.length, columns: columns.length, page }, event);
    if (next !== undefined) goTo(next);
    else if (!isHeading && (key === 'Enter' || key === ' ')) open(active);
    else if (isHeading && shiftKey && key === 'ArrowLeft') onMove(name ?? '', -1);
    else if (isHeading && shiftKey && key === 'ArrowRight') onMove(name ?? '', 1);
    else if (isHeading && key === 'Delete') onHide(name ?? '');
    else return;
    event.preventDefault();
  }
}

function paddingOf(isNumber: boolean): number {
  return isNumber ? NUMBER_PADDING : TEXT_PADDING;
}

function cellOf(target: EventTarget | null): Cell | undefined {
  const cell = target instanceof Element ? target.closest<HTMLTableCellElement>('th, td') : null;
  const index = cell?.closest('tr')?.getAttribute('aria-rowindex');
  return cell === null || index == null
    ? undefined
    : { position: Number(index) - 2, column: cell.cellIndex };
}

function isRounded(value: unknown, text: string): boolean {
  return typeof value === 'number' && Number(text.replaceAll(',', '')) !== value;
}
