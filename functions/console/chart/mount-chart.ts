// Shows a chart in an element of a page: a canvas for each panel and one legend, read by pointer and by arrow keys.
import type { Drawing } from './drawing/drawing.ts';
import { layOut } from './drawing/lay-out.ts';
import { type Theme, fontOf, paint } from './drawing/paint.ts';
import { toSvg } from './drawing/to-svg.ts';
import { h } from '../dom.ts';
import { createLegend } from './legend.ts';
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
  /** What else can be done with a drawn chart: buttons that stand beside its names. */
  actions: readonly HTMLElement[];
}

export interface Chart {
  plan: ChartPlan;
  paintWith: (theme: Theme) => void;
  /** Shows the moment of a row. */
  chooseRow: (row: number) => void;
  /** The chart as a file, with a title and these colours; empty if it is not drawn. */
  toSvg: (title: string, theme: Theme) => string;
  destroy: () => void;
}

/** Replaces what is in the element. */
export function mountChart(host: HTMLElement, options: ChartOptions): Chart {
  const plan = planChart(options.input);
  const idle = {
    plan,
    paintWith: () => undefined,
    chooseRow: () => undefined,
    toSvg: () => '',
    destroy: () => undefined,
  };
  if (plan.kind === 'drawn') return { plan, ...mountDrawn(host, plan, options) };
  if (plan.kind === 'figures') {
    host.replaceChildren(
      ...(plan.when === '' ? [] : [h('p', { class: 'chart-when' }, plan.when)]),
      h(
        'dl',
        { class: 'figures' },
        ...plan.figures.map(({ label, value, unit }) =>
          h(
            'div',
            { class: 'figure' },
            h('dt', {}, label),
            h('dd', {}, value, h('span', { class: 'chart-unit' }, unit)),
          ),
        ),
      ),
    );
    return idle;
  }
  host.replaceChildren(h('p', { class: 'chart-note' }, plan.text));
  return idle;
}

interface View {
  canvas: HTMLCanvasElement;
  /** Over the canvas: what shows the chosen moment, so that nothing else is painted again. */
  cursor: HTMLCanvasElement;
}

function mountDrawn(
  host: HTMLElement,
  plan: Drawn,
  { theme: firstTheme, hidden, onMoment, actions }: ChartOptions,
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
  const text = h('p', { class: 'visually-hidden' }, plan.text);
  text.id = 'chart-text';
  const legend = createLegend(plan, {
    hidden,
    onToggle(one) {
      if (!hidden.delete(one)) hidden.add(one);
      draw();
      tell();
    },
    actions,
  });
  host.replaceChildren(text);
  const views = panels.map(addPanel);
  if (plan.notes.length > 0) host.append(h('p', { class: 'chart-note' }, plan.notes.join(' ')));
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
    toSvg: (title, saved) => toSvg(plan, { title, theme: saved, hidden, measure: measureText }),
    destroy: () => observer.disconnect(),
  };

  function addPanel(panel: Panel, index: number): View {
    const canvas = h('canvas', {});
    const cursor = h('canvas', { class: 'cursor' });
    cursor.setAttribute('aria-hidden', 'true');
    canvas.addEventListener('pointermove', (event) => chooseAt(event));
    canvas.addEventListener('pointerdown', (event) => chooseAt(event));
    if (index === 0) makeSlider(canvas, panel.title);
    else canvas.setAttribute('aria-hidden', 'true');
    const head = h(
      'div',
      { class: 'panel-head' },
      h('h3', {}, panel.title, ' ', h('span', { class: 'chart-unit' }, panel.unit)),
      legend.parts[index] ?? '',
    );
    const plot = h('div', { class: 'plot' }, canvas, cursor);
    host.append(h('section', { class: 'panel' }, head, plot));
    return { canvas, cursor };
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
    paintCursor();
    tell();
    onMoment(moment === undefined ? [] : (moments[moment]?.rows ?? []));
  }

  function tell(): void {
    const at = chosen ?? latest;
    const readout = readOut(plan, at, hidden);
    legend.tell(readout);
    views[0]?.canvas.setAttribute('aria-valuenow', String(at + 1));
    views[0]?.canvas.setAttribute('aria-valuetext', readout.spoken);
  }

  function draw(): void {
    const width = host.clientWidth;
    if (width === 0) return;
    drawing = layOut(plan, { width, hidden, isNamed: true, measure: measureText });
    legend.paint(theme);
    for (const [index, { canvas, cursor }] of views.entries()) {
      const { height = 0, marks = [] } = drawing.panels[index] ?? {};
      for (const each of [canvas, cursor]) {
        each.width = Math.round(width * devicePixelRatio);
        each.height = Math.round(height * devicePixelRatio);
        each.style.width = `${width}px`;
        each.style.height = `${height}px`;
        each.getContext('2d')?.scale(devicePixelRatio, devicePixelRatio);
      }
      const context = canvas.getContext('2d');
      if (context !== null) paint(context, marks, theme);
    }
    // Whether names stand in the heads changes how high these are.
    legend.place(drawing, []);
    legend.place(
      drawing,
      views.map(
        ({ canvas }) => canvas.getBoundingClientRect().top - host.getBoundingClientRect().top,
      ),
    );
    paintCursor();
  }

  function paintCursor(): void {
    for (const [index, { cursor }] of views.entries()) {
      const context = cursor.getContext('2d');
      if (drawing === undefined || context === null) continue;
      context.clearRect(0, 0, drawing.width, drawing.panels[index]?.height ?? 0);
      if (chosen !== undefined) paint(context, drawing.cursor(index, chosen), theme);
    }
  }

  function measureText(content: string): number {
    const context = views[0]?.canvas.getContext('2d');
    if (context == null) return 0;
    context.font = fontOf(theme, true);
    return context.measureText(content).width;
  }
}
