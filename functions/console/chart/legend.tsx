// The names of the series of a panel, each with its value; those that an earlier panel names have only values there.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Drawn, Series } from './plan/chart-plan.ts';
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
  const named = namesOf(plan, panel);
  const styles = useMemo(() => series.map((one) => stylesOf(one, series)), [series]);
  // Bars of one series are named by the title of their panel.
  const isNeeded = plan.axis !== 'names' || plan.panels.some((one) => one.series.length > 1);
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    onHide(next);
  };
  return (
    <div class="legend" role="group" aria-label={panel === 0 ? 'Series' : `Series of ${title}`}>
      {series.map(({ name, label, colour }, index) => {
        const { order = 0, minWidth = '' } = styles[index] ?? {};
        // A sum that only this panel has is no number of the first one.
        const isOwn = colour === undefined && panel > 0 && !named.has(name);
        const isToggle = !isOwn && !named.has(name);
        const swatch = <span class="swatch" style={{ background: colourOf(colour) }} />;
        const value = <b style={{ minWidth }}>{texts[index] || '–'}</b>;
        if (isToggle && !isNeeded) return undefined;
        return isToggle ? (
          <button
            key={name}
            class="toggle"
            type="button"
            title={`Hide or show ${name}`}
            aria-pressed={!hidden.has(name)}
            style={{ order }}
            onClick={() => toggle(name)}
          >
            {swatch}
            <span class="name">{label}</span>
            {value}
          </button>
        ) : (
          <span key={name} class="value" hidden={hidden.has(name)} style={{ order }}>
            {swatch}
            {isOwn && label}
            {value}
          </span>
        );
      })}
      {panel === 0 && children}
    </div>
  );
}

/** The names of the series in the panels before this one. */
function namesOf({ panels }: Drawn, panel: number): ReadonlySet<string> {
  const names = panels
    .slice(0, panel)
    .flatMap(({ series }, index) =>
      series.flatMap(({ name, colour }) => (index === 0 || colour !== undefined ? name : [])),
    );
  return new Set(names);
}

/** The place from top to bottom as lines end, and the room for the widest value, so that nothing moves while values change. */
function stylesOf(one: Series, all: readonly Series[]) {
  const lastOf = ({ values }: Series): number =>
    values.findLast((value) => value !== null) ?? -Infinity;
  const widest = one.texts.reduce((most, { length }) => Math.max(most, length), 0);
  const order = all.filter((other) => lastOf(other) > lastOf(one)).length;
  return { order, minWidth: `${widest}ch` };
}
