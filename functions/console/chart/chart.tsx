// Draws the plan of a chart: a plot for each panel and the names of all series, read by pointer and by keys.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import {
  FONT_PX,
  type Frame,
  axisNoteOf,
  placeMoments,
  rowHeightOf,
  valuesWidth,
} from './frame.ts';
import { Legend } from './legend.tsx';
import type { Drawn, Moment } from './plan/chart-plan.ts';
import { plotOf } from './plot.ts';
import { readOut } from './read-out.ts';
import { type Theme, useTheme } from './theme.ts';

interface ChartProps {
  plan: Drawn;
  /** Names of series that are not drawn. */
  hidden: ReadonlySet<string>;
  onHide: (hidden: ReadonlySet<string>) => void;
  /** The moment that is read; undefined for the newest. */
  chosen: number | undefined;
  /** The same function as long as the chart is shown. */
  onChoose: (moment: number | undefined) => void;
  /** What else can be done with the chart: buttons that stand beside its names. */
  children: ComponentChildren;
}

export function Chart(props: ChartProps) {
  const { plan, hidden, onHide, chosen, onChoose, children } = props;
  const { axis, moments, panels } = plan;
  const theme = useTheme();
  const host = useRef<HTMLDivElement>(null);
  const slider = useRef<HTMLInputElement>(null);
  const plots = useRef<readonly uPlot[]>([]);
  const [width, resize] = useState(0);
  const [axisNotes, note] = useState<readonly string[]>([]);
  const [times, zoom] = useState<readonly [fromMs: number, toMs: number]>();
  const isNames = axis === 'names';
  const newest = moments.findLastIndex(({ rows }) => rows.length > 0);
  const shown = useMemo(() => momentsBetween(moments, times), [moments, times]);
  const at = Math.max(Math.min(chosen ?? (isNames ? 0 : newest), shown[1]), shown[0]);
  const readout = readOut(plan, at, hidden);
  const zoomTo = (next: typeof times): void => {
    zoom(next);
    // Where Escape leads back.
    slider.current?.focus({ preventScroll: true });
  };
  const frame = useMemo((): Frame => {
    const measure = measureIn(theme);
    return {
      ...{ plan, places: placeMoments(plan), hidden, shown, theme, measure, width },
      ...{ onMoment: onChoose, margins: { left: 0, right: valuesWidth(plan, measure) } },
      onZoom: ([first, last]) => {
        const [from = 0, to = 0] = [first, last].map((moment) => moments[moment]?.startMs);
        // It makes new plots, and this one is not done with the button of the mouse.
        if (first < last) queueMicrotask(() => zoomTo([from, to]));
      },
    };
  }, [plan, hidden, shown, theme, width]);
  const showCursor = (): void => {
    for (const plot of plots.current) {
      // Before it is drawn for the first time, it has no places.
      if (plot.status === 0) continue;
      const isShown = chosen !== undefined && chosen >= shown[0] && chosen <= shown[1];
      const place = isShown ? plot.valToPos(frame.places.middle(chosen), 'x') : -10;
      plot.setCursor({ left: place, top: place }, false);
    }
  };
  const latest = useRef(showCursor);
  latest.current = showCursor;
  useLayoutEffect(() => {
    // It is 0 while another tab of the page is open.
    const measure = (): void => resize((before) => host.current?.clientWidth || before);
    const observer = new ResizeObserver(measure);
    if (host.current !== null) observer.observe(host.current);
    measure();
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (frame.width === 0) return undefined;
    const elements = [...(host.current?.querySelectorAll<HTMLElement>('.plot') ?? [])];
    const own = panels.map((panel, index) => plotIn(elements[index], plotOf(panel, frame)));
    plots.current = own;
    void drawn(own).then(() => {
      if (plots.current !== own) return;
      note(own.map(axisNoteOf));
      latest.current();
    });
    return () => {
      plots.current = [];
      for (const plot of own) plot.destroy();
    };
  }, [frame]);
  useLayoutEffect(showCursor, [chosen]);
  return (
    <div id="chart" ref={host}>
      <p class="visually-hidden" id="chart-text">
        {plan.text}
      </p>
      <input
        ref={slider}
        class="visually-hidden"
        type="range"
        aria-label={`Chart of ${panels[0]?.title}, by ${isNames ? 'name' : 'time'}`}
        aria-describedby="chart-text"
        aria-valuetext={`${readout.when.replace(' · ', ', ')}; ${readout.spoken}`}
        min={shown[0]}
        max={shown[1]}
        value={at}
        onInput={({ currentTarget }) => onChoose(currentTarget.valueAsNumber)}
        onKeyDown={({ key }) => {
          if (key !== 'Escape') return;
          if (times === undefined) onChoose(undefined);
          else zoomTo(undefined);
        }}
      />
      {panels.map(({ title, unit, series }, panel) => (
        <section key={panel} class="panel">
          <div class="panel-head">
            <h3>
              {title} <span class="chart-unit muted small">{unit}</span>
            </h3>
            <span class="chart-unit muted small">{axisNotes[panel]}</span>
            {panel === 0 && <span class="chart-when muted small end cut">{readout.when}</span>}
          </div>
          <Legend {...{ plan, panel, hidden, onHide }} texts={readout.texts[panel] ?? []}>
            {times !== undefined && (
              <button class="quiet" type="button" title="Esc" onClick={() => zoomTo(undefined)}>
                Zoom out
              </button>
            )}
            {children}
          </Legend>
          <div class="plot" style={{ '--row': `${rowHeightOf(series.length)}px` }} />
        </section>
      ))}
      {plan.notes.length > 0 && <p class="chart-note muted small">{plan.notes.join(' ')}</p>}
    </div>
  );
}

function measureIn({ fontFamily }: Theme): Frame['measure'] {
  const ruler = document.createElement('canvas').getContext('2d');
  if (ruler !== null) ruler.font = `${FONT_PX}px ${fontFamily}`;
  return (text) => ruler?.measureText(text).width ?? 0;
}

function plotIn(element: HTMLElement | undefined, [options, data]: ReturnType<typeof plotOf>) {
  if (element !== undefined) element.style.height = `${options.height}px`;
  const plot = new uPlot(options, data, element);
  plot.over.addEventListener('pointermove', ({ pointerType, offsetX, offsetY }) => {
    if (pointerType !== 'mouse') plot.setCursor({ left: offsetX, top: offsetY });
  });
  // For those who look at what is drawn.
  Object.assign(element ?? {}, { plot });
  return plot;
}

/** Resolves when all is on the page, which is before the page is shown again. */
async function drawn(plots: readonly uPlot[]): Promise<void> {
  // uPlot draws in a microtask. Only then all axes know how wide they are.
  await Promise.resolve();
  for (const plot of plots) plot.redraw(false, true);
  await Promise.resolve();
}

/** The first and the last moment between two times; of all, if there is none. */
function momentsBetween(
  moments: readonly Moment[],
  [fromMs, toMs]: readonly [number, number] = [-Infinity, Infinity],
): Frame['shown'] {
  const first = moments.findIndex(({ startMs, endMs }) => startMs >= fromMs || endMs > fromMs);
  const last = moments.findLastIndex(({ startMs }) => startMs <= toMs);
  return first === -1 || last < first ? [0, moments.length - 1] : [first, last];
}
