// Leaves out points that nobody could tell apart: of each span of time the lowest and the highest value stay.
import type { Moment, Panel, Series } from './chart-plan.ts';

/** In a panel; more are a block of ink. */
export const POINTS_MAX = 500;
const SPANS_MIN = 10;

/** What is not drawn can be read. */
export function thinPanel(panel: Panel, moments: readonly Moment[]): Panel {
  const spans = Math.max(SPANS_MIN, Math.floor(POINTS_MAX / 2 / panel.series.length));
  const [firstMs, lastMs] = [moments[0]?.startMs ?? 0, moments.at(-1)?.startMs ?? 0];
  const spansOf = moments.map(({ startMs }) =>
    Math.floor(((startMs - firstMs) / (lastMs - firstMs)) * spans),
  );
  return { ...panel, series: panel.series.map((series) => thinSeries(series, spansOf)) };
}

function thinSeries(series: Series, spansOf: readonly number[]): Series {
  const { values } = series;
  const [lows, highs]: [number[], number[]] = [[], []];
  values.forEach((value, at) => {
    const span = spansOf[at] ?? 0;
    if (value === null) return;
    if (!(value >= (values[lows[span] ?? -1] ?? NaN))) lows[span] = at;
    if (!(value <= (values[highs[span] ?? -1] ?? NaN))) highs[span] = at;
  });
  // The last one is the newest.
  const kept = new Set([...lows, ...highs, values.findLastIndex((value) => value !== null)]);
  return { ...series, values: values.map((value, at) => (kept.has(at) ? value : null)) };
}
