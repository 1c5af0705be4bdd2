// What the panels of a chart share: their sizes, and where moments are on the axis.
import uPlot from 'uplot';
import type { Drawn, Panel, Series } from './plan/chart-plan.ts';

/** In CSS pixels. */
export const [TOP, AXIS_HEIGHT] = [8, 38];
const [GUTTER, GROUP_MAX, BAR_MAX, GAP] = [24, 200, 48, 2];
/** Of a name: how high a bar is, and how far its bars are from those of the next. */
const [ROW_BAR, ROW_SPACE] = [14, 10];
/** The part of the room of a moment that its bars have. */
const BAR_PART = 0.74;

export interface Frame {
  plan: Drawn;
  places: Places;
  /** Names of series. */
  hidden: ReadonlySet<string>;
  /** Of the canvas. */
  width: number;
  /** What is left of series grows with the texts of the axes of all panels. */
  margins: { left: number; right: number };
  /** The first and the last moment that are shown: those to which the reader has zoomed. */
  shown: readonly [first: number, last: number];
  measure: (text: string) => number;
  onMoment: (moment: number | undefined) => void;
  onZoom: (shown: Frame['shown']) => void;
}

interface Places {
  /** What uPlot draws: a moment that stands for many buckets has two places, those of the first and the last. */
  xs: number[];
  /** For each of `xs` the position of its moment. */
  momentOf: number[];
  middle: (moment: number) => number;
  edges: (moment: number) => [from: number, to: number];
  /** The length of a bucket. */
  step: number;
}

/** The tick of a bucket is at its start and below its middle. */
export function placeMoments({ axis, moments, time }: Drawn): Places {
  const isTime = axis === 'time';
  const length = (moments.at(-1)?.startMs ?? 0) - (moments[0]?.startMs ?? 0);
  const isInstants = isTime && moments.every(({ startMs, endMs }) => startMs === endMs);
  // Instants have no width: the outermost stay off the edges.
  const step = !isTime ? 1 : isInstants ? length * 0.04 : (time?.stepMs ?? 0);
  const ends = moments.map(({ startMs, endMs, starts = [] }, moment) => {
    if (!isTime) return [moment, moment] as const;
    const isMany = starts.length > 0 && endMs - startMs > 1.5 * step;
    const last = starts.length > 1 ? (starts.at(-1) ?? startMs) : endMs - step;
    return [startMs, isMany ? last : startMs] as const;
  });
  const points = ends.flatMap((places, moment) => [...new Set(places)].map((x) => ({ x, moment })));
  return {
    ...{ xs: points.map(({ x }) => x), momentOf: points.map(({ moment }) => moment), step },
    middle: (moment) => ((ends[moment]?.[0] ?? 0) + (ends[moment]?.[1] ?? 0)) / 2,
    edges(moment) {
      const { startMs = 0, endMs = 0 } = moments[moment] ?? {};
      if (!isTime) return [moment - 0.5, moment + 0.5];
      return [startMs - step / 2, Math.max(endMs, startMs + step) - step / 2];
    },
  };
}

export function visibleOf({ series }: Panel, { hidden }: Pick<Frame, 'hidden'>): Series[] {
  return series.filter(({ name }) => !hidden.has(name));
}

/** Of the canvas of a panel. */
export function heightOf({ mark, series }: Panel, { axis, moments, panels }: Drawn): number {
  if (axis === 'names') return TOP + moments.length * rowHeightOf(series.length);
  return TOP + AXIS_HEIGHT + (panels.length === 1 ? 250 : mark === 'bars' ? 84 : 116);
}

export function rowHeightOf(seriesCount: number): number {
  return seriesCount * ROW_BAR + ROW_SPACE;
}

/** Right of series: the values of names. */
export function valuesWidth({ axis, panels }: Drawn, measure: Frame['measure']): number {
  if (axis !== 'names') return GUTTER;
  const texts = panels.flatMap(({ series }) =>
    series.flatMap((one) => one.values.map((_, at) => one.textAt(at))),
  );
  return Math.max(GUTTER, ...texts.map((text) => Math.ceil(measure(text)) + 14));
}

/** Of the bars that a moment has side by side, in the units of its axis: where the first begins, and how wide each is. */
export function groupOf({ bbox, scales }: uPlot, count: number, { plan, places }: Frame) {
  const isNames = plan.axis === 'names';
  const { min = 0, max = 1 } = scales.x ?? {};
  const perPixel = (max - min) / ((isNames ? bbox.height : bbox.width) / uPlot.pxRatio);
  const room = places.step / perPixel;
  const full = isNames ? count * ROW_BAR : Math.min(room * BAR_PART, GROUP_MAX);
  const bar = Math.min(full / count, BAR_MAX);
  const [step, gap] = [bar * perPixel, count > 1 && bar > 2 * GAP ? GAP * perPixel : 0];
  return { first: (-step * count) / 2, step, size: step - gap };
}
