// Turns a panel of the plan of a chart into options and data of uPlot.
import uPlot from 'uplot';
import { AXIS_HEIGHT, type Frame, TOP, groupOf, heightOf, visibleOf } from './frame.ts';
import type { Panel } from './plan/chart-plan.ts';
import { isExtreme } from './plan/format-value.ts';
import { colourOf, fontOf, inkOf } from './theme.ts';
import { timeAxis } from './time-ticks.ts';

const [VALUE_SPACE, LABEL_GAP] = [34, 8];
const [LINE_WIDTH, DOT] = [1.75, 6];
const DASHES = [4, 3];
/** With its space: narrower bars are a solid block, and a line shows the same. */
const BAR_MIN = 4;

/** The part of a range that zero may add to it. */
const NEAR = 0.2;
const WHOLE = [...Array(16).keys()].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));

/** `note` is what must be known of the axis of values. */
export function plotOf(panel: Panel, frame: Frame) {
  const { plan, places, width, margins, shown } = frame;
  const isNames = plan.axis === 'names';
  const range = rangeOf(panel, frame);
  const { series, data } = drawnSeries(panel, frame);
  const plain = {
    ...{ font: fontOf(), stroke: inkOf('var(--muted)'), gap: 6 },
    ...{ ticks: { show: false }, grid: { show: false } },
  };
  const format = new Intl.NumberFormat('en', {
    notation: isExtreme(Math.max(...range.map(Math.abs))) ? 'scientific' : 'compact',
    // All digits of a tick, so that no two are alike.
    maximumFractionDigits: 15,
  });
  const options: uPlot.Options = {
    ...{ width, height: heightOf(panel, plan), ms: 1 },
    ...{ series, legend: { show: false }, padding: [TOP, margins.right, 0, 0] },
    tzDate: (ms) => uPlot.tzDate(new Date(ms), plan.time?.timeZone ?? 'UTC'),
    scales: {
      x: {
        time: plan.axis === 'time',
        ...{ ori: isNames ? 1 : 0, dir: isNames ? -1 : 1 },
        range: [places.edges(shown[0])[0], places.edges(shown[1])[1]],
      },
      y: { ori: isNames ? 0 : 1, range },
    },
    axes: [
      { ...plain, ...momentAxis(frame) },
      {
        ...{ ...plain, show: !isNames, side: 3, space: VALUE_SPACE },
        grid: { stroke: inkOf('var(--line)'), width: 1 },
        ...(panel.isWhole && { incrs: WHOLE }),
        values: (_, splits) => splits.map((value) => (value === 0 ? '0' : format.format(value))),
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
  return { options, data, note: range[0] > 0 || range[1] < 0 ? 'not from 0' : '' };
}

/** What is not whole is a series of its own of the same name. */
function drawnSeries(panel: Panel, frame: Frame) {
  const { plan, places, shown, width } = frame;
  const visible = visibleOf(panel, frame);
  const bars = (shown[1] - shown[0] + 1) * visible.length;
  const isTooNarrow = panel.mark === 'bars' && plan.axis === 'time' && bars * BAR_MIN > width;
  const mark = isTooNarrow ? 'lines' : panel.mark;
  const isPartAt = (at: number): boolean =>
    mark !== 'points' &&
    /so far|incomplete/.test(plan.moments[places.momentOf[at] ?? -1]?.state ?? '');
  const hasParts = places.xs.some((_, at) => isPartAt(at));
  // The way to and from a bucket that is not whole is dashed too.
  const near = mark === 'bars' ? [0] : [-1, 0, 1];
  const series: uPlot.Series[] = [{}];
  const data: [number[], ...(number | null)[][]] = [places.xs];
  for (const [index, one] of visible.entries()) {
    const values = places.momentOf.map((moment) => one.values[moment] ?? null);
    const isDot = (at: number): boolean =>
      mark === 'points' || (values[at - 1] ?? values[at + 1] ?? null) === null;
    const dots = [...values.keys()].filter(isDot);
    const stroke = inkOf(colourOf(one.colour));
    const points = { show: false, size: DOT, width: 0, fill: stroke, filter: () => dots };
    const isBars = mark === 'bars';
    const common: uPlot.Series = {
      ...{ label: one.name, stroke, width: LINE_WIDTH, points },
      ...(isBars && { width: 0, fill: stroke, points: { show: false } }),
      ...(isBars && { paths: barsOf(frame, index, visible.length) }),
      ...(mark === 'points' && { paths: () => null }),
    };
    const outline = isBars && { width: 1, fill: inkOf('var(--surface)') };
    series.push(common);
    data.push(values.map((value, at) => (isPartAt(at) ? null : value)));
    if (!hasParts) continue;
    series.push({ ...common, ...outline, dash: DASHES });
    data.push(values.map((value, at) => (near.some((by) => isPartAt(at + by)) ? value : null)));
  }
  return { series, data };
}

function barsOf(frame: Frame, index: number, count: number): uPlot.Series.PathBuilder {
  const { xs } = frame.places;
  return uPlot.paths.bars!({
    disp: {
      x0: {
        unit: 1,
        values(plot) {
          const { first, step } = groupOf(plot, count, frame);
          return xs.map((x) => x + first + index * step);
        },
      },
      size: { unit: 1, values: (plot) => [groupOf(plot, count, frame).size] },
      y0: { unit: 1, values: () => xs.map(() => 0) },
      y1: {
        unit: 1,
        values({ data, scales, bbox }, at) {
          const { min = 0, max = 1, ori } = scales.y ?? {};
          const pixel = ((max - min) / (ori === 0 ? bbox.width : bbox.height)) * uPlot.pxRatio;
          // One error among a million is still seen, and zero is not.
          return [...(data[at] ?? [])].map((value) =>
            value ? Math.sign(value) * Math.max(Math.abs(value), pixel) : null,
          );
        },
      },
    },
  });
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

/** Of the values that are seen. */
function rangeOf(panel: Panel, frame: Frame): [min: number, max: number] {
  const [first, last] = frame.shown;
  let low = Infinity;
  let high = -Infinity;
  for (const { values } of visibleOf(panel, frame))
    for (const value of values.slice(first, last + 1)) {
      low = Math.min(low, value ?? low);
      high = Math.max(high, value ?? high);
    }
  if (low > high || (low === 0 && high === 0)) return [0, 1];
  const isNear = Math.min(Math.abs(low), Math.abs(high)) <= (high - low) * NEAR;
  const isFromZero = panel.hasZero || low === high || isNear;
  const [from, to] = isFromZero ? [Math.min(low, 0), Math.max(high, 0)] : [low, high];
  const end = { pad: 0.1, soft: 0, mode: isFromZero ? 1 : 0 } as const;
  const [min, max] = uPlot.rangeNum(from, to, { min: end, max: end });
  // At the ends of FLOAT64 there is no room.
  return [Number.isFinite(min) ? min! : from, Number.isFinite(max) ? max! : to];
}

function momentAxis({ plan, places, margins, width, measure }: Frame): uPlot.Axis {
  const { axis, moments } = plan;
  if (axis === 'time') return { size: AXIS_HEIGHT, ...timeAxis(plan) };
  const isNames = axis === 'names';
  const most = isNames
    ? width * 0.4
    : (width - margins.left - margins.right) / moments.length - LABEL_GAP;
  const labels = moments.map(({ label, rows }) =>
    rows.length === 0 ? '' : fitText(label, most, measure),
  );
  const widest = Math.ceil(Math.max(...labels.map(measure)));
  return {
    ...{ splits: () => places.xs, values: () => labels },
    ...(isNames ? { side: 3, size: widest + 10 } : { size: AXIS_HEIGHT }),
  };
}

/** Cuts a text that is wider than this. */
function fitText(text: string, width: number, measure: Frame['measure']): string {
  if (measure(text) <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && measure(`${letters.join('')}…`) > width) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}

/** Spans without rows. */
function drawGaps(plot: uPlot, { plan, places }: Frame): void {
  const { ctx, bbox } = plot;
  // It is left as it was, because uPlot remembers its state.
  ctx.save();
  ctx.fillStyle = inkOf('var(--sunken)');
  for (const [moment, { state }] of plan.moments.entries()) {
    if (state !== 'missing') continue;
    const [from = 0, to = 0] = places.edges(moment).map((x) => plot.valToPos(x, 'x', true));
    const start = Math.max(from, bbox.left);
    const end = Math.min(Math.max(to, start + 2), bbox.left + bbox.width);
    if (end > start) ctx.fillRect(start, bbox.top, end - start, bbox.height);
  }
  ctx.restore();
}

/** Of names, beside their bars. */
function drawValues(plot: uPlot, panel: Panel, frame: Frame): void {
  const { ctx } = plot;
  const visible = visibleOf(panel, frame);
  const { first, step } = groupOf(plot, visible.length, frame);
  ctx.save();
  ctx.font = fontOf(uPlot.pxRatio);
  ctx.fillStyle = inkOf('var(--muted)');
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const [index, { values, textAt }] of visible.entries())
    for (const at of values.keys()) {
      const end = plot.valToPos(Math.max(plot.data[index + 1]?.[at] ?? 0, 0), 'y', true);
      const y = plot.valToPos(at + first + (index + 0.5) * step, 'x', true);
      ctx.fillText(textAt(at), end + 6 * uPlot.pxRatio, y);
    }
  ctx.restore();
}
