// Turns a panel of the plan of a chart into options and data of uPlot.
import uPlot from 'uplot';
import { drawGaps, drawValues } from './draw-marks.ts';
import { AXIS_HEIGHT, FONT_PX, type Frame, TOP, heightOf } from './frame.ts';
import type { Panel } from './plan/chart-plan.ts';
import { drawnSeries } from './series.ts';
import { timeAxis } from './time-ticks.ts';

const [TICK_SPACE, VALUE_SPACE, LINE_HEIGHT] = [74, 34, 14];
/** The part of a range that zero may add to it; the part of a value that all have, by which its range is wider on each side. */
const [NEAR, CONSTANT_MARGIN] = [0.2, 0.1];
const WHOLE = [...Array(16).keys()].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));
/** With all digits of a tick, so that no two are alike. */
const VALUES = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 15 });

export function plotOf(panel: Panel, frame: Frame): [uPlot.Options, uPlot.AlignedData] {
  const { plan, places, theme, width, margins, shown } = frame;
  const isNames = plan.axis === 'names';
  const [from, to] = [places.edges(shown[0])[0], places.edges(shown[1])[1]];
  const { exponent, series, data } = drawnSeries(panel, frame);
  const plain = {
    ...{ font: `${FONT_PX}px ${theme.fontFamily}`, stroke: theme.inkOf('var(--muted)'), gap: 6 },
    ...{ ticks: { show: false }, grid: { show: false } },
  };
  const options: uPlot.Options = {
    ...{ width, height: TOP + heightOf(panel, plan, width) + (isNames ? 0 : AXIS_HEIGHT) },
    ...{ ms: 1, series, legend: { show: false }, padding: [TOP, margins.right, 0, 0] },
    tzDate: (ms) => uPlot.tzDate(new Date(ms), plan.time?.timeZone ?? 'UTC'),
    scales: {
      x: {
        time: plan.axis === 'time',
        ori: isNames ? 1 : 0,
        dir: isNames ? -1 : 1,
        range: () => [from, to],
      },
      y: { ori: isNames ? 0 : 1, range: (_, low, high) => rangeOf(low, high, panel) },
    },
    axes: [
      { ...plain, ...momentAxis(frame) },
      {
        ...{ ...plain, show: !isNames, side: 3, space: VALUE_SPACE },
        grid: { stroke: theme.inkOf('var(--line)'), width: 1 },
        ...(panel.isWhole && { incrs: WHOLE }),
        values: (_, splits) =>
          splits.map((value) => VALUES.format(value) + (value && exponent ? `e${exponent}` : '')),
        size(_, values) {
          const widest = Math.max(0, ...(values ?? []).map(frame.measure));
          return (margins.left = Math.max(margins.left, Math.ceil(widest) + 14));
        },
      },
    ],
    cursor: cursorOf(panel, frame),
    hooks: {
      drawClear: [(plot) => drawGaps(plot, frame)],
      ...(isNames && { drawAxes: [(plot) => drawValues(plot, panel, frame)] }),
      setCursor: [
        ({ cursor: { idx } }) => {
          if (idx != null) frame.onMoment(places.momentOf[idx]);
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width: length } = plot.select;
          const momentAt = (at: number): number => places.momentOf[plot.posToIdx(at)] ?? 0;
          frame.onZoom([momentAt(left), momentAt(left + length)]);
        },
      ],
    },
  };
  return [options, data];
}

/** At the middle of a moment. The chosen one stays when the pointer leaves. */
function cursorOf({ mark }: Panel, { plan, places }: Frame): uPlot.Cursor {
  const isNames = plan.axis === 'names';
  return {
    y: false,
    ...(mark === 'bars' && { points: { show: false } }),
    drag: { x: plan.axis === 'time', y: false, setScale: false, dist: 10 },
    bind: { mouseleave: () => null, dblclick: () => null },
    move(plot, left, top) {
      if (left < 0 || top < 0) return [left, top];
      const moment = places.momentOf[plot.posToIdx(isNames ? top : left)] ?? 0;
      const at = plot.valToPos(places.middle(moment), 'x');
      return isNames ? [left, at] : [at, top];
    },
  };
}

function rangeOf(
  low: number | null,
  high: number | null,
  { hasZero, isWhole }: Panel,
): [number, number] {
  if (low === null || high === null || (low === 0 && high === 0)) return [0, 1];
  if (low === high && !hasZero) {
    const margin = Math.max(Math.abs(low) * CONSTANT_MARGIN, isWhole ? 1 : 0);
    return [low - margin, high + margin];
  }
  const isNear = Math.min(Math.abs(low), Math.abs(high)) <= (high - low) * NEAR;
  const isFromZero = hasZero || isNear;
  const [from, to] = isFromZero ? [Math.min(low, 0), Math.max(high, 0)] : [low, high];
  const end = { pad: 0.1, soft: 0, mode: isFromZero ? 1 : 0 } as const;
  const [min, max] = uPlot.rangeNum(from, to, { min: end, max: end });
  return [min ?? low, max ?? high];
}

function momentAxis({ plan, places, margins, width, measure }: Frame): uPlot.Axis {
  const { axis, moments } = plan;
  // The area of series has what a second line would need.
  const size = (_: uPlot, values: string[] | null): number =>
    AXIS_HEIGHT - (values?.some((text) => text.includes('\n')) ? 0 : LINE_HEIGHT);
  if (axis === 'time') return { size, space: TICK_SPACE, ...timeAxis(plan) };
  const splits = (): number[] => places.xs;
  if (axis === 'names') {
    const widest = Math.ceil(Math.max(...moments.map(({ label }) => measure(label))));
    const most = Math.min(widest, width * 0.4);
    const labels = moments.map(({ label }) => fitText(label, most, measure));
    return { splits, side: 3, size: most + 10, values: () => labels };
  }
  const room = (width - margins.left - margins.right) / moments.length - 8;
  const labels = moments.map(({ label, rows }) =>
    // The day above the time.
    (rows.length === 0 ? [] : label.split(/ (?=\d\d:)/))
      .map((line) => fitText(line, room, measure))
      .join('\n'),
  );
  return { splits, size, values: () => labels };
}

/** Cuts a text that is wider than this. */
function fitText(text: string, width: number, measure: Frame['measure']): string {
  if (measure(text) <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && measure(`${letters.join('')}…`) > width) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}
