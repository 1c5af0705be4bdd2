// Turns the series of a panel into series and data of uPlot.
import uPlot from 'uplot';
import { BAR_PART, type Frame, groupOf, isPart, visibleOf } from './frame.ts';
import type { Panel } from './plan/chart-plan.ts';
import { colourOf, inkOf } from './theme.ts';

const [LINE_WIDTH, DOT] = [1.75, 6];
const DASHES = [4, 3];
/** Narrower bars are a solid block: a line shows the same. */
const BAR_MIN = 3;

type Values = (number | null)[];

/** What is not whole is a series of its own of the same name. */
export function drawnSeries(panel: Panel, frame: Frame) {
  const { plan, places, width, margins, shown } = frame;
  const visible = visibleOf(panel, frame);
  const length = places.edges(shown[1])[1] - places.edges(shown[0])[0];
  const room = ((width - margins.left - margins.right) * places.step) / length;
  const isTooNarrow =
    panel.mark === 'bars' && plan.axis === 'time' && room * BAR_PART < BAR_MIN * visible.length;
  const mark = isTooNarrow ? 'lines' : panel.mark;
  const isPartAt = (at: number): boolean =>
    mark !== 'points' && isPart(plan.moments[places.momentOf[at] ?? -1]);
  const hasParts = places.xs.some((_, at) => isPartAt(at));
  // The way to and from a bucket that is not whole is dashed too.
  const near = mark === 'bars' ? [0] : [-1, 0, 1];
  const series: uPlot.Series[] = [{}];
  const data: [number[], ...Values[]] = [places.xs];
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
  const paths = uPlot.paths.bars?.({
    disp: {
      x0: {
        unit: 1,
        values(plot) {
          const { first, step } = groupOf(plot, count, frame);
          return xs.map((x) => x + first + index * step);
        },
      },
      size: { unit: 1, values: (plot) => [groupOf(plot, count, frame).size] },
    },
  });
  if (paths === undefined) throw new Error('uPlot draws no bars.');
  return paths;
}
