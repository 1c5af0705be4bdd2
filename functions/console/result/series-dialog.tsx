// A dialog in which the reader chooses the series that a chart draws.
import { useMemo, useState } from 'preact/hooks';
import type { Choice } from '../chart/plan/chart-plan.ts';
import { CHOSEN_MAX } from '../chart/plan/choose-series.ts';
import { type Theme, colourOf } from '../chart/theme.ts';
import { Dialog } from './dialog.tsx';

interface SeriesDialogProps {
  choice: Choice;
  theme: Theme;
  /** Gets names; none if the chart is to choose. */
  onChoose: (names: readonly string[]) => void;
  onClose: () => void;
}

export function SeriesDialog({ choice, theme, onChoose, onClose }: SeriesDialogProps) {
  const { label, series } = choice;
  const [typed, type] = useState('');
  const drawn = series.filter(({ colour }) => colour !== undefined);
  // What is drawn is in front when it opens, and nothing moves afterwards.
  const names = useMemo(() => [...new Set([...drawn, ...series].map(({ name }) => name))], []);
  const byName = new Map(series.map((one) => [one.name, one]));
  const automatic = (
    <button class="secondary" type="button" onClick={() => onChoose([])}>
      Automatic
    </button>
  );
  return (
    <Dialog className="choose" title="Series of the chart" actions={automatic} onClose={onClose}>
      <input
        type="search"
        aria-label="Find a series"
        placeholder="Find"
        value={typed}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      <ul>
        {names
          .filter((name) => name.toLowerCase().includes(typed.trim().toLowerCase()))
          .map((name) => {
            const { colour, value = '' } = byName.get(name) ?? {};
            const isDrawn = colour !== undefined;
            return (
              <li key={name}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={isDrawn}
                    disabled={drawn.length === (isDrawn ? 1 : CHOSEN_MAX)}
                    onChange={() =>
                      onChoose(
                        series
                          .filter((one) => (one.name === name) !== (one.colour !== undefined))
                          .map((one) => one.name),
                      )
                    }
                  />
                  <span
                    class="swatch"
                    style={{ background: isDrawn ? colourOf(colour, theme) : 'none' }}
                  />
                  <span class="name">{name}</span>
                  <b>{value}</b>
                </label>
              </li>
            );
          })}
      </ul>
      <p class="muted small" role="status">
        {`${drawn.length} of ${series.length} are drawn, at most ${CHOSEN_MAX}. Numbers: ${label}.`}
      </p>
    </Dialog>
  );
}
