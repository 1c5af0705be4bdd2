// Draws the plan of a chart: a plot for each panel and the names of its series, read by pointer and by keys.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { type Frame, heightOf, placeMoments, rowHeightOf, valuesWidth } from './frame.ts';
import type { Drawn } from './plan/chart-plan.ts';
import { plotOf } from './plot.ts';
import { DARK, colourOf, ruler } from './theme.ts';

const MANY = 2000;

interface ChartProps {
  plan: Drawn;
  hidden: ReadonlySet<string>;
  onHide: (hidden: ReadonlySet<string>) => void;
  /** The moment that is read; undefined for the newest. */
  chosen: number | undefined;
  onChoose: (moment: number | undefined) => void;
  /** What else can be done with the chart: buttons that stand beside its names. */
  children: ComponentChildren;
}

export function Chart(props: ChartProps) {
  const { plan, hidden, onHide, chosen, onChoose, children } = props;
  const { axis, moments, panels } = plan;
  const host = useRef<HTMLDivElement>(null);
  const slider = useRef<HTMLInputElement>(null);
  const [plots, show] = useState<readonly uPlot[]>([]);
  const [width, resize] = useState(0);
  /** Where the first and the last moment start that the reader has chosen. */
  const [zoomed, zoom] = useState<readonly number[]>();
  const isNames = axis === 'names';
  const newest = moments.findLastIndex((one) => one.rows.length > 0 && one.state !== 'incomplete');
  const shown = useMemo((): Frame['shown'] => {
    const [from = -Infinity, to = Infinity] = zoomed ?? [];
    // Other rows may have none of these times.
    const first = moments.findIndex(({ startMs = 0 }) => startMs >= from);
    const last = moments.findLastIndex(({ startMs = 0 }) => startMs <= to);
    return first < 0 || last < first ? [0, moments.length - 1] : [first, last];
  }, [moments, zoomed]);
  const isZoomed = shown[1] - shown[0] < moments.length - 1;
  const at = Math.max(Math.min(chosen ?? (isNames ? 0 : newest), shown[1]), shown[0]);
  const readout = readOut(plan, at, hidden);
  const zoomTo = (next: typeof zoomed): void => {
    zoom(next);
    // Where Escape leads back.
    slider.current?.focus({ preventScroll: true });
  };
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    onHide(next);
  };
  const places = useMemo(() => placeMoments(plan), [plan]);
  const made = useMemo(() => {
    const measure = ruler();
    const frame: Frame = {
      ...{ plan, places, hidden, shown, measure, width, onMoment: onChoose },
      margins: { left: 0, right: valuesWidth(plan, measure) },
      onZoom: (next) => {
        const starts = next.map((moment) => moments[moment]?.startMs ?? 0);
        // It makes new plots, and this one is not done with the button of the mouse.
        if (next[0] < next[1]) queueMicrotask(() => zoomTo(starts));
      },
    };
    return width === 0 ? [] : panels.map((panel) => plotOf(panel, frame));
  }, [plan, hidden, shown, DARK.matches, width]);
  useLayoutEffect(() => {
    // Before the page is shown. It is 0 while another tab of the page is open.
    const observer = new ResizeObserver(([entry]) =>
      resize((before) => entry?.contentRect.width || before),
    );
    if (host.current !== null) observer.observe(host.current);
    return () => observer.disconnect();
  }, []);
  const draw = () => {
    const elements = [...(host.current?.querySelectorAll<HTMLElement>('.plot') ?? [])];
    const own = made.map(({ options, data }, index) => new uPlot(options, data, elements[index]));
    // For those who look at what is drawn.
    own.forEach((plot, index) => Object.assign(elements[index] ?? {}, { plot }));
    void drawn(own).then(() => show(own));
    return () => own.forEach((plot) => plot.destroy());
  };
  // The page, and with it the table, does not wait for a picture of many.
  const isMany = moments.length > MANY;
  useLayoutEffect(() => (isMany ? undefined : draw()), [made]);
  useEffect(() => (isMany ? draw() : undefined), [made]);
  useLayoutEffect(() => {
    const isShown = chosen !== undefined && chosen >= shown[0] && chosen <= shown[1];
    for (const plot of plots) {
      const place = isShown ? plot.valToPos(places.middle(chosen), 'x') : -10;
      plot.setCursor({ left: place, top: place }, false);
    }
  }, [plots, chosen]);
  const heights = panels.map((panel) => `${heightOf(panel, plan)}px`);
  // Bars of one series are named by the title of their panel.
  const hasNames = !isNames || panels.some(({ series }) => series.length > 1);
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
          if (!isZoomed) onChoose(undefined);
          else zoomTo(undefined);
        }}
      />
      {panels.map(({ title, unit, series }, panel) => (
        <section key={panel} class="panel">
          <div class="panel-head">
            <h3>
              {title} <span class="chart-unit muted small">{unit}</span>
            </h3>
            <span class="chart-unit muted small">{made[panel]?.note}</span>
            {panel === 0 && <span class="chart-when muted small end cut">{readout.when}</span>}
          </div>
          <div class="legend row" role="group" aria-label={`Series of ${title}`}>
            {hasNames &&
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
                  <b>{readout.texts[panel]?.[index] || '–'}</b>
                </button>
              ))}
            {panel === 0 && isZoomed && (
              <button class="quiet" type="button" title="Esc" onClick={() => zoomTo(undefined)}>
                Zoom out
              </button>
            )}
            {panel === 0 && children}
          </div>
          <div
            class="plot"
            style={{ '--row': `${rowHeightOf(series.length)}px`, height: heights[panel] }}
          />
        </section>
      ))}
      {plan.notes.length > 0 && <p class="chart-note muted small">{plan.notes.join(' ')}</p>}
    </div>
  );
}

/** Resolves when all is on the page, which is before the page is shown again. */
async function drawn(plots: readonly uPlot[]): Promise<void> {
  // uPlot draws in a microtask. Only then all axes know how wide they are.
  await Promise.resolve();
  for (const plot of plots) plot.redraw(false, true);
  await Promise.resolve();
}

/** Reads one moment: the value of every series, to show and to read aloud. */
function readOut({ moments, panels }: Drawn, moment: number, hidden: ReadonlySet<string>) {
  const { label = '', state = 'whole' } = moments[moment] ?? {};
  const note =
    { whole: '', missing: 'no rows', zero: 'no rows, so zero' }[state as string] ?? state;
  const when = note === '' ? label : `${label} · ${note}`;
  const texts = panels.map(({ series }) =>
    series.map((one) => (hidden.has(one.name) ? '' : one.textAt(moment))),
  );
  const spoken = panels.flatMap(({ series, unit }, panel) =>
    series.flatMap(({ label: name }, index) => {
      const text = texts[panel]?.[index] ?? '';
      // The name of a count already contains what it counts.
      const ofUnit = unit === '' || unit.includes('per ') ? '' : ` ${unit}`;
      return text === '' ? [] : [`${name} ${text}${text === 'no value' ? '' : ofUnit}`];
    }),
  );
  // With names and units.
  return { when, texts, spoken: spoken.join('; ') };
}
