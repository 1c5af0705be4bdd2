// The card of the table: what is left out, the rows, and the whole value of a cell over the page.
import { useState } from 'preact/hooks';
import { exactText } from '../../chart/plan/format-value.ts';
import { setView } from '../../actions.ts';
import { CopyButton } from '../../copy-button.tsx';
import { Dialog } from '../dialog.tsx';
import type { ShownRows } from '../use-rows.ts';
import { type OpenedCell, Table } from './table.tsx';

/** Rows of another call are shown from the top. */
export function TableCard({ rows, call }: { rows: ShownRows; call: string }) {
  const { count, columns } = rows;
  const all = rows.shown.endpoint.row.length;
  const hidden = all - columns.length;
  const [opened, open] = useState<OpenedCell>();
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
      <Table key={call} rows={rows} onOpen={open} />
      {opened !== undefined && <CellDialog {...opened} onClose={() => open(undefined)} />}
    </div>
  );
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
