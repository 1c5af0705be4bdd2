// The card of the table: what is hidden, the filter, the rows, and the whole value of a cell over the page.
import { useState } from 'preact/hooks';
import { exactText } from '../../chart/plan/format-value.ts';
import { setView } from '../../actions.ts';
import { CopyButton } from '../../copy-button.tsx';
import { get, set } from '../../state.ts';
import { countOf } from '../describe-freshness.ts';
import { Dialog } from '../dialog.tsx';
import type { ShownRows } from '../use-rows.ts';
import { FilterBar } from './filter-bar.tsx';
import { isMisread } from './filter-rows.ts';
import { isContainer } from './short-text.ts';
import { type OpenedCell, Table } from './table.tsx';

/** Rows of another call are shown from the top. */
export function TableCard({ rows, call }: { rows: ShownRows; call: string }) {
  const { filter, sorting, chosen } = get();
  const { input, plan, columns, order } = rows;
  const { endpoint } = rows.shown;
  const [opened, open] = useState<OpenedCell>();
  const hidden = endpoint.row.length - columns.length;
  const isNone = order.length === 0 && filter !== undefined && isMisread(columns, filter);
  return (
    <div class="card table-card" id="table-card">
      {hidden > 0 && (
        <p class="table-note muted small">
          {hidden} of {endpoint.row.length} columns {hidden === 1 ? 'is' : 'are'} hidden.{' '}
          <button class="link" type="button" onClick={() => setView({ hiddenColumns: [] })}>
            Restore
          </button>
        </p>
      )}
      {filter !== undefined && (
        <FilterBar
          columns={columns.map(({ column }) => column.name)}
          filter={filter}
          count={isNone ? 'not a number' : countOf(order.length, input.rows.length)}
        />
      )}
      <Table
        key={call}
        label={`Rows of ${endpoint.name}`}
        rows={input.rows}
        {...{ columns, order, sorting }}
        marked={plan.kind === 'drawn' ? (plan.moments[chosen ?? -1]?.rows ?? []) : []}
        onSort={(next) => set({ sorting: next })}
        onOpen={open}
      />
      {opened !== undefined && <CellDialog {...opened} onClose={() => open(undefined)} />}
    </div>
  );
}

/** To read and to copy. */
function CellDialog({ column, position, value, onClose }: OpenedCell & { onClose: () => void }) {
  const { name, type, mode, unit } = column;
  const written = mode === 'REPEATED' ? `ARRAY<${type}>` : type;
  const text = isContainer(value) ? JSON.stringify(value, null, 2) : exactText(value);
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
