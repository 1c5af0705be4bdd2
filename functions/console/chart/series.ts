// Turns the series of a panel into series and data of uPlot.
import uPlot from 'uplot';
import { BAR_PART, type Frame, groupOf, isPart, visibleOf } from './frame.ts';
import type { Panel, Series } from './plan/chart-plan.ts';
import { colourOf } from './theme.ts';

const [LINE_WIDTH, DOT] = [1.75, 6];
const DASHES = [4, 3];
/** Narrower bars are a solid block: a line shows the same. */
const BAR_MIN = 3;
const [EXPONENT_FROM, EXPONENT_BELOW, EXPONENT_MIN] = [1e15, 1e-6, -323];

type Values = (number | null)[];

/** What is not whole is a series of its own of the same name. */
export function drawnSeries(panel: Panel, frame: Frame) {
  const { plan, places, theme, width, margins, shown } = frame;
  const visible = visibleOf(panel, frame);
  const length = places.edges(shown[1])[1] - places.edges(shown[0])[0];
  const room = ((width - margins.left - margins.right) * places.step) / length;
  const isTooNarrow =
    panel.mark === 'bars' && plan.axis === 'time' && room * BAR_PART < BAR_MIN * visible.length;
  const mark = isTooNarrow ? 'lines' : panel.mark;
  const exponent = exponentOf(visible);
  const isPartAt = (at: number): boolean =>
    mark !== 'points' && isPart(plan.moments[places.momentOf[at] ?? -1]);
  const hasParts = places.xs.some((_, at) => isPartAt(at));
  // The way to and from a bucket that is not whole is dashed too.
  const near = mark === 'bars' ? [0] : [-1, 0, 1];
  const series: uPlot.Series[] = [{}];
  const data: [number[], ...Values[]] = [places.xs];
  for (const [index, one] of visible.entries()) {
    const values = places.momentOf.map((moment) => scaled(one.values[moment], exponent));
    const isDot = (at: number): boolean =>
      mark === 'points' || (values[at - 1] ?? values[at + 1] ?? null) === null;
    const dots = [...values.keys()].filter(isDot);
    const stroke = theme.inkOf(colourOf(one.colour));
    const points = { show: false, size: DOT, width: 0, fill: stroke, filter: () => dots };
    const isBars = mark === 'bars';
    const common: uPlot.Series = {
      ...{ label: one.name, stroke, width: LINE_WIDTH, points },
      ...(isBars && { width: 0, fill: stroke, points: { show: false } }),
      ...(isBars && { paths: barsOf(frame, index, visible.length) }),
      ...(mark === 'points' && { paths: () => null }),
    };
    const outline = isBars && { width: 1, fill: theme.inkOf('var(--surface)') };
    series.push(common);
    data.push(values.map((value, at) => (isPartAt(at) ? null : value)));
    if (!hasParts) continue;
    series.push({ ...common, ...outline, dash: DASHES });
    data.push(values.map((value, at) => (near.some((by) => isPartAt(at + by)) ? value : null)));
  }
  return { exponent, series, data };
}

function largestOf({ values }: Series): number {
  return values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
}

/** Values that an axis could not write, or whose range would be Infinity, are drawn as multiples of a power of ten. */
function exponentOf(series: readonly Series[]): number {
  const most = Math.max(0, ...series.map(largestOf));
  const isExtreme = most >= EXPONENT_FROM || (most > 0 && most < EXPONENT_BELOW);
  return isExtreme ? Math.max(Math.floor(Math.log10(most)), EXPONENT_MIN) : 0;
}

function scaled(value: number | null | undefined, exponent: number): number | null {
  return value == null ? null : exponent === 0 ? value : value / 10 ** exponent;
}

function barsOf(frame: Frame, index: number, count: number): uPlot.Series.PathBuilder {
  const { xs } = frame.places;
  const unit = 1;
  const paths = uPlot.paths.bars?.({
    disp: {
      x0: {
        unit,
        values(plot) {
          const { first, step } = groupOf(plot, count, frame);
          return xs.map((x) => x + first + index * step);
        },
      },
      size: { unit, values: (plot) => [groupOf(plot, count, frame).size] },
      y0: { unit, values: () => xs.map(() => 0) },
      y1: {
        unit,
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
  if (paths === undefined) throw new Error('uPlot draws no bars.');
  return paths;
}
