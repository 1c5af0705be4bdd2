// Leaves out points that nobody could tell apart: of each span of time the lowest and the highest value stay.
import type { Moment, Panel, Series } from './chart-plan.ts';

/** In a panel; more are a block of ink. */
export const POINTS_MAX = 500;
const SPANS_MIN = 10;

/** The texts of what is not drawn stay. */
export function thinPanel(panel: Panel, moments: readonly Moment[]): Panel {
  const spans = Math.max(SPANS_MIN, Math.floor(POINTS_MAX / 2 / panel.series.length));
  const [firstMs, lastMs] = [moments[0]?.startMs ?? 0, moments.at(-1)?.startMs ?? 0];
  const spanOf = (moment: Moment): number =>
    Math.floor(((moment.startMs - firstMs) / (lastMs - firstMs)) * spans);
  return {
    ...panel,
    series: panel.series.map((series) => thinSeries(series, moments.map(spanOf))),
  };
}

function thinSeries(series: Series, spanOf: readonly number[]): Series {
  const { values } = series;
  const valueAt = (at: number): number => values[at] ?? 0;
  const known = [...values.keys()].filter((at) => values[at] !== null);
  const spans = [...Map.groupBy(known, (at) => spanOf[at]).values()];
  const ends = spans.flatMap((span) => [
    span.reduce((low, at) => (valueAt(at) < valueAt(low) ? at : low)),
    span.reduce((high, at) => (valueAt(at) > valueAt(high) ? at : high)),
  ]);
  const kept = new Set(ends);
  // It is the newest.
  kept.add(values.findLastIndex((value) => value !== null));
  return { ...series, values: values.map((value, at) => (kept.has(at) ? value : null)) };
}
