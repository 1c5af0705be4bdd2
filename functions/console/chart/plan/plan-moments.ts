// Puts rows in the order of time, and finds the buckets between them that have none.
import type { ChartInput, Moment } from './chart-plan.ts';
import { type MomentLabels, labelMoments } from './label-moments.ts';
import { type Step, addSteps } from './step.ts';
import { DAY_MS, offWall, onWall, parseInstant } from './zoned-time.ts';

/** Starts of buckets without rows that are told apart, in all of a chart. */
const MISSING_MAX = 5000;

/** One for each time in the rows; with a step, also one for all missing buckets between two of them. `withoutTime` rows have none. */
export function planMoments(
  input: ChartInput,
  column: { name: string; type: string },
  step: Step | undefined,
): { moments: Moment[]; labels: MomentLabels; withoutTime: number } {
  const { type } = column;
  const times = input.rows.map((row) => parseInstant(type, row[column.name]));
  const isZoned = type === 'TIMESTAMP';
  const lengthMs = step?.ms ?? (type === 'DATE' ? DAY_MS : 1);
  const zone = isZoned ? input.bucket?.zone : zoneOf(times, lengthMs, input.bucket?.zone);
  const timed = [...times.keys()].filter((index) => !Number.isNaN(times[index]));
  const byStart = Map.groupBy(timed, (index) => {
    const ms = times[index] ?? 0;
    return isZoned ? ms : offWall(ms, zone ?? 'UTC');
  });
  const startsMs = [...byStart.keys()].sort((a, b) => a - b);
  const asked = { type, timeZone: input.timeZone, zone, nowMs: input.computedAtMs };
  const labels = labelMoments(startsMs, step, asked);
  const clock = { zone: labels.stepZone, isWall: !isZoned };
  const byWall = { zone: zone ?? labels.timeZone, isWall: true };
  let missing = 0;
  const moments = startsMs.flatMap((startMs, index): Moment[] => {
    const rows = byStart.get(startMs) ?? [];
    const moment = { label: labels.labelOf(startMs), startMs, rows, state: 'whole' as const };
    const nextMs = startsMs[index + 1];
    if (step === undefined) return [{ ...moment, endMs: startMs }];
    const endMs = addSteps(startMs, step, 1, clock);
    if (nextMs === undefined) return [{ ...moment, endMs }];
    // Days of a zone that is not known have 23 to 25 hours too.
    const isBefore = (ms: number): boolean => nextMs - ms >= step.ms / 2;
    // Where a clock is set back, two hours of it may take three.
    const isNext = nextMs - endMs < step.ms && addSteps(startMs, step, 1, byWall) === nextMs;
    if (isNext || !isBefore(endMs)) return [{ ...moment, endMs: nextMs }];
    const starts = [endMs];
    missing += (nextMs - endMs) / step.ms;
    for (let times = 2; missing <= MISSING_MAX; times += 1) {
      const ms = addSteps(startMs, step, times, clock);
      if (!isBefore(ms)) break;
      // A day that the calendar of a zone leaves out has no length.
      if (ms > (starts.at(-1) ?? endMs)) starts.push(ms);
    }
    const lastMs = missing <= MISSING_MAX ? starts.at(-1) : addSteps(nextMs, step, -1, clock);
    const [first, last] = [labels.labelOf(endMs), labels.labelOf(lastMs ?? endMs)];
    return [
      { ...moment, endMs },
      {
        ...{ label: first === last ? first : `${first} – ${last}`, startMs: endMs, endMs: nextMs },
        ...{ rows: [], starts, state: input.bucket?.missing === 'zero' ? 'zero' : 'missing' },
      },
    ];
  });
  if (step !== undefined) markEnds(moments, input);
  return { moments, labels, withoutTime: times.length - timed.length };
}

/** The zone of the query, unless its clock shows no time of one of these buckets. */
function zoneOf(
  times: readonly number[],
  lengthMs: number,
  zone: string | undefined,
): string | undefined {
  if (zone === undefined) return zone;
  const isShown = (time: number): boolean => {
    const wallMs = onWall(offWall(time, zone), zone).getTime();
    return time <= wallMs && wallMs < time + lengthMs;
  };
  return times.every((time) => Number.isNaN(time) || isShown(time)) ? zone : undefined;
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
