// Writes times as a chart names them: a day without a time of day, a time with as many digits as its step needs.
import { type Step, isCalendar } from './step.ts';
import { DAY_MS, dayOf, startWallMs, monthOf, onWall, timeOf } from './zoned-time.ts';

export interface MomentLabels {
  /** The zone that the labels are in. */
  timeZone: string;
  /** The zone in which a day, a week, a month or a year ends. */
  stepZone: string;
  /** Years other than this one are written. */
  year: number;
  labelOf: (ms: number) => string;
  /** States the zone of the days, if it is not the one that was asked for. */
  note: string | undefined;
}

/**
 * A DATE and a DATETIME stand as they are. Days, weeks, months and years of a TIMESTAMP are those of the zone in which they
 * start at midnight: that of the query, UTC, or the one of the page. If they start at another time, the label has it.
 * Without a step, the times are instants.
 */
export function labelMoments(
  startsMs: readonly number[],
  step: Step | undefined,
  asked: { type: string; timeZone: string; zone: string | undefined; nowMs: number },
): MomentLabels {
  const { type, zone, nowMs } = asked;
  const isZoned = type === 'TIMESTAMP';
  const isLong = step === undefined ? type === 'DATE' : isCalendar(step);
  const zones = isZoned ? [zone ?? 'UTC', 'UTC', asked.timeZone] : [zone ?? 'UTC'];
  const starts = (each: string): number[] => startsMs.map((ms) => startWallMs(ms, each) % DAY_MS);
  const ofDays = isLong
    ? zones.find((each) => starts(each).every((time) => time === 0))
    : undefined;
  const timeZone = ofDays ?? (isZoned ? asked.timeZone : (zone ?? 'UTC'));
  const alike = (each: string): boolean => new Set(starts(each)).size < 2;
  const stepZone =
    ofDays ?? (isLong ? zones.find(alike) : undefined) ?? (isZoned ? 'UTC' : timeZone);
  const year = onWall(nowMs, timeZone).getUTCFullYear();
  const labels = { timeZone, stepZone, year, note: undefined };
  if (ofDays === undefined) return { ...labels, labelOf: timed(step, timeZone, year, isZoned) };
  const unit = step?.unit ?? 'day';
  return {
    ...labels,
    labelOf: (ms) => {
      const wall = new Date(startWallMs(ms, timeZone));
      if (unit === 'year') return String(wall.getUTCFullYear());
      return unit === 'month' ? `${monthOf(wall)} ${wall.getUTCFullYear()}` : dayOf(wall, year);
    },
    note:
      !isZoned || timeZone === asked.timeZone
        ? undefined
        : `${unit[0]?.toUpperCase()}${unit.slice(1)}s are in ${timeZone}.`,
  };
}

function timed(step: Step | undefined, timeZone: string, year: number, isZoned: boolean) {
  return (ms: number): string => {
    const isRead = isZoned || step === undefined;
    const wall = isRead ? onWall(ms, timeZone) : new Date(startWallMs(ms, timeZone, step.ms));
    const hasSeconds = step === undefined || step.unit === 'second' || wall.getUTCSeconds() !== 0;
    const precision = hasSeconds ? 'second' : 'minute';
    return `${dayOf(wall, year)} ${timeOf(wall, wall.getUTCMilliseconds() === 0 ? precision : 'millisecond')}`;
  };
}
