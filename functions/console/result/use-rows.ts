// What is shown of the rows on the page: the columns and rows of the table, and the plan of the chart.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ChartInput, ChartPlan } from '../chart/plan/chart-plan.ts';
import { planChart } from '../chart/plan/plan-chart.ts';
import { addSteps } from '../chart/plan/step.ts';
import { bucketOf } from '../form/bucket-of.ts';
import { type Shown, type State, timeZoneOf } from '../state.ts';
import { type Filter, filterRows } from './table/filter-rows.ts';
import { sortRows } from './table/sort-rows.ts';
import { type Column, type WrittenColumn, writeColumn } from './table/write-column.ts';

export interface ShownRows {
  shown: Shown;
  input: ChartInput;
  plan: ChartPlan;
  columns: readonly WrittenColumn[];
  /** The indices of the rows that the filter keeps, from top to bottom. */
  order: readonly number[];
}

/** All of them if none would be left. */
export function visibleColumns(columns: readonly Column[], hidden: readonly string[]): Column[] {
  const visible = columns.filter(({ name }) => !hidden.includes(name));
  return visible.length === 0 ? [...columns] : visible;
}

/** A chart of more rows is drawn only after a pause: it would hold up what is typed. */
const MANY_ROWS = 2000;
const REDRAW_MS = 600;

export function useRows(state: State): ShownRows | undefined {
  const { shown, view, sorting, filter } = state;
  const planned = useRef<ChartPlan | undefined>(undefined);
  const input = useInput(shown, timeZoneOf(state), planned.current);
  const { hiddenColumns, drawnSeries } = view;
  const all = shown?.endpoint.row ?? [];
  const columns = useMemo(
    () =>
      input === undefined
        ? []
        : visibleColumns(all, hiddenColumns).map((column) => writeColumn(column, input, all)),
    [input, hiddenColumns],
  );
  const sorted = useMemo(() => sortRows(all, input?.rows ?? [], sorting), [input, sorting]);
  const keep = (by: Filter | undefined): ReadonlySet<number> | undefined => {
    if (by === undefined || input === undefined) return undefined;
    const isShown = by.column === '' || columns.some(({ column }) => column.name === by.column);
    const searched = isShown ? columns : all.map((column) => writeColumn(column, input, all));
    return new Set(filterRows(searched, input.rows, by));
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
  planned.current = plan;
  if (shown === undefined || input === undefined || plan === undefined) return undefined;
  return { shown, input, plan, columns, order };
}

/** The same as before for the same rows, unless a bucket has ended since: they now count all of it. */
function useInput(
  shown: Shown | undefined,
  timeZone: string,
  plan: ChartPlan | undefined,
): ChartInput | undefined {
  const held = useRef<ChartInput | undefined>(undefined);
  const before = held.current;
  if (shown === undefined) held.current = undefined;
  else {
    const { computedAtMs, rows } = shown.answer;
    const isOver =
      plan?.kind === 'drawn' &&
      plan.moments.some(({ state, endMs }) => state === 'so far' && endMs <= computedAtMs);
    const isSame = before?.rows === rows && before.timeZone === timeZone && !isOver;
    if (!isSame) held.current = inputOf(shown, timeZone);
  }
  return held.current;
}

function inputOf({ endpoint, parameters, answer }: Shown, timeZone: string): ChartInput {
  const bucket = bucketOf(endpoint, parameters);
  return {
    columns: endpoint.row,
    rows: answer.rows,
    bucket,
    timeZone,
    computedAtMs: answer.computedAtMs,
    windowStartMs:
      bucket?.window &&
      addSteps(answer.computedAtMs, bucket.window, -1, {
        ...{ zone: bucket.zone ?? 'UTC', isWall: false },
      }),
    isTruncated: answer.isTruncated,
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
