// The card of the table: what is left out, a header that stays in view, one line a row, and the whole value of a cell.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { exactText } from '../../chart/plan/format-value.ts';
import { setView } from '../../actions.ts';
import { CopyButton, copyText } from '../../copy-button.tsx';
import type { Column } from '../../service.ts';
import { get, set } from '../../state.ts';
import { Dialog } from '../dialog.tsx';
import type { ShownRows } from '../use-rows.ts';
import { type WrittenColumn, columnWidths } from './write-column.ts';

interface OpenedCell {
  column: Column;
  /** In the table, from 0 on. */
  position: number;
  value: unknown;
}

/** Only rows near the view are made: others as soon as so many are scrolled. */
const PART = 15;
const FIRST = [0, 7 * PART] as const;
const ROW_REM = 2;
/** A longer text may be cut. */
const SHORT = 16;
const STEPS: Partial<Record<string, readonly [down: number, right: number]>> = {
  ...{ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] },
};

export function TableCard({ rows }: { rows: ShownRows }) {
  const { shown, input, plan, columns, order, count } = rows;
  const { chosen } = get();
  const all = shown.endpoint.row.length;
  const hidden = all - columns.length;
  const [opened, open] = useState<OpenedCell>();
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
    const read = cell && openedAt(cell);
    const isCopy = key === 'c' && (ctrlKey || metaKey) && getSelection()?.isCollapsed;
    if (read && isCopy) void copyText(exactText(read.value));
    if (read && key === 'Enter') open(read);
    const [down, right] = STEPS[key] ?? [];
    if (down === undefined || right === undefined || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    const firstSeen = Math.ceil(event.currentTarget.scrollTop / rowPx());
    const [row, place] = read
      ? [read.position + down, (cell?.cellIndex ?? 0) + right]
      : [firstSeen, 0];
    // Keys may be faster than the table scrolls.
    if (row < from || row >= to) see([Math.max(0, row - PART), row + PART]);
    table.current
      ?.querySelector<HTMLTableRowElement>(`[aria-rowindex="${row + 2}"]`)
      ?.cells[place]?.focus();
  };
  const spaceOf = (count: number) =>
    count > 0 && <tr aria-hidden="true" style={{ height: `${count * ROW_REM}rem` }} />;
  return (
    <div class="card table-card" id="table-card">
      {(hidden > 0 || count !== undefined) && (
        <p class="table-note row muted small">
          {count !== undefined && <span id="count">{count}</span>}
          {hidden > 0 && (
            <span>
              {hidden} of {all} columns {hidden === 1 ? 'is' : 'are'} hidden.{' '}
              <button class="link" type="button" onClick={() => setView({ hiddenColumns: [] })}>
                Restore
              </button>
            </span>
          )}
        </p>
      )}
      <div
        class="table-scroll"
        role="region"
        aria-label={`Rows of ${shown.endpoint.name}`}
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const cell = cellOf(event);
          if (cell?.matches('.more') && getSelection()?.isCollapsed) open(openedAt(cell));
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
                {...{ rows, position: from + at, isMarked: marked?.includes(index) === true }}
              />
            ))}
            {spaceOf(order.length - to)}
          </tbody>
        </table>
      </div>
      {opened !== undefined && <CellDialog {...opened} onClose={() => open(undefined)} />}
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

function Row(props: { rows: ShownRows; position: number; isMarked: boolean }) {
  const { rows, position, isMarked } = props;
  const { columns, order, input } = rows;
  const index = order[position] ?? 0;
  const values = input.rows[index];
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

/** To read and to copy. */
function CellDialog({ column, position, value, onClose }: OpenedCell & { onClose: () => void }) {
  const { name, type, mode, unit } = column;
  const written = mode === 'REPEATED' ? `ARRAY<${type}>` : type;
  const text = typeof value === 'object' ? JSON.stringify(value, null, 2) : exactText(value);
  return (
    <Dialog title={name} onClose={onClose} actions={<CopyButton text={() => text} />}>
      <p class="muted small">
        {[written, unit, `row ${(position + 1).toLocaleString('en')}`].filter(Boolean).join(' · ')}
      </p>
      <pre tabIndex={0} aria-labelledby="dialog-title">
        {text}
      </pre>
    </Dialog>
  );
}
