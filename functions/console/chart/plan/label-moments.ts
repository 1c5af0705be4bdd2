// Writes times as a chart names them: a day without a time of day, a time with as many digits as its step needs.
import { type Step, isCalendar } from './step.ts';
import { dayOf, monthOf, offsetMs, onWall, timeOf } from './zoned-time.ts';

const DAY_MS = 86_400_000;

export interface MomentLabels {
  /** The zone that the labels are in. */
  timeZone: string;
  /** Years other than this one are written. */
  year: number;
  labelOf: (ms: number) => string;
  /** States the zone of the days, if it is not the one that was asked for. */
  note: string | undefined;
}

/**
 * Days, weeks, months and years are those of the zone in which they start at midnight: UTC or the given one. If
 * they start at another time, the label has that time. Without a step, the times are instants.
 */
export function labelMoments(
  startsMs: readonly number[],
  step: Step | undefined,
  asked: { type: string; timeZone: string; nowMs: number },
): MomentLabels {
  const isDate = asked.type === 'DATE';
  const startsAtMidnight = (zone: string): boolean =>
    startsMs.every((ms) => (ms + offsetMs(ms, zone)) % DAY_MS === 0);
  const ofDays = [...new Set(['UTC', asked.timeZone])].find(
    (zone) => step !== undefined && isCalendar(step) && startsAtMidnight(zone),
  );
  const timeZone = isDate ? 'UTC' : (ofDays ?? asked.timeZone);
  const year = onWall(asked.nowMs, timeZone).getUTCFullYear();
  const labels = { timeZone, year, note: undefined };
  if (!isDate && ofDays === undefined) return { ...labels, labelOf: timed(step, timeZone, year) };
  const unit = step?.unit ?? 'day';
  return {
    ...labels,
    labelOf: (ms) => {
      const wall = onWall(ms, timeZone);
      if (unit === 'year') return String(wall.getUTCFullYear());
      return unit === 'month' ? `${monthOf(wall)} ${wall.getUTCFullYear()}` : dayOf(wall, year);
    },
    note:
      isDate || timeZone === asked.timeZone
        ? undefined
        : `${unit[0]?.toUpperCase()}${unit.slice(1)}s are in UTC.`,
  };
}

function timed(step: Step | undefined, timeZone: string, year: number): (ms: number) => string {
  return (ms) => {
    const wall = onWall(ms, timeZone);
    const precision =
      wall.getUTCMilliseconds() !== 0
        ? 'millisecond'
        : step === undefined || step.unit === 'second' || wall.getUTCSeconds() !== 0
          ? 'second'
          : 'minute';
    return `${dayOf(wall, year)} ${timeOf(wall, precision)}`;
  };
}
