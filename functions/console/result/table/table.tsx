// The table of the rows: a header that stays in view, and one line a row. Only rows near the view are made.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { exactText } from '../../chart/plan/format-value.ts';
import { copyText } from '../../copy-button.tsx';
import type { Column, Row as Values } from '../../service.ts';
import { get, set } from '../../state.ts';
import type { ShownRows } from '../use-rows.ts';
import { type WrittenColumn, columnWidths } from './write-column.ts';

export interface OpenedCell {
  column: Column;
  /** In the table, from 0 on. */
  position: number;
  value: unknown;
}

interface TableProps {
  rows: ShownRows;
  /** Called for the whole value of a cell. */
  onOpen: (cell: OpenedCell) => void;
}

/** More rows are made as soon as so many are scrolled. */
const PART = 20;
const FIRST = [0, 5 * PART] as const;
const ROW_REM = 2;
/** A longer text may be cut. */
const SHORT = 16;
const STEPS: Partial<Record<string, readonly [down: number, right: number]>> = {
  ...{ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] },
};

export function Table({ rows: { shown, input, plan, columns, order }, onOpen }: TableProps) {
  const { chosen } = get();
  const table = useRef<HTMLTableElement>(null);
  const [seen, see] = useState<readonly [number, number]>(FIRST);
  const [isPrinted, print] = useState(false);
  useEffect(() => {
    // Paper does not scroll.
    window.onbeforeprint = () => print(true);
    window.onafterprint = () => print(false);
  }, []);
  // A filter may leave fewer rows than were scrolled.
  const [from, to] = isPrinted ? [0, order.length] : seen[0] < order.length ? seen : FIRST;
  const { widths, minWidth } = useMemo(() => columnWidths(columns), [columns]);
  const marked = plan.kind === 'drawn' ? plan.moments[chosen ?? -1]?.rows : undefined;
  const rowPx = (): number => table.current?.tHead?.offsetHeight ?? 1;
  const openedAt = (cell: HTMLTableCellElement): OpenedCell | undefined => {
    const column = columns[cell.cellIndex]?.column;
    const position = Number(cell.parentElement?.ariaRowIndex) - 2;
    const value = column && input.rows[order[position] ?? -1]?.[column.name];
    return column && { column, position, value };
  };
  const onScroll = ({ currentTarget: region }: { currentTarget: HTMLElement }): void => {
    const { scrollTop, clientHeight } = region;
    const partAt = (px: number): number => Math.floor(px / rowPx() / PART) * PART;
    const next = [
      Math.max(0, partAt(scrollTop) - PART),
      partAt(scrollTop + clientHeight) + 2 * PART,
    ] as const;
    if (next[0] === seen[0] && next[1] === seen[1]) return;
    const { activeElement } = document;
    see(next);
    // What has the focus may be far away.
    if (activeElement?.isConnected === false) region.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const cell = cellOf(event);
    const opened = cell && openedAt(cell);
    const isCopy = key === 'c' && (ctrlKey || metaKey) && getSelection()?.isCollapsed;
    if (opened && isCopy) void copyText(exactText(opened.value));
    if (opened && key === 'Enter') onOpen(opened);
    const [down, right] = STEPS[key] ?? [];
    if (down === undefined || right === undefined || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    const firstSeen = Math.ceil(event.currentTarget.scrollTop / rowPx());
    const next = cell
      ? table.current?.rows[cell.closest('tr')!.rowIndex + down]?.cells[cell.cellIndex + right]
      : table.current?.querySelector<HTMLElement>(`[aria-rowindex="${firstSeen + 2}"] td`);
    next?.focus();
  };
  const spaceOf = (count: number) =>
    count > 0 && <tr aria-hidden="true" style={{ height: `${count * ROW_REM}rem` }} />;
  return (
    <div
      class="table-scroll"
      role="region"
      aria-label={`Rows of ${shown.endpoint.name}`}
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        const cell = cellOf(event);
        const opened = cell?.matches('.more') && openedAt(cell);
        if (opened && getSelection()?.isCollapsed) onOpen(opened);
      }}
    >
      <table
        class="grid small"
        role="grid"
        ref={table}
        style={{ minWidth }}
        aria-rowcount={order.length + 1}
      >
        <colgroup>
          {widths.map((width, index) => (
            <col key={index} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Heading key={column.column.name} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {spaceOf(from)}
          {order.slice(from, to).map((index, at) => (
            <Row
              key={from + at}
              {...{ columns, index, values: input.rows[index], position: from + at }}
              isMarked={marked?.includes(index) === true}
            />
          ))}
          {spaceOf(order.length - to)}
        </tbody>
      </table>
    </div>
  );
}

function Heading({ column: { column, unit, isNumber } }: { column: WrittenColumn }) {
  const { name, description } = column;
  const { sorting } = get();
  const direction = sorting?.column === name ? sorting.direction : undefined;
  const next = direction === 'ascending' ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={direction ?? 'none'} class={isNumber ? 'number' : undefined}>
      <button
        type="button"
        title={`${name}: ${description}`}
        onClick={() => set({ sorting: { column: name, direction: next } })}
      >
        {name}
        {unit !== undefined && <span class="muted small"> {unit}</span>}
      </button>
    </th>
  );
}

interface RowProps {
  columns: readonly WrittenColumn[];
  index: number;
  values: Values | undefined;
  position: number;
  isMarked: boolean;
}

function Row({ columns, index, values, position, isMarked }: RowProps) {
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
          const kinds = [isNumber && 'number', value === null && 'null', !isWhole && 'more'];
          return (
            <td key={column.name} tabIndex={-1} class={kinds.filter(Boolean).join(' ')}>
              {text}
            </td>
          );
        })}
      </tr>
    ),
    [columns, values, position, isMarked],
  );
}

function cellOf({ target }: Event): HTMLTableCellElement | null {
  return target instanceof Element ? target.closest('td') : null;
}
