// The names of the series of each panel of a chart, those of the same name once: https://www.w3.org/WAI/ARIA/apg/patterns/toolbar/
import { h } from '../dom.ts';
import { makeToolbar } from '../toolbar.ts';
import type { Drawn, Series } from './plan/chart-plan.ts';
import type { Readout } from './read-out.ts';
import { type Theme, colourOf } from './theme.ts';

interface Legend {
  /** Of each panel: its names or, for series that an earlier panel names, only their values. */
  parts: readonly HTMLElement[];
  tell: (readout: Readout) => void;
  paint: (theme: Theme) => void;
}

interface LegendOptions {
  /** Names of series; changed in place. */
  hidden: Set<string>;
  onToggle: () => void;
  /** What else can be done with the chart. */
  actions: readonly HTMLElement[];
}

export function createLegend(
  { axis, panels }: Drawn,
  { hidden, onToggle, actions }: LegendOptions,
): Legend {
  const named = new Set<string>();
  const entries = panels.flatMap(({ series }, panel) =>
    series.map((one, index) => {
      const { name, label, colour, texts } = one;
      const [swatch, value] = [h('span', { class: 'swatch' }), h('b')];
      // Room for the widest value, so that nothing moves while values change.
      value.style.minWidth = `${Math.max(...texts.map(({ length }) => length))}ch`;
      // A sum that only this panel has is no number of the first one.
      const isOwn = colour === undefined && panel > 0 && !named.has(name);
      const isNamed = isOwn || named.has(name);
      if (!isOwn) named.add(name);
      const shown = isNamed
        ? h('span', { class: 'value' }, swatch, isOwn ? label : '', value)
        : toggleOf(one, swatch, value);
      // From top to bottom as lines end.
      shown.style.order = String(series.filter((other) => lastOf(other) > lastOf(one)).length);
      return { panel, index, name, colour, isNamed, shown, swatch, value };
    }),
  );
  // Bars of one series are named by the title of their panel.
  const isNeeded = axis !== 'names' || panels.some(({ series }) => series.length > 1);
  const parts = panels.map(({ title }, panel) => {
    const own = entries.filter((one) => one.panel === panel && (isNeeded || one.isNamed));
    const shown = own.toSorted((a, b) => Number(a.isNamed) - Number(b.isNamed));
    const part = h('div', { class: 'legend' }, ...shown.map((one) => one.shown));
    if (panel === 0) part.append(...actions);
    else if (own.every(({ isNamed }) => isNamed)) return part;
    part.setAttribute('role', 'toolbar');
    part.setAttribute('aria-label', panel === 0 ? 'Series' : `Series of ${title}`);
    makeToolbar(part);
    return part;
  });
  showHidden();
  return {
    parts,
    tell({ texts }) {
      for (const { panel, index, value } of entries)
        value.textContent = texts[panel]?.[index] || '–';
    },
    paint(theme) {
      for (const { swatch, colour } of entries) swatch.style.background = colourOf(colour, theme);
    },
  };

  function toggleOf({ name, label }: Series, ...[swatch, value]: HTMLElement[]): HTMLElement {
    const title = `Hide or show ${name}`;
    const text = h('span', { class: 'name' }, label);
    const toggle = h('button', { class: 'toggle', type: 'button', title });
    toggle.append(swatch ?? '', text, value ?? '');
    toggle.addEventListener('click', () => {
      if (!hidden.delete(name)) hidden.add(name);
      showHidden();
      onToggle();
    });
    return toggle;
  }

  function showHidden(): void {
    for (const { shown, name, isNamed } of entries) {
      if (isNamed) shown.hidden = hidden.has(name);
      else shown.setAttribute('aria-pressed', String(!hidden.has(name)));
    }
  }
}

function lastOf({ values }: Series): number {
  return values.findLast((value) => value !== null) ?? -Infinity;
}
