// Draws the rows over time as line charts: one panel for decimals and one for integers, each with its own scale.
import uPlot from 'uplot';
import { h } from './dom.ts';
import type { Endpoint, Row } from './service.ts';
import { isNumeric } from './table.ts';
import { type Zone, format, isInstant, parseInstant } from './time.ts';

type Column = Endpoint['row'][number];

interface ChartOptions {
  endpoint: Endpoint;
  rows: readonly Row[];
  zone: Zone;
  /** Columns that the user has hidden; changed in place. */
  hidden: Set<string>;
  /** Called with the instant under the pointer, or without one. */
  onHover: (text: string) => void;
}

export interface Chart {
  /** One per panel. */
  plots: uPlot[];
  destroy(): void;
}

const PANEL_HEIGHT = 216;
const SERIES_COLOURS = 8;
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Whether there is a chart to draw: needs a column of instants and one of numbers. */
export function canChart({ row }: Endpoint): boolean {
  return timeColumn(row) !== undefined && row.some(isNumeric);
}

export function renderChart(host: HTMLElement, options: ChartOptions): Chart {
  const { endpoint, rows } = options;
  const time = timeColumn(endpoint.row);
  if (time === undefined) return { plots: [], destroy: () => undefined };
  const points = rows
    .map((row) => ({ row, x: parseInstant(time.type, String(row[time.name] as string)) / 1000 }))
    .filter(({ x }) => Number.isFinite(x))
    .sort((a, b) => a.x - b.x);
  const xs = points.map(({ x }) => x);
  const numeric = endpoint.row.filter(isNumeric);
  const groups = [
    numeric.filter(({ type }) => type !== 'INT64'),
    numeric.filter(({ type }) => type === 'INT64'),
  ].filter((columns) => columns.length > 0);

  host.replaceChildren();
  let colour = 0;
  const panels = groups.map((columns) => {
    const series = columns.map((column) => ({
      column,
      className: `series-${colour++ % SERIES_COLOURS}`,
      values: points.map(({ row }) => numberOrNull(row[column.name])),
    }));
    return renderPanel(host, options, xs, series);
  });
  const observer = new ResizeObserver(() => {
    for (const plot of panels) plot.setSize({ width: host.clientWidth, height: PANEL_HEIGHT });
  });
  observer.observe(host);
  return {
    plots: panels,
    destroy() {
      observer.disconnect();
      for (const plot of panels) plot.destroy();
    },
  };
}

interface Series {
  column: Column;
  className: string;
  values: (number | null)[];
}

