// Checks the rows of a result against the bucket of the definition: each starts at a multiple of the step.
import { durationFor, durationMs } from '../../../functions/endpoints/bucket-span.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import type { CaseResult } from './case-service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Offsets of time zones are multiples of it, and at most this far from UTC. */
const ZONE_STEP_MS = 15 * MINUTE_MS;
const ZONE_MAX_MS = 14 * HOUR_MS;

/** Starts of buckets of which every `every`-th is one: seconds, days or months, counted from 1970. */
interface Calendar {
  every: number;
  /** The number of the nearest start, and how far the instant is after it. */
  nearest: (ms: number) => { index: number; offsetMs: number };
  /** The daylight-saving shift of a zone: a result may contain days of winter and of summer. */
  shiftsMs: readonly number[];
  /** The greatest common divisor of all offsets from UTC. */
  offsetStepMs: number;
}

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
  const calendar = calendarOf(step);
  let first: { text: string; row: number; index: number; offsetMs: number } | undefined;
  for (const [place, row] of rows.entries()) {
    const text = row[column];
    if (typeof text !== 'string') continue;
    const ms = Date.parse(/[TZ]/.test(text) ? `${text.replace(/Z$/, '')}Z` : `${text}T00:00Z`);
    const start = calendar.nearest(ms);
    const isWhole =
      !text.includes('.') &&
      Math.abs(start.offsetMs) <= ZONE_MAX_MS &&
      start.offsetMs % calendar.offsetStepMs === 0;
    const at = `row ${place + 1}, ${column}: ${text}`;
    if (!isWhole) return `${at} is not the start of a bucket of ${step}`;
    first ??= { text, row: place + 1, ...start };
    const { index, offsetMs } = first;
    const isSame = [0, ...calendar.shiftsMs].some((shiftMs) => {
      const shifted = calendar.nearest(ms - offsetMs - shiftMs);
      // A day begins only once.
      const isOther = shiftMs === 0 || shifted.index !== index;
      return isOther && shifted.offsetMs === 0 && (shifted.index - index) % calendar.every === 0;
    });
    if (!isSame)
      return `${at} is not a multiple of ${step} away from ${first.text} (row ${first.row})`;
  }
  return undefined;
}

function calendarOf(step: string): Calendar {
  const count = Number(/\d+/.exec(step)?.[0]);
  const unit = step.replace(/\d+/, '');
  const ofDays = { shiftsMs: [-HOUR_MS, HOUR_MS], offsetStepMs: ZONE_STEP_MS };
  if (unit === 'PM') return { ...ofDays, every: count, nearest: nearestMonth };
  if (unit === 'PY') return { ...ofDays, every: 12 * count, nearest: nearestMonth };
  const lengthMs = durationMs(step) ?? DAY_MS;
  if (lengthMs % DAY_MS === 0) {
    return { ...ofDays, every: lengthMs / DAY_MS, nearest: (ms) => nearestMultiple(ms, DAY_MS) };
  }
  return {
    every: 1,
    nearest: (ms) => nearestMultiple(ms, lengthMs),
    shiftsMs: [],
    offsetStepMs: greatestDivisor(ZONE_STEP_MS, lengthMs),
  };
}

function nearestMultiple(ms: number, lengthMs: number): ReturnType<Calendar['nearest']> {
  const index = Math.floor(ms / lengthMs + 0.5);
  return { index, offsetMs: ms - index * lengthMs };
}

function nearestMonth(ms: number): ReturnType<Calendar['nearest']> {
  // Half a month later: the last day of a month in UTC can be the first day of the next month east of it.
  const at = new Date(ms + 15 * DAY_MS);
  const index = at.getUTCFullYear() * 12 + at.getUTCMonth();
  const offsetMs = ms - Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
  return { index, offsetMs };
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));
