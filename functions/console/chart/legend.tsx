// The names of the series of a panel, each with its value; those that an earlier panel names have only values there.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Toolbar } from '../toolbar.tsx';
import type { Drawn, Series } from './plan/chart-plan.ts';
import { type Theme, colourOf } from './theme.ts';

interface LegendProps {
  plan: Drawn;
  panel: number;
  /** The text of each series of the panel. */
  texts: readonly string[];
  /** Names of series. */
  hidden: ReadonlySet<string>;
  onHide: (hidden: ReadonlySet<string>) => void;
  theme: Theme;
  /** What else can be done with the chart. */
  children: ComponentChildren;
}

export function Legend({ plan, panel, texts, hidden, onHide, theme, children }: LegendProps) {
  const { series = [], title = '' } = plan.panels[panel] ?? {};
  const before = namesOf(plan, panel);
  const styles = useMemo(() => series.map((one) => stylesOf(one, series)), [series]);
  // Bars of one series are named by the title of their panel.
  const isNeeded = plan.axis !== 'names' || plan.panels.some((one) => one.series.length > 1);
  const entries = series.map((one, index) => {
    // A sum that only this panel has is no number of the first one.
    const isOwn = one.colour === undefined && panel > 0 && !before.has(one.name);
    const isToggle = !isOwn && !before.has(one.name);
    return { one, isOwn, isToggle, text: texts[index] || '–', ...styles[index] };
  });
  const toggles = entries.filter(({ isToggle }) => isToggle && isNeeded);
  const values = entries.filter(({ isToggle }) => !isToggle);
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    onHide(next);
  };
  const partsOf = ({ one, text, minWidth }: (typeof entries)[number], label: ComponentChildren) => (
    <>
      <span class="swatch" style={{ background: colourOf(one.colour, theme) }} />
      {label}
      <b style={{ minWidth }}>{text}</b>
    </>
  );
  const names = (
    <>
      {toggles.map((entry) => (
        <button
          key={entry.one.name}
          class="toggle"
          type="button"
          title={`Hide or show ${entry.one.name}`}
          aria-pressed={!hidden.has(entry.one.name)}
          style={{ order: entry.order }}
          onClick={() => toggle(entry.one.name)}
        >
          {partsOf(entry, <span class="name">{entry.one.label}</span>)}
        </button>
      ))}
      {values.map((entry) => (
        <span
          key={entry.one.name}
          class="value"
          hidden={hidden.has(entry.one.name)}
          style={{ order: entry.order }}
        >
          {partsOf(entry, entry.isOwn && entry.one.label)}
        </span>
      ))}
      {panel === 0 && children}
    </>
  );
  if (panel > 0 && toggles.length === 0) return <div class="legend">{names}</div>;
  const label = panel === 0 ? 'Series' : `Series of ${title}`;
  return (
    <Toolbar class="legend" aria-label={label}>
      {names}
    </Toolbar>
  );
}

/** The names of the series in the panels before this one. */
function namesOf({ panels }: Drawn, panel: number): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, { series }] of panels.slice(0, panel).entries())
    for (const { name, colour } of series) if (index === 0 || colour !== undefined) names.add(name);
  return names;
}

/** The place from top to bottom as lines end, and the room for the widest value, so that nothing moves while values change. */
function stylesOf(one: Series, all: readonly Series[]) {
  const lastOf = ({ values }: Series): number =>
    values.findLast((value) => value !== null) ?? -Infinity;
  const widest = one.texts.reduce((most, { length }) => Math.max(most, length), 0);
  const order = all.filter((other) => lastOf(other) > lastOf(one)).length;
  return { order, minWidth: `${widest}ch` };
}
