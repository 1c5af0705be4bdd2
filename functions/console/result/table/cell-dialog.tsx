// Shows the whole value of a cell over the page, to read and to copy.
import { CopyButton } from '../../copy-button.tsx';
import { Dialog } from '../dialog.tsx';
import { exactText, isContainer } from './short-text.ts';
import type { Column } from './write-column.ts';

export interface OpenedCell {
  column: Column;
  /** In the table, from 0 on. */
  position: number;
  value: unknown;
}

export function CellDialog({ cell, onClose }: { cell: OpenedCell; onClose: () => void }) {
  const { column, position, value } = cell;
  const { name, type, mode, unit } = column;
  const written = mode === 'REPEATED' ? `ARRAY<${type}>` : type;
  const text = isContainer(value) ? JSON.stringify(value, null, 2) : exactText(value);
  return (
    <Dialog
      className="cell-text"
      title={name}
      onClose={onClose}
      actions={<CopyButton text={() => text} />}
    >
      <p class="muted small">
        {[written, unit ?? '', `row ${(position + 1).toLocaleString('en')}`]
          .filter((fact) => fact !== '')
          .join(' · ')}
      </p>
      <pre tabIndex={0} aria-labelledby="dialog-title">
        {text}
      </pre>
    </Dialog>
  );
}
