// A dialog in which columns of the table, or series of the chart, are chosen to be shown.
import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

interface ChoiceDialogProps {
  title: string;
  choices: readonly {
    name: string;
    isShown: boolean;
    /** CSS, of what is shown. */
    colour?: string;
  }[];
  /** How many can be shown. */
  max?: number;
  /** Gets the names of all that are shown then; none for the usual choice. */
  onChoose: (names: readonly string[]) => void;
  onClose: () => void;
}

export function ChoiceDialog(props: ChoiceDialogProps) {
  const { title, choices, max = Infinity, onChoose, onClose } = props;
  const [typed, type] = useState('');
  const shown = choices.filter(({ isShown }) => isShown).map(({ name }) => name);
  const found = choices.filter(({ name }) =>
    name.toLowerCase().includes(typed.trim().toLowerCase()),
  );
  const toggle = (name: string): void =>
    onChoose(choices.filter((one) => (one.name === name) !== one.isShown).map((one) => one.name));
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <button class="secondary" type="button" onClick={() => onChoose([])}>
          Reset
        </button>
      }
    >
      <input
        type="search"
        aria-label="Find"
        placeholder="Find"
        value={typed}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      <ul>
        {found.map(({ name, isShown, colour }) => (
          <li key={name}>
            <label class="check">
              <input
                type="checkbox"
                checked={isShown}
                disabled={shown.length === (isShown ? 1 : max)}
                onChange={() => toggle(name)}
              />
              {colour !== undefined && <span class="swatch" style={{ background: colour }} />}
              <span class="name">{name}</span>
            </label>
          </li>
        ))}
      </ul>
      <p class="muted small" role="status">
        {shown.length} of {choices.length} are shown{max < Infinity && `, at most ${max}`}.
      </p>
    </Dialog>
  );
}
