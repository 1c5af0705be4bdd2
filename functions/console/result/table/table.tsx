// The table of the rows: a header that stays in view, and one line a row. Only rows near the view are made.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row as Values } from '../../service.ts';
import { exactText, isContainer } from './short-text.ts';
import type { Sorting } from './sort-rows.ts';
import { columnWidths } from './column-widths.ts';
import type { Column, WrittenColumn } from './write-column.ts';

interface TableProps {
  label: string;
  columns: readonly WrittenColumn[];
  rows: readonly Values[];
  /** Indices of `rows`, from top to bottom. */
  order: readonly number[];
  sorting: Sorting | undefined;
  /** Indices of `rows`. */
  marked: readonly number[];
  onSort: (sorting: Sorting) => void;
  /** Called for the whole value of a cell. */
  onOpen: (cell: OpenedCell) => void;
}

export interface OpenedCell {
  column: Column;
  /** In the table, from 0 on. */
  position: number;
  value: unknown;
}

/** A cell by its place; the header is at -1. */
interface Place {
  position: number;
  column: number;
}

/** Rows of a part of the body, which keeps its height while they are not made. */
const PART = 50;
const ROW_REM = 2;

/** One cell is the stop of Tab, and keys lead from it to all others. */
export function Table(props: TableProps) {
  const { label, columns, rows, order, sorting, marked, onSort, onOpen } = props;
  const table = useRef<HTMLTableElement>(null);
  const [chosen, activate] = useState<Place>({ position: -1, column: 0 });
  const [near, see] = useState([-1, 1]);
  const isPrinted = usePrinting();
  const within = ({ position, column }: Place): Place => ({
    position: Math.max(Math.min(position, order.length - 1), -1),
    column: Math.max(Math.min(column, columns.length - 1), 0),
  });
  const active = within(chosen);
  const rowPx = (): number => table.current?.tHead?.offsetHeight ?? 1;
  /** None while the reader selects a part of a text. */
  const cellAt = ({ position, column: at }: Place = active): OpenedCell | undefined => {
    const [row, { column } = {}] = [rows[order[position] ?? -1], columns[at]];
    if (!row || !column || getSelection()?.isCollapsed === false) return undefined;
    return { column, position, value: row[column.name] ?? null };
  };
  const open = (place: Place | undefined): void => {
    const cell = place && cellAt(place);
    if (cell) onOpen(cell);
  };
  const goTo = (place: Place): void => {
    activate(place);
    const row = table.current?.querySelector(`[aria-rowindex="${place.position + 2}"]`);
    const cell = row?.children[place.column];
    const stop = place.position === -1 ? cell?.querySelector('button') : cell;
    (stop as HTMLElement | undefined)?.focus({ preventScroll: true });
    stop?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  const onKey = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    if (event.altKey || event.shiftKey) return;
    const { clientHeight = 0 } = event.currentTarget.parentElement ?? {};
    const page = Math.max(1, Math.floor(clientHeight / rowPx()) - 2);
    const next = placeBy(event, active, page);
    if (next !== undefined) goTo(within(next));
    else if (active.position >= 0 && (event.key === 'Enter' || event.key === ' ')) open(active);
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="table-scroll"
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
        const partAt = (px: number): number => Math.floor(px / rowPx() / PART);
        const seen = [partAt(scrollTop) - 1, partAt(scrollTop + clientHeight) + 1];
        if (seen.join() !== near.join()) see(seen);
      }}
    >
      <table
        ref={table}
        class="grid small"
        role="grid"
        style={columnWidths(columns)}
        aria-label={label}
        aria-rowcount={order.length + 1}
        onFocusIn={({ target }) => activate(placeOf(target) ?? active)}
        onKeyDown={onKey}
        onClick={({ target }) => {
          const cell = target instanceof Element ? target.closest('td') : null;
          const isCut = cell !== null && cell.scrollWidth > cell.clientWidth;
          if (cell?.classList.contains('has-more') || isCut) open(placeOf(target));
        }}
        onDblClick={({ target }) => open(placeOf(target))}
        onCopy={(event) => {
          const found = cellAt();
          if (!found) return;
          const text = found.value === null ? '' : exactText(found.value);
          event.clipboardData?.setData('text/plain', text);
          event.preventDefault();
        }}
      >
        <thead role="rowgroup">
          <tr role="row" aria-rowindex={1}>
            {columns.map((column, index) => (
              <Heading
                key={column.column.name}
                isStop={active.position === -1 && active.column === index}
                {...{ column, sorting, onSort }}
              />
            ))}
          </tr>
        </thead>
        {Array.from({ length: Math.ceil(order.length / PART) }, (_, part) => {
          const own = order.slice(part * PART, (part + 1) * PART);
          const isNear = part >= (near[0] ?? 0) && part <= (near[1] ?? 0);
          const isMade = isNear || isPrinted || part === Math.floor(active.position / PART);
          return (
            <tbody key={part} role="rowgroup" style={{ height: `${own.length * ROW_REM}rem` }}>
              {isMade &&
                own.map((index, at) => (
                  <Row
                    key={at}
                    {...{ columns, index, values: rows[index], position: part * PART + at }}
                    stop={active.position === part * PART + at ? active.column : -1}
                    isMarked={marked.includes(index)}
                  />
                ))}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}

interface HeadingProps extends Pick<TableProps, 'sorting' | 'onSort'> {
  column: WrittenColumn;
  isStop: boolean;
}

function Heading({ column: { column, unit, isNumber }, sorting, onSort, isStop }: HeadingProps) {
  const { name, description } = column;
  const direction = sorting?.column === name ? sorting.direction : undefined;
  const next = direction === 'ascending' ? 'descending' : 'ascending';
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={direction ?? 'none'}
      class={isNumber ? 'number' : undefined}
    >
      <button
        type="button"
        tabIndex={isStop ? 0 : -1}
        title={`${name}: ${description}`}
        onClick={() => onSort({ column: name, direction: next })}
      >
        {name}
        {unit !== undefined && <span class="muted small"> {unit}</span>}
      </button>
    </th>
  );
}

interface RowProps extends Pick<TableProps, 'columns'> {
  index: number;
  values: Values | undefined;
  position: number;
  /** The column of the cell that is the stop of Tab, or -1. */
  stop: number;
  isMarked: boolean;
}

function Row({ columns, index, values, position, stop, isMarked }: RowProps) {
  // The same as before, unless this row has changed: a pointer over the chart marks other rows again and again.
  return useMemo(
    () => (
      <tr role="row" aria-rowindex={position + 2} aria-current={isMarked ? 'true' : undefined}>
        {columns.map(({ column, textOf, isNumber }, at) => {
          const value = values?.[column.name] ?? null;
          const text = value === null ? 'null' : textOf(value, index);
          const hasMore = isContainer(value) || (isNumber && isRounded(value, text));
          const kinds = [isNumber && 'number', value === null && 'null', hasMore && 'has-more'];
          return (
            <td
              key={column.name}
              role="gridcell"
              tabIndex={at === stop ? 0 : -1}
              class={kinds.filter(Boolean).join(' ')}
            >
              {text}
            </td>
          );
        })}
      </tr>
    ),
    [columns, values, position, stop, isMarked],
  );
}

/** Where a key leads from a place; it may be outside of the table. */
function placeBy(event: KeyboardEvent, { position, column }: Place, page: number) {
  const isAll = event.ctrlKey || event.metaKey;
  const step = isAll ? Infinity : 1;
  const [row, cell] =
    {
      ArrowUp: [position - step, column],
      ArrowDown: [position + step, column],
      ArrowLeft: [position, column - step],
      ArrowRight: [position, column + step],
      PageUp: isAll ? [] : [Math.max(0, position - page), column],
      PageDown: isAll ? [] : [position + page, column],
      Home: [isAll ? 0 : position, 0],
      End: [isAll ? Infinity : position, Infinity],
    }[event.key] ?? [];
  return row === undefined || cell === undefined ? undefined : { position: row, column: cell };
}

function placeOf(target: EventTarget | null): Place | undefined {
  const cell = target instanceof Element ? target.closest<HTMLTableCellElement>('th, td') : null;
  const index = cell?.closest('tr')?.getAttribute('aria-rowindex');
  return cell === null || index == null
    ? undefined
    : { position: Number(index) - 2, column: cell.cellIndex };
}

function isRounded(value: unknown, text: string): boolean {
  return typeof value === 'number' && Number(text.replaceAll(',', '')) !== value;
}

/** Paper does not scroll. */
function usePrinting(): boolean {
  const [isPrinted, print] = useState(false);
  useEffect(() => {
    const onPrint = ({ type }: Event): void => print(type === 'beforeprint');
    const types = ['beforeprint', 'afterprint'];
    for (const type of types) window.addEventListener(type, onPrint);
    return () => types.forEach((type) => window.removeEventListener(type, onPrint));
  }, []);
  return isPrinted;
}