function renderPanel(
  host: HTMLElement,
  options: ChartOptions,
  xs: number[],
  series: readonly Series[],
): uPlot {
  const { zone, hidden, onHover } = options;
  const outputs = series.map(() => h('span', { class: 'value' }));
  const toggles = series.map(({ column, className }, index) =>
    h(
      'button',
      {
        type: 'button',
        class: `toggle ${className}`,
        'aria-pressed': hidden.has(column.name) ? 'false' : 'true',
        title: column.description,
      },
      h('span', { class: 'swatch' }),
      column.name,
      outputs[index] ?? '',
    ),
  );
  const panel = h('div', {
    class: 'panel',
    role: 'img',
    'aria-label': `Line chart of ${series.map(({ column }) => column.name).join(', ')}; the table below has the same values.`,
  });
  host.append(h('div', { class: 'legend' }, ...toggles), panel);

  const colours = toggles.map((toggle) => getComputedStyle(toggle).getPropertyValue('--ink'));
  const style = getComputedStyle(host);
  const axis: uPlot.Axis = {
    stroke: style.getPropertyValue('--muted'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: style.getPropertyValue('--line'), width: 1 },
    ticks: { show: false },
  };
  const step = smallestStep(xs);
  const plot = new uPlot(
    {
      width: host.clientWidth,
      height: PANEL_HEIGHT,
      padding: [10, 12, 0, 0],
      legend: { show: false },
      tzDate: (seconds) => {
        const date = new Date(seconds * 1000);
        return zone === 'utc' ? uPlot.tzDate(date, 'Etc/UTC') : date;
      },
      cursor: { sync: { key: 'rows' }, y: false, points: { size: 7 } },
      scales: {
        x: { range: (_, min, max) => (min === max ? [min - 1800, max + 1800] : [min, max]) },
        y: { range: (_, min, max) => [Math.min(0, min ?? 0) * 1.06, (max ?? 0) * 1.06 || 1] },
      },
      axes: [
        {
          ...axis,
          space: 72,
          // The optional second line is the day.
          size: (_, labels) => (labels?.some((label) => label?.includes('\n')) ? 40 : 26),
          values: (_, splits, __, ___, step) => ticks(splits, step, zone),
        },
        {
          ...axis,
          size: 52,
          space: 36,
          values: (_, splits) => splits.map((v) => COMPACT.format(v)),
        },
      ],
      series: [
        {},
        ...series.map(({ column }, index): uPlot.Series => {
          const stroke = colours[index] ?? '';
          return {
            label: column.name,
            show: !hidden.has(column.name),
            stroke,
            width: 1.75,
            points: {
              filter: (u, seriesIndex) => lonePoints(u, seriesIndex, step),
              size: 5,
              fill: stroke,
            },
            gaps: (u, _, from, to, gaps) =>
              [...gaps, ...missing(u, from, to, step)].sort((a, b) => a[0] - b[0]),
          };
        }),
      ],
      hooks: {
        setCursor: [
          (u) => {
            const index = u.cursor.idx;
            outputs.forEach((output, position) => {
              const value = index == null ? undefined : series[position]?.values[index];
              output.textContent = value == null ? '' : NUMBER.format(value);
            });
            const x = index == null ? undefined : xs[index];
            onHover(x === undefined ? '' : format(x * 1000, zone, 'second'));
          },
        ],
      },
    },
    [xs, ...series.map(({ values }) => values)],
    panel,
  );
  toggles.forEach((toggle, index) => {
    const name = series[index]?.column.name ?? '';
    toggle.addEventListener('click', () => {
      const isShown = hidden.delete(name);
      if (!isShown) hidden.add(name);
      toggle.setAttribute('aria-pressed', String(isShown));
      plot.setSeries(index + 1, { show: isShown });
    });
  });
  return plot;
}

function timeColumn(columns: readonly Column[]): Column | undefined {
  return columns.find(({ type, mode }) => isInstant(type) && mode !== 'REPEATED');
}

function numberOrNull(value: unknown): number | null {
  const number = value === null || value === undefined ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Axis labels: the time of day, and the day where it changes; only days if a step is a day. */
function ticks(splits: readonly number[], step: number, zone: Zone): string[] {
  return splits.map((seconds, index) => {
    const ms = seconds * 1000;
    const day = format(ms, zone, 'day');
    if (step >= 86_400) return day;
    const before = splits[index - 1];
    const isSameDay = before !== undefined && format(before * 1000, zone, 'day') === day;
    const time = step < 60 ? format(ms, zone, 'second').slice(11) : format(ms, zone, 'minute');
    return isSameDay || index === 0 ? time : `${time}\n${day}`;
  });
}

/** The width of a bucket, estimated from the rows. */
function smallestStep(xs: readonly number[]): number {
  const steps = xs.slice(1).map((x, index) => x - (xs[index] ?? x));
  return Math.min(...steps.filter((step) => step > 0));
}

/** A bucket without records has no row: the line has a gap there. */
function missing(u: uPlot, from: number, to: number, step: number): [number, number][] {
  const xs = u.data[0];
  const found: [number, number][] = [];
  for (let index = from + 1; index <= to; index += 1) {
    const [left = 0, right = 0] = [xs[index - 1], xs[index]];
    if (right - left > step * 1.5) {
      found.push([u.valToPos(left, 'x', true), u.valToPos(right, 'x', true)]);
    }
  }
  return found;
}

/** A value between two gaps has no line, so it gets a point. */
function lonePoints(u: uPlot, seriesIndex: number, step: number): number[] {
  const xs = u.data[0];
  const values = u.data[seriesIndex] ?? [];
  const isNeighbour = (index: number, other: number): boolean =>
    values[other] != null &&
    Math.abs((xs[index] ?? Infinity) - (xs[other] ?? -Infinity)) <= step * 1.5;
  return Array.from(xs, (_, index) => index).filter(
    (index) =>
      values[index] != null && !isNeighbour(index, index - 1) && !isNeighbour(index, index + 1),
  );
}
