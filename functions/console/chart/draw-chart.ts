// Draws the plan of a chart into an element of a page: a plot for each panel and one legend, read by pointer and by keys.
import uPlot from 'uplot';
import { h } from '../dom.ts';
import { FONT_PX, type Frame, axisNoteOf, gutterOf, placeMoments, rowHeightOf } from './frame.ts';
import { createLegend } from './legend.ts';
import type { ChartPlan, Drawn, Panel } from './plan/chart-plan.ts';
import { plotOf } from './plot.ts';
import { readOut } from './read-out.ts';
import type { Theme } from './theme.ts';
import { toPng } from './to-png.ts';

/** In CSS pixels: names have no room beside a narrower chart. */
const NAMES_BESIDE_MIN = 540;

interface ChartOptions {
  theme: Theme;
  /** Names of series that the reader has hidden; changed in place. */
  hidden: Set<string>;
  /** Called with the rows of the chosen moment; with no rows if none is chosen. */
  onMoment: (rows: readonly number[]) => void;
  /** What else can be done with a drawn chart: buttons that stand beside its names. */
  actions: readonly HTMLElement[];
}

export interface Chart {
  /** Shows the moment of a row. */
  chooseRow: (row: number) => void;
  paintWith: (theme: Theme) => void;
  /** The chart with a title, in these colours; absent where there is no picture. */
  toPng?: (title: string, theme: Theme) => Promise<Blob | null>;
  destroy: () => void;
}

/** Replaces what is in the element. */
export function drawChart(host: HTMLElement, plan: ChartPlan, options: ChartOptions): Chart {
  if (plan.kind === 'drawn') return drawPanels(host, plan, options);
  const idle = { chooseRow: () => undefined, paintWith: () => undefined, destroy: () => undefined };
  if (plan.kind !== 'figures') {
    host.replaceChildren(h('p', { class: 'chart-note' }, plan.text));
    return idle;
  }
  const figures = plan.figures.map(({ label, value, unit }) => {
    const written = h('dd', {}, value, h('span', { class: 'chart-unit' }, unit));
    return h('div', { class: 'figure' }, h('dt', {}, label), written);
  });
  const when = h('p', { class: 'chart-when', hidden: plan.when === '' }, plan.when);
  host.replaceChildren(when, h('dl', { class: 'figures' }, ...figures));
  return idle;
}

