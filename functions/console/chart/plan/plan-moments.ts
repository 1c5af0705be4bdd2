// Puts rows in the order of time, and finds the buckets between them that have none.
import type { ChartInput, Moment } from './chart-plan.ts';
import { labelMoments } from './label-moments.ts';
import type { MomentLabels } from './label-moments.ts';
import { type Step, addSteps } from './step.ts';
import { parseInstant } from './zoned-time.ts';

export interface Moments {
  moments: Moment[];
  labels: MomentLabels;
  /** How many rows have no time. */
  withoutTime: number;
}

/** One for each time in the rows; with a step, also one for all missing buckets between two of them. */
export function planMoments(
  input: ChartInput,
  column: { name: string; type: string },
  step: Step | undefined,
): Moments {
  const byStart = new Map<number, number[]>();
  input.rows.forEach((row, index) => {
    const ms = parseInstant(column.type, row[column.name]);
    if (Number.isNaN(ms)) return;
    const rows = byStart.get(ms);
    if (rows === undefined) byStart.set(ms, [index]);
    else rows.push(index);
  });
  const startsMs = [...byStart.keys()].sort((a, b) => a - b);
  const asked = { type: column.type, timeZone: input.timeZone, nowMs: input.computedAtMs };
  const labels = labelMoments(startsMs, step, asked);
  const moments = startsMs.flatMap((startMs, index): Moment[] => {
    const rows = byStart.get(startMs) ?? [];
    const moment = { label: labels.labelOf(startMs), startMs, rows, state: 'whole' as const };
    const nextMs = startsMs[index + 1];
    if (step === undefined) return [{ ...moment, endMs: startMs }];
    const endMs = addSteps(startMs, step, 1);
    if (nextMs === undefined) return [{ ...moment, endMs }];
    // A day of 23 or 25 hours is not a gap.
    if (nextMs - endMs < step.ms / 2) return [{ ...moment, endMs: nextMs }];
    const isZero = input.bucket?.missing === 'zero';
    const lastMs = addSteps(nextMs, step, -1);
    const [first, last] = [labels.labelOf(endMs), labels.labelOf(lastMs)];
    return [
      { ...moment, endMs },
      {
        label: first === last ? first : `${first} – ${last}`,
        startMs: endMs,
        endMs: nextMs,
        rows: [],
        state: isZero ? 'zero' : 'missing',
      },
    ];
  });
  if (step !== undefined) markEnds(moments, input);
  const timed = [...byStart.values()].reduce((sum, rows) => sum + rows.length, 0);
  return { moments, labels, withoutTime: input.rows.length - timed };
}

/** The first and the last moment always have rows. Rows that were left out come after the last row, whichever its moment is. */
function markEnds(moments: Moment[], input: ChartInput): void {
  const [first, last] = [moments[0], moments.at(-1)];
  const cut = moments.find(({ rows }) => rows.includes(input.rows.length - 1));
  const { windowStartMs = -Infinity, computedAtMs, isTruncated = false } = input;
  if (first && first.startMs < windowStartMs) first.state = 'incomplete';
  if (cut && isTruncated) cut.state = 'incomplete';
  if (last && last.endMs > computedAtMs) last.state = 'so far';
}
