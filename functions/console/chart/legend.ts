// The names of the series of each panel of a chart, those of the same name once: https://www.w3.org/WAI/ARIA/apg/patterns/toolbar/
import type { Drawing } from './drawing/drawing.ts';
import { type Theme, colourOf } from './drawing/paint.ts';
import { h } from '../dom.ts';
import { makeToolbar } from './toolbar.ts';
import type { Drawn, Series } from './plan/chart-plan.ts';
import type { Readout } from './read-out.ts';

interface Legend {
  /** Of each panel: its names or, for series that an earlier panel names, only their values. */
  parts: readonly HTMLElement[];
  tell: (readout: Readout) => void;
  paint: (theme: Theme) => void;
  /** Puts names and values beside the series, or in a row if they do not fit. `tops` are those of the panels, in pixels. */
  place: (drawing: Drawing, tops: readonly number[]) => void;
}

interface LegendOptions {
  /** Names of series. */
  hidden: ReadonlySet<string>;
  onToggle: (name: string) => void;
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
      const swatch = h('span', { class: 'swatch' });
      const value = h('b', {});
      // Room for the widest value, so that nothing moves while values change.
      value.style.minWidth = `${Math.max(...one.texts.map(({ length }) => length))}ch`;
      // A sum that only this panel has is no number of the first one.
      const isOwn = one.colour === undefined && panel > 0 && !named.has(one.name);
      const isNamed = isOwn || named.has(one.name);
      if (!isOwn) named.add(one.name);
      const shown: HTMLElement = isNamed
        ? h('span', { class: 'value' }, swatch, isOwn ? one.label : '', value)
        : toggleOf(one, swatch, value);
      return { ...{ panel, index, isNamed, shown, swatch, value }, ...one };
    }),
  );
  const elementsOf = (panel: number, isNamed: boolean): HTMLElement[] =>
    entries.flatMap((one) => (one.panel === panel && one.isNamed === isNamed ? one.shown : []));
  // Bars of one series are named by the title of their panel.
  const isNeeded = axis !== 'names' || panels.some(({ series }) => series.length > 1);
  const when = h('span', { class: 'chart-when' });
  const parts = panels.map(({ title }, panel) => {
    const [first, last] = panel === 0 ? [[when], actions] : [[], []];
    const toggles = isNeeded ? elementsOf(panel, false) : [];
    const part = h(
      'div',
      { class: 'legend' },
      ...first,
      ...toggles,
      ...elementsOf(panel, true),
      ...last,
    );
    if (panel > 0 && toggles.length === 0) return part;
    part.setAttribute('role', 'toolbar');
    part.setAttribute('aria-label', panel === 0 ? 'Series' : `Series of ${title}`);
    makeToolbar(part);
    return part;
  });
  showHidden();

  return {
    parts,
    tell(readout) {
      when.textContent = readout.when;
      for (const { panel, index, value } of entries)
        value.textContent = readout.texts[panel]?.[index] || '–';
    },
    paint(theme) {
      for (const { swatch, colour } of entries)
        swatch.style.background = colourOf(colour ?? 'others', theme);
    },
    place({ namesX, panels: drawn }, tops) {
      for (const { panel, index, shown } of entries) {
        const y = drawn[panel]?.names?.[index];
        shown.classList.toggle('beside', y !== undefined);
        shown.style.left = y === undefined ? '' : `${namesX}px`;
        shown.style.top = y === undefined ? '' : `${(tops[panel] ?? 0) + y}px`;
      }
    },
  };

  function toggleOf({ name, label }: Series, ...[swatch, value]: HTMLElement[]): HTMLElement {
    const toggle = h(
      'button',
      { class: 'toggle' },
      ...[swatch ?? '', h('span', { class: 'name' }, label), value ?? ''],
    );
    toggle.type = 'button';
    toggle.title = `Hide or show ${name}`;
    toggle.addEventListener('click', () => {
      onToggle(name);
      showHidden();
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