function drawPanels(host: HTMLElement, plan: Drawn, options: ChartOptions): Chart {
  const { hidden, onMoment } = options;
  const { axis, moments, panels } = plan;
  const isNames = axis === 'names';
  const places = placeMoments(plan);
  const whole = [0, moments.length - 1] as const;
  const newest = moments.findLastIndex(({ rows }) => rows.length > 0);
  const latest = isNames ? 0 : Math.max(newest, 0);
  const ruler = h('canvas').getContext('2d');
  let { theme } = options;
  let plots: uPlot[] = [];
  let drawnWidth = 0;
  let shown: Frame['shown'] = whole;
  let chosen: number | undefined;

  const zoomOut = h('button', { class: 'quiet', type: 'button', title: 'Esc' }, 'Zoom out');
  zoomOut.addEventListener('click', () => zoom(whole));
  const onToggle = (): void => {
    void draw();
    tell();
  };
  const legend = createLegend(plan, { hidden, onToggle, actions: [zoomOut, ...options.actions] });
  const when = h('span', { class: 'chart-when' });
  const text = h('p', { class: 'visually-hidden', id: 'chart-text' }, plan.text);
  const spoken = h('p', { class: 'visually-hidden', 'aria-live': 'polite' });
  const asSlider = {
    ...{ role: 'slider', tabindex: '0', 'aria-describedby': text.id },
    'aria-label': `Chart of ${panels[0]?.title}, by ${isNames ? 'name' : 'time'}`,
    ...{ 'aria-valuemin': '1', 'aria-valuemax': String(moments.length) },
  };
  const views = panels.map(({ title, unit }, index) => {
    const element = h('div', { class: 'plot', ...(index === 0 ? asSlider : {}) });
    const axisNote = h('span', { class: 'chart-unit' });
    const heading = h('h3', {}, title, ' ', h('span', { class: 'chart-unit' }, unit));
    const head = h('div', { class: 'panel-head' }, heading, axisNote, index === 0 ? when : '');
    const part = legend.parts[index] ?? '';
    return { section: h('section', { class: 'panel' }, head, part, element), element, axisNote };
  });
  host.replaceChildren(text, spoken, ...views.map(({ section }) => section));
  if (plan.notes.length > 0) host.append(h('p', { class: 'chart-note' }, plan.notes.join(' ')));
  const slider = views[0]?.element ?? host;
  slider.addEventListener('keydown', (event) => {
    const next = momentBy(event.key, chosen ?? latest, shown, isNames);
    if (event.key === 'Escape' && shown !== whole) zoom(whole);
    else if (event.key === 'Escape') choose(undefined);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    spoken.textContent = readOut(plan, next, hidden).spoken;
  });
  const observer = new ResizeObserver(() => {
    if (slider.clientWidth !== drawnWidth) void draw();
  });
  observer.observe(slider);
  void draw();
  tell();
  return {
    paintWith(next) {
      theme = next;
      void draw();
    },
    chooseRow(row) {
      const moment = moments.findIndex(({ rows }) => rows.includes(row));
      if (moment !== -1) choose(moment);
    },
    async toPng(title, own) {
      await draw(own);
      const picture = toPng(plots, { title, plan, hidden, theme: own });
      void draw();
      return picture;
    },
    destroy() {
      observer.disconnect();
      for (const plot of plots) plot.destroy();
    },
  };

  function zoom(to: Frame['shown']): void {
    shown = to;
    void draw();
    // Where Escape leads back.
    slider.focus({ preventScroll: true });
  }

  function choose(moment: number | undefined): void {
    if (moment === chosen) return;
    chosen = moment;
    showCursor();
    tell();
    onMoment(moment === undefined ? [] : (moments[moment]?.rows ?? []));
  }

  function showCursor(): void {
    for (const plot of plots) {
      // Before it is drawn for the first time, it has no places.
      if (plot.status === 0) continue;
      const isShown = chosen !== undefined && chosen >= shown[0] && chosen <= shown[1];
      const at = isShown ? plot.valToPos(places.middle(chosen ?? 0), 'x') : -10;
      plot.setCursor({ left: at, top: at }, false);
    }
  }

  function tell(): void {
    const at = chosen ?? latest;
    const readout = readOut(plan, at, hidden);
    legend.tell(readout);
    when.textContent = readout.when;
    slider.setAttribute('aria-valuenow', String(at + 1));
    slider.setAttribute('aria-valuetext', readout.when.replace(' · ', ', '));
  }

  /** Resolves when all is on the page, which is before the page is shown again. */
  async function draw(colours = theme): Promise<void> {
    for (const plot of plots) plot.destroy();
    const own: uPlot[] = [];
    const isMany = panels.some(({ series }) => series.length > (panels.length === 1 ? 10 : 5));
    host.classList.toggle('names-above', isMany || host.clientWidth < NAMES_BESIDE_MIN);
    [plots, drawnWidth] = [own, slider.clientWidth];
    if (drawnWidth === 0) return;
    if (ruler) ruler.font = `${FONT_PX}px ${theme.fontFamily}`;
    zoomOut.hidden = shown === whole;
    legend.paint(colours);
    const measure = (content: string): number => ruler?.measureText(content).width ?? 0;
    const frame: Frame = {
      ...{ plan, places, hidden, shown, measure, theme: colours, width: drawnWidth },
      margins: { left: 0, right: gutterOf(plan, measure) },
      onMoment: choose,
      onZoom: ([first, last]) => {
        // It makes new plots, and this one is not done with the button of the mouse.
        if (first < last) queueMicrotask(() => zoom([first, last]));
      },
    };
    for (const [index, panel] of panels.entries())
      own.push(makePlot(views[index]?.element ?? host, panel, frame));
    // uPlot draws in a microtask. Only then all axes know how wide they are.
    await Promise.resolve();
    if (plots === own) for (const plot of own) plot.redraw(false, true);
    await Promise.resolve();
    if (plots !== own) return;
    for (const [index, plot] of own.entries())
      views[index]?.axisNote.replaceChildren(axisNoteOf(plot));
    showCursor();
  }
}

function makePlot(element: HTMLElement, panel: Panel, frame: Frame): uPlot {
  const [options, data] = plotOf(panel, frame);
  element.style.height = `${options.height}px`;
  element.style.setProperty('--row', `${rowHeightOf(panel.series.length)}px`);
  const plot = new uPlot(options, data, element);
  plot.over.addEventListener('pointermove', ({ pointerType, offsetX, offsetY }) => {
    if (pointerType !== 'mouse') plot.setCursor({ left: offsetX, top: offsetY });
  });
  // For those who look at what is drawn.
  Object.assign(element, { plot });
  return plot;
}

/** Where a key leads, of `last - first + 1` moments. */
function momentBy(key: string, at: number, [first, last]: Frame['shown'], isNames: boolean) {
  const page = Math.max(1, Math.round((last - first + 1) / 10));
  const up = isNames ? -1 : 1;
  const next = {
    ...{ ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at + up, ArrowDown: at - up },
    ...{ PageUp: at + page, PageDown: at - page, Home: first, End: last },
  }[key];
  return next === undefined ? undefined : Math.min(Math.max(next, first), last);
}
