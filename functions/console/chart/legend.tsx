// The names of the series of a panel, each with its value; a name hides its series in all panels.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Drawn } from './plan/chart-plan.ts';
import { colourOf } from './theme.ts';

interface LegendProps {
  plan: Drawn;
  panel: number;
  /** The text of each series of the panel. */
  texts: readonly string[];
  /** Names of series. */
  hidden: ReadonlySet<string>;
  onHide: (hidden: ReadonlySet<string>) => void;
  /** What else can be done with the chart. */
  children: ComponentChildren;
}

export function Legend({ plan, panel, texts, hidden, onHide, children }: LegendProps) {
  const { series = [], title = '' } = plan.panels[panel] ?? {};
  // Nothing moves while values change.
  const widths = useMemo(
    () => series.map((one) => one.texts.reduce((most, { length }) => Math.max(most, length), 0)),
    [series],
  );
  // Bars of one series are named by the title of their panel.
  const isNeeded = plan.axis !== 'names' || plan.panels.some((one) => one.series.length > 1);
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    onHide(next);
  };
  return (
    <div class="legend row" role="group" aria-label={`Series of ${title}`}>
      {isNeeded &&
        series.map(({ name, label, colour }, index) => (
          <button
            key={name}
            class="toggle"
            type="button"
            title={`Hide or show ${name}`}
            aria-pressed={!hidden.has(name)}
            onClick={() => toggle(name)}
          >
            <span class="swatch" style={{ background: colourOf(colour) }} />
            <span class="name">{label}</span>
            <b style={{ minWidth: `${widths[index]}ch` }}>{texts[index] || '–'}</b>
          </button>
        ))}
      {panel === 0 && children}
    </div>
  );
}
