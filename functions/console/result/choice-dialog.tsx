// A dialog in which columns of the table, or series of the chart, are chosen to be shown.
import { useMemo, useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

interface Choice {
  name: string;
  isShown: boolean;
  /** CSS, of what is shown. */
  colour?: string | undefined;
  note: string;
}

interface ChoiceDialogProps {
  title: string;
  choices: readonly Choice[];
  /** How many can be shown. */
  max: number;
  /** A sentence below the choices. */
  note?: string;
  /** What the button for the usual choice is called. */
  reset: string;
  onReset: () => void;
  /** Gets the names of all that are shown then. */
  onChoose: (names: readonly string[]) => void;
  onClose: () => void;
}

export function ChoiceDialog(props: ChoiceDialogProps) {
  const { title, choices, max, note, reset, onReset, onChoose, onClose } = props;
  const [typed, type] = useState('');
  const shown = choices.filter(({ isShown }) => isShown);
  // What is shown is in front when it opens, and nothing moves afterwards.
  const names = useMemo(() => [...new Set([...shown, ...choices].map(({ name }) => name))], []);
  const byName = new Map(choices.map((one) => [one.name, one]));
  const toggle = (name: string): void =>
    onChoose(choices.filter((one) => (one.name === name) !== one.isShown).map((one) => one.name));
  return (
    <Dialog
      className="choose"
      title={title}
      onClose={onClose}
      actions={
        <button class="secondary" type="button" onClick={onReset}>
          {reset}
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
        {names
          .filter((name) => name.toLowerCase().includes(typed.trim().toLowerCase()))
          .map((name) => {
            const { isShown = false, colour, note: own } = byName.get(name) ?? {};
            return (
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
                  <span class="muted">{own}</span>
                </label>
              </li>
            );
          })}
      </ul>
      {note !== undefined && (
        <p class="muted small" role="status">
          {note}
        </p>
      )}
    </Dialog>
  );
}
