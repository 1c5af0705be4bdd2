// Shows a chart in an element of a page: a canvas and a legend for each panel, read by pointer and by arrow keys.
import { layOut } from './drawing/lay-out.ts';
import type { Drawing } from './drawing/drawing.ts';
import { type Theme, fontOf, paint } from './drawing/paint.ts';
import type { ChartInput, ChartPlan, Drawn, Panel } from './plan/chart-plan.ts';
import { planChart } from './plan/plan-chart.ts';
import { readOut } from './read-out.ts';

interface ChartOptions {
  input: ChartInput;
  theme: Theme;
  /** Names of series that the user has hidden; changed in place. */
  hidden: Set<string>;
  /** Called with the rows of the chosen moment; with no rows if none is chosen. */
  onMoment: (rows: readonly number[]) => void;
}

export interface Chart {
  plan: ChartPlan;
  paintWith: (theme: Theme) => void;
  /** Shows the moment of a row. */
  chooseRow: (row: number) => void;
  destroy: () => void;
}

/** Replaces what is in the element. */
export function mountChart(host: HTMLElement, options: ChartOptions): Chart {
  const plan = planChart(options.input);
  const idle = {
    plan,
    paintWith: () => undefined,
    chooseRow: () => undefined,
    destroy: () => undefined,
  };
  if (plan.kind === 'drawn') return { plan, ...mountDrawn(host, plan, options) };
  if (plan.kind === 'figures') {
    host.replaceChildren(
      ...(plan.when === '' ? [] : [element('p', 'chart-when', plan.when)]),
      element(
        'dl',
        'figures',
        ...plan.figures.map(({ label, value, unit }) =>
          element(
            'div',
            'figure',
            element('dt', '', label),
            element('dd', '', value, element('span', 'chart-unit', unit)),
          ),
        ),
      ),
    );
    return idle;
  }
  host.replaceChildren(element('p', 'chart-note', plan.text));
  return idle;
}

function element(name: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}

interface View {
  canvas: HTMLCanvasElement;
  when: HTMLElement;
  values: HTMLElement[];
}

