// Checks the rows of a result against the bucket of the definition: each starts at a multiple of the step.
import { durationFor, durationMs } from '../../../functions/endpoints/bucket-span.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import type { CaseResult } from './case-service.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How far the clock on the wall is ahead of UTC at an instant, in milliseconds. */
type Zone = (ms: number) => number;

/**
 * Undefined if each row starts at a multiple of the step, in UTC or in one time zone. NULL is not a start. A result of
 * weeks may begin with any day, and one of quarters or years with any month, if all rows do.
 */
export function bucketFault(
  { bucket, rules }: Pick<Endpoint, 'bucket' | 'rules'>,
  parameters: CanonicalParameters,
  rows: CaseResult['rows'],
): string | undefined {
  if (bucket === undefined) return undefined;
  const { column } = bucket;
  const step = durationFor({ rules }, bucket.step, parameters);
  if (step === undefined) return undefined;
  const texts = rows.map((row) => row[column]);
  let farthest = 0;
  for (const zone of zones()) {
    const wrong = firstWrong(texts, step, zone);
    if (wrong < 0) return undefined;
    farthest = Math.max(farthest, wrong);
  }
  return `row ${farthest + 1}, ${column}: ${String(texts[farthest])} does not start a bucket of ${step}, or not with the rows before it`;
}

/** The index of the first row that is no start of a bucket in a zone, or no multiple of the step away from the first row. */
function firstWrong(texts: readonly unknown[], step: string, zone: Zone): number {
  const { every, periodOf } = calendarOf(step);
  let first: number | undefined;
  return texts.findIndex((text) => {
    if (typeof text !== 'string') return false;
    const ms = Date.parse(/[TZ]/.test(text) ? `${text.replace(/Z$/, '')}Z` : `${text}T00:00Z`);
    const period = periodOf(ms + zone(ms));
    first ??= period;
    // A day that a change of the clock begins has no midnight.
    const isStart = !text.includes('.') && period !== periodOf(ms - 1 + zone(ms - 1));
    return !isStart || (period - first) % every !== 0;
  });
}

/** Periods of which every `every`-th is a bucket: seconds, days or months, by the clock on the wall. */
function calendarOf(step: string): { every: number; periodOf: (wallMs: number) => number } {
  const count = Number(/\d+/.exec(step)?.[0]);
  const unit = step.replace(/\d+/, '');
  if (unit === 'PM' || unit === 'PY') {
    const monthOf = (at: Date): number => at.getUTCFullYear() * 12 + at.getUTCMonth();
    return { every: unit === 'PM' ? count : 12 * count, periodOf: (ms) => monthOf(new Date(ms)) };
  }
  const lengthMs = durationMs(step) ?? DAY_MS;
  const [periodMs, every] = lengthMs % DAY_MS === 0 ? [DAY_MS, lengthMs / DAY_MS] : [lengthMs, 1];
  return { every, periodOf: (ms) => Math.floor(ms / periodMs) };
}

let known: Zone[] | undefined;

/** UTC, then those with rules of their own, which take longer. */
function* zones(): Generator<Zone> {
  yield () => 0;
  yield* (known ??= Intl.supportedValuesOf('timeZone').map(zoneOf));
}

function zoneOf(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (ms) => {
    // `GMT-03:30`, or GMT alone.
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(format.format(ms)) ?? [];
    const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1000;
    return sign === '-' ? -offset : offset;
  };
}
