// What is shown of the rows on the page: the columns and rows of the table, and the plan of the chart.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChartInput, ChartPlan } from '../chart/plan/chart-plan.ts';
import { planChart } from '../chart/plan/plan-chart.ts';
import { addSteps } from '../chart/plan/step.ts';
import { bucketOf } from '../form/bucket-of.ts';
import { type Shown, type State, timeZoneOf } from '../state.ts';
import { countOf } from './describe-freshness.ts';
import { type Filter, filterRows } from './table/filter-rows.ts';
import { sortRows } from './table/sort-rows.ts';
import { type WrittenColumn, writeColumn } from './table/write-column.ts';

export interface ShownRows {
  shown: Shown;
  input: ChartInput;
  plan: ChartPlan;
  /** All of them if none would be left. */
  columns: readonly WrittenColumn[];
  /** The indices of the rows that the filter keeps, from top to bottom. */
  order: readonly number[];
  /** How many these are, in words; undefined without a filter. */
  count: string | undefined;
}

/** A chart of more rows is drawn only after a pause: it would hold up what is typed. */
const MANY_ROWS = 2000;
const REDRAW_MS = 600;

export function useRows(state: State): ShownRows | undefined {
  const { shown, view, sorting } = state;
  const filter = state.filter?.text.trim() ? state.filter : undefined;
  const { hiddenColumns, drawnSeries } = view;
  const all = shown?.endpoint.row ?? [];
  const timeZone = timeZoneOf(state);
  // Also for the same rows: a bucket may have ended since, of which they now count all.
  const input = useMemo(() => shown && inputOf(shown, timeZone), [shown?.answer, timeZone]);
  const written = useMemo(
    () => (input === undefined ? [] : all.map((column) => writeColumn(column, input, all))),
    [input],
  );
  const columns = useMemo(() => {
    const visible = written.filter(({ column: { name } }) => !hiddenColumns.includes(name));
    return visible.length === 0 ? written : visible;
  }, [written, hiddenColumns]);
  const sorted = useMemo(() => sortRows(all, input?.rows ?? [], sorting), [input, sorting]);
  const keep = (by: Filter | undefined): ReadonlySet<number> | undefined => {
    if (by === undefined || input === undefined) return undefined;
    return new Set(filterRows(by.column === '' ? columns : written, input.rows, by));
  };
  const order = useMemo(() => {
    const kept = keep(filter);
    return kept === undefined ? sorted : sorted.filter((index) => kept.has(index));
  }, [sorted, columns, filter]);
  const drawnFilter = useDelayed(filter, sorted.length < MANY_ROWS ? 0 : REDRAW_MS);
  const plan = useMemo(() => {
    const rows = keep(drawnFilter);
    const kept = rows && { rows, column: drawnFilter?.column ?? '' };
    return input && planChart({ ...input, drawn: drawnSeries, kept });
  }, [input, drawnSeries, drawnFilter, columns]);
  if (shown === undefined || input === undefined || plan === undefined) return undefined;
  const isUnread = order.length === 0 && /^\s*[<>=!≤≥]/.test(filter?.text ?? '');
  const hint = isUnread ? '. To compare, write a sign and a number: > 5, <= -0.5' : '';
  const count = filter && countOf(order.length, sorted.length) + hint;
  return { shown, input, plan, columns, order, count };
}

function inputOf({ endpoint, parameters, answer }: Shown, timeZone: string): ChartInput {
  const { rows, computedAtMs, isTruncated } = answer;
  const bucket = bucketOf(endpoint, parameters);
  const clock = { zone: bucket?.zone ?? 'UTC', isWall: false };
  return {
    ...{ columns: endpoint.row, rows, bucket, timeZone, computedAtMs, isTruncated },
    windowStartMs: bucket?.window && addSteps(computedAtMs, bucket.window, -1, clock),
  };
}

/** The value, or that before it until it has been the same for so long. */
function useDelayed<T>(value: T, delayMs: number): T {
  const [held, hold] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => hold(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return delayMs === 0 ? value : held;
}
