// The names of the series of a chart, once for all its panels: https://www.w3.org/WAI/ARIA/apg/patterns/toolbar/
import { h } from '../dom.ts';
import type { Drawing } from './drawing/drawing.ts';
import { type Theme, colourOf } from './drawing/paint.ts';
import type { Drawn, Series } from './plan/chart-plan.ts';
import type { Readout } from './read-out.ts';

export interface Legend {
  toolbar: HTMLElement;
  /** Of each panel: the values of the series that an earlier panel names. */
  values: readonly HTMLElement[];
  tell: (readout: Readout) => void;
  paint: (theme: Theme) => void;
  /** Puts the names beside their series, or in a row if they do not fit. `tops` are those of the panels, in pixels. */
  place: (drawing: Drawing, tops: readonly number[]) => void;
}

interface Entry {
  panel: number;
  index: number;
  series: Series;
  element: HTMLElement;
  swatch: HTMLElement;
  value: HTMLElement;
}

interface LegendOptions {
  hidden: ReadonlySet<string>;
  onToggle: (name: string) => void;
  /** What else can be done with the chart. */
  actions: readonly HTMLElement[];
}

export function createLegend(
  { axis, panels }: Drawn,
  { hidden, onToggle, actions }: LegendOptions,
): Legend {
  const seen = new Set<string>();
  const entries = panels.flatMap(({ series }, panel) =>
    series.map((one, index): Entry => {
      const isNamed = seen.has(one.name);
      seen.add(one.name);
      const swatch = h('span', { class: 'swatch' });
      const value = h('b');
      // Room for the widest value, so that nothing moves while values change.
      value.style.minWidth = `${Math.max(...one.texts.map(({ length }) => length))}ch`;
      const element = isNamed ? h('span', { class: 'value' }, swatch, value) : nameOf(one);
      if (!isNamed) element.append(swatch, h('span', { class: 'name' }, one.label), value);
      return { panel, index, series: one, element, swatch, value };
    }),
  );
  // Bars of one series are named by the title of their panel.
  const isNeeded = axis !== 'names' || panels.some(({ series }) => series.length > 1);
  const names = entries.flatMap(({ element }) =>
    isNeeded && element instanceof HTMLButtonElement ? element : [],
  );
  const when = h('span', { class: 'chart-when' });
  const toolbar = h('div', { class: 'legend', role: 'toolbar', 'aria-label': 'Series' });
  toolbar.append(when, ...names, ...actions);
  const stops = [...toolbar.querySelectorAll<HTMLElement>('button:not([role=menuitem])')];
  stopAt(stops[0]);
  toolbar.addEventListener('focusin', ({ target }) => stopAt(stops.find((one) => one === target)));
  toolbar.addEventListener('keydown', (event) => {
    const at = stops.findIndex((one) => one === event.target);
    const next = {
      ...{ ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1 },
      ...{ Home: 0, End: -1 },
    }[event.key];
    if (next === undefined || at === -1) return;
    event.preventDefault();
    stops.at(next % stops.length)?.focus();
  });
  const values = panels.map((_, panel) =>
    h(
      'div',
      { class: 'legend values' },
      ...entries.flatMap((entry) =>
        entry.panel === panel && entry.element instanceof HTMLSpanElement ? entry.element : [],
      ),
    ),
  );
  showHidden();

  return {
    ...{ toolbar, values },
    tell(readout) {
      when.textContent = readout.when;
      for (const { panel, index, value } of entries) {
        const text = readout.texts[panel]?.[index] || '–';
        if (value.textContent !== text) value.textContent = text;
      }
    },
    paint(theme) {
      for (const { swatch, series } of entries)
        swatch.style.background = colourOf(series.colour ?? 'others', theme);
    },
    place({ namesX, panels: drawn }, tops) {
      for (const { panel, index, element } of entries) {
        const y = drawn[panel]?.names?.[index];
        const isBeside = namesX !== undefined && y !== undefined;
        element.classList.toggle('beside', isBeside);
        element.style.left = isBeside ? `${namesX}px` : '';
        element.style.top = isBeside ? `${(tops[panel] ?? 0) + y}px` : '';
      }
    },
  };

  function nameOf({ name }: Series): HTMLButtonElement {
    const button = h('button', { class: 'toggle', type: 'button', title: `Hide or show ${name}` });
    button.addEventListener('click', () => {
      onToggle(name);
      showHidden();
    });
    return button;
  }

  function showHidden(): void {
    for (const { element, series } of entries) {
      const isShown = !hidden.has(series.name);
      if (element instanceof HTMLButtonElement)
        element.setAttribute('aria-pressed', String(isShown));
      else element.hidden = !isShown;
    }
  }

  /** The toolbar is one stop of the Tab key. */
  function stopAt(stop: HTMLElement | undefined): void {
    if (stop === undefined) return;
    for (const one of stops) one.tabIndex = one === stop ? 0 : -1;
  }
}
