// A dialog in which columns are hidden and shown.
import { Dialog } from '../dialog.tsx';
import type { Column } from './write-column.ts';

interface ColumnsDialogProps {
  columns: readonly Column[];
  /** Names of columns. */
  hidden: readonly string[];
  onHide: (hidden: readonly string[]) => void;
  onClose: () => void;
}

export function ColumnsDialog({ columns, hidden, onHide, onClose }: ColumnsDialogProps) {
  const visible = visibleColumns(columns, hidden);
  const isVisible = (column: Column): boolean => visible.includes(column);
  const toggle = (column: Column): void =>
    onHide(columns.filter((one) => isVisible(one) === (one === column)).map(({ name }) => name));
  const restore = (
    <button
      class="secondary"
      type="button"
      disabled={hidden.length === 0}
      onClick={() => onHide([])}
    >
      Restore
    </button>
  );
  return (
    <Dialog className="choose" title="Columns of the table" actions={restore} onClose={onClose}>
      <ul>
        {columns.map((column) => (
          <li key={column.name}>
            <label class="check">
              <input
                type="checkbox"
                checked={isVisible(column)}
                disabled={isVisible(column) && visible.length === 1}
                onChange={() => toggle(column)}
              />
              <span class="name">{column.name}</span>
              <span class="muted">{column.unit}</span>
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** All of them if none would be left. */
export function visibleColumns(columns: readonly Column[], hidden: readonly string[]): Column[] {
  const visible = columns.filter(({ name }) => !hidden.includes(name));
  return visible.length === 0 ? [...columns] : visible;
}
