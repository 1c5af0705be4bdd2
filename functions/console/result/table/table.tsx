// The table of the rows: a header that stays in view, and one line a row. Only rows near the view are made.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { exactText } from '../../chart/plan/format-value.ts';
import type { Column, Row as Values } from '../../service.ts';
import { columnWidths } from './column-widths.ts';
import type { Sorting } from './sort-rows.ts';
import type { WrittenColumn } from './write-column.ts';

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

/** More rows are made as soon as so many are scrolled. */
const PART = 50;
const ROW_REM = 2;
/** A longer text may be cut. */
const SHORT = 16;

export function Table(props: TableProps) {
  const { label, columns, rows, order, sorting, marked, onSort, onOpen } = props;
  const table = useRef<HTMLTableElement>(null);
  const [[from, to], see] = useState<readonly [number, number]>([0, 2 * PART]);
  const isPrinted = usePrinting();
  // A filter may leave fewer rows than were scrolled.
  const seen = from < order.length ? [from, to] : [0, 2 * PART];
  const [first = 0, last = 0] = isPrinted ? [0, order.length] : seen;
  const { widths, minWidth } = useMemo(() => columnWidths(columns), [columns]);
  return (
    <div
      class="table-scroll"
      role="region"
      aria-label={label}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
        const rowPx = table.current?.tHead?.offsetHeight ?? 1;
        const partAt = (px: number): number => Math.floor(px / rowPx / PART) * PART;
        const seenFrom = Math.max(0, partAt(scrollTop) - PART);
        const seenTo = partAt(scrollTop + clientHeight) + 2 * PART;
        if (seenFrom !== from || seenTo !== to) see([seenFrom, seenTo]);
      }}
    >
      <table class="grid small" ref={table} style={{ minWidth }} aria-rowcount={order.length + 1}>
        <colgroup>
          {widths.map((width, index) => (
            <col key={index} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Heading key={column.column.name} {...{ column, sorting, onSort }} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Space count={first} />
          {order.slice(first, last).map((index, at) => (
            <Row
              key={first + at}
              {...{ columns, index, values: rows[index], position: first + at, onOpen }}
              isMarked={marked.includes(index)}
            />
          ))}
          <Space count={order.length - last} />
        </tbody>
      </table>
    </div>
  );
}

/** In place of rows that are not made. */
function Space({ count }: { count: number }) {
  return count > 0 ? <tr aria-hidden="true" style={{ height: `${count * ROW_REM}rem` }} /> : null;
}

function Heading({
  column: { column, unit, isNumber },
  sorting,
  onSort,
}: Pick<TableProps, 'sorting' | 'onSort'> & { column: WrittenColumn }) {
  const { name, description } = column;
  const direction = sorting?.column === name ? sorting.direction : undefined;
  const next = direction === 'ascending' ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={direction ?? 'none'} class={isNumber ? 'number' : undefined}>
      <button
        type="button"
        title={`${name}: ${description}`}
        onClick={() => onSort({ column: name, direction: next })}
      >
        {name}
        {unit !== undefined && <span class="muted small"> {unit}</span>}
      </button>
    </th>
  );
}

interface RowProps extends Pick<TableProps, 'columns' | 'onOpen'> {
  index: number;
  values: Values | undefined;
  position: number;
  isMarked: boolean;
}

function Row({ columns, index, values, position, isMarked, onOpen }: RowProps) {
  // The same as before, unless this row has changed: a pointer over the chart marks other rows again and again.
  return useMemo(
    () => (
      <tr aria-rowindex={position + 2} aria-current={isMarked ? 'true' : undefined}>
        {columns.map(({ column, textOf, isNumber }) => {
          const value = values?.[column.name] ?? null;
          const text = value === null ? 'null' : textOf(value, index);
          const isWhole = isNumber
            ? typeof value !== 'number' || Number(text.replaceAll(',', '')) === value
            : value === null || (exactText(value) === text && text.length <= SHORT);
          const kinds = [isNumber && 'number', value === null && 'null'].filter(Boolean);
          return (
            <td key={column.name} class={kinds.join(' ')}>
              {isWhole ? (
                text
              ) : (
                <button type="button" onClick={() => onOpen({ column, position, value })}>
                  {text}
                </button>
              )}
            </td>
          );
        })}
      </tr>
    ),
    [columns, values, position, isMarked],
  );
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
