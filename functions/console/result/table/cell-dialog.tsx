// Shows the whole value of a cell over the page, to read, to copy and to filter by.
import { CopyButton } from '../../copy-button.tsx';
import { Dialog } from '../dialog.tsx';
import type { Filter } from './filter-rows.ts';
import { exactText, isContainer } from './short-text.ts';
import type { Column } from './write-column.ts';

export interface OpenedCell {
  column: Column;
  /** In the table, from 0 on. */
  position: number;
  value: unknown;
}

interface CellDialogProps {
  cell: OpenedCell;
  /** Called with a filter that keeps the rows with this value, and no others. */
  onFilter: (filter: Filter) => void;
  onClose: () => void;
}

export function CellDialog({ cell, onFilter, onClose }: CellDialogProps) {
  const { column, position, value } = cell;
  const { name, type, mode, unit } = column;
  const written = mode === 'REPEATED' ? `ARRAY<${type}>` : type;
  const text = isContainer(value) ? JSON.stringify(value, null, 2) : exactText(value);
  const only = (): void => {
    onClose();
    const exact = JSON.stringify(value ?? null);
    onFilter({ column: name, text: exactText(value), isWhole: true, exact });
  };
  return (
    <Dialog
      className="cell-text"
      title={name}
      onClose={onClose}
      actions={
        <>
          <button class="secondary" type="button" onClick={only}>
            Only this value
          </button>
          <CopyButton text={() => text} />
        </>
      }
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