function mountDrawn(
  host: HTMLElement,
  plan: Drawn,
  { theme: firstTheme, hidden, onMoment }: ChartOptions,
): Omit<Chart, 'plan'> {
  const { moments, panels } = plan;
  let theme = firstTheme;
  let drawing: Drawing | undefined;
  let chosen: number | undefined;
  const latest =
    plan.axis === 'names'
      ? 0
      : Math.max(
          moments.findLastIndex(({ rows }) => rows.length > 0),
          0,
        );
  const text = element('p', 'visually-hidden', plan.text);
  text.id = 'chart-text';
  host.replaceChildren(text);
  const swatches: { element: HTMLElement; colour: number | undefined }[] = [];
  const views = panels.map(addPanel);
  if (plan.notes.length > 0) host.append(element('p', 'chart-note', plan.notes.join(' ')));
  const observer = new ResizeObserver(draw);
  observer.observe(host);
  draw();
  tell();
  return {
    paintWith(next) {
      theme = next;
      draw();
    },
    chooseRow(row) {
      const moment = moments.findIndex(({ rows }) => rows.includes(row));
      if (moment !== -1) choose(moment);
    },
    destroy: () => observer.disconnect(),
  };

  function addPanel(panel: Panel, index: number): View {
    const when = element('span', 'chart-when');
    const legend = panel.series.map((one) => {
      const value = element('b', '');
      // Room for the widest value, so that nothing moves while values change.
      value.style.minWidth = `${Math.max(...one.texts.map(({ length }) => length))}ch`;
      const swatch = element('span', 'swatch');
      swatches.push({ element: swatch, colour: one.colour });
      const toggle = element('button', 'toggle', swatch, element('span', 'name', one.label), value);
      toggle.setAttribute('type', 'button');
      toggle.setAttribute('aria-pressed', String(!hidden.has(one.name)));
      toggle.title = `Hide or show ${one.name}`;
      toggle.addEventListener('click', () => {
        if (!hidden.delete(one.name)) hidden.add(one.name);
        toggle.setAttribute('aria-pressed', String(!hidden.has(one.name)));
        draw();
      });
      return { toggle, value };
    });
    const canvas = document.createElement('canvas');
    canvas.addEventListener('pointermove', (event) => chooseAt(event));
    canvas.addEventListener('pointerdown', (event) => chooseAt(event));
    if (index === 0) makeSlider(canvas, panel.title);
    else canvas.setAttribute('aria-hidden', 'true');
    const head = element(
      'div',
      'panel-head',
      element('h3', '', panel.title, ' ', element('span', 'chart-unit', panel.unit)),
      element('div', 'legend', when, ...legend.map(({ toggle }) => toggle)),
    );
    host.append(element('section', 'panel', head, canvas));
    return { canvas, when, values: legend.map(({ value }) => value) };
  }

  /** The arrow keys step through the moments, and a screen reader reads each aloud. */
  function makeSlider(canvas: HTMLCanvasElement, title: string): void {
    const attributes = {
      ...{ role: 'slider', tabindex: '0', 'aria-label': `Chart of ${title}, by time` },
      ...{ 'aria-describedby': text.id, 'aria-valuemin': '1' },
      'aria-valuemax': String(moments.length),
    };
    if (plan.axis === 'names') attributes['aria-label'] = `Chart of ${title}, by name`;
    for (const [name, value] of Object.entries(attributes)) canvas.setAttribute(name, value);
    canvas.addEventListener('keydown', (event) => {
      const last = moments.length - 1;
      const at = chosen ?? latest;
      const page = Math.max(1, Math.round(moments.length / 10));
      const next = {
        ...{ ArrowLeft: at - 1, ArrowUp: plan.axis === 'names' ? at - 1 : at + 1 },
        ...{ ArrowRight: at + 1, ArrowDown: plan.axis === 'names' ? at + 1 : at - 1 },
        ...{ PageUp: at + page, PageDown: at - page, Home: 0, End: last },
      }[event.key];
      if (event.key === 'Escape') choose(undefined);
      if (next === undefined) return;
      event.preventDefault();
      choose(Math.min(Math.max(next, 0), last));
    });
  }

  function chooseAt(event: PointerEvent): void {
    if (drawing !== undefined) choose(drawing.momentAt(event.offsetX, event.offsetY));
  }

  function choose(moment: number | undefined): void {
    if (moment === chosen) return;
    chosen = moment;
    paintAll();
    tell();
    onMoment(moment === undefined ? [] : (moments[moment]?.rows ?? []));
  }

  function tell(): void {
    const at = chosen ?? latest;
    const { when, texts, spoken } = readOut(plan, at);
    views.forEach((view, panel) => {
      // Once is enough: the panels below share the line.
      view.when.textContent = panel === 0 ? when : '';
      view.values.forEach((value, index) => {
        value.textContent = texts[panel]?.[index] || '–';
      });
    });
    views[0]?.canvas.setAttribute('aria-valuenow', String(at + 1));
    views[0]?.canvas.setAttribute('aria-valuetext', spoken);
  }

  function draw(): void {
    const context = views[0]?.canvas.getContext('2d');
    const width = host.clientWidth;
    if (context == null || width === 0) return;
    context.font = fontOf(theme, true);
    drawing = layOut(plan, hidden, width, (content) => context.measureText(content).width);
    for (const { element: swatch, colour } of swatches)
      swatch.style.background = colour === undefined ? theme.others : (theme.series[colour] ?? '');
    paintAll();
  }

  function paintAll(): void {
    if (drawing === undefined) return;
    const ratio = devicePixelRatio;
    for (const [index, { canvas }] of views.entries()) {
      const { height = 0, marks = [] } = drawing.panels[index] ?? {};
      canvas.width = Math.round(drawing.width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${drawing.width}px`;
      canvas.style.height = `${height}px`;
      const context = canvas.getContext('2d');
      if (context === null) continue;
      context.scale(ratio, ratio);
      paint(context, marks, theme);
      if (chosen !== undefined) paint(context, drawing.cursor(index, chosen), theme);
    }
  }
}
