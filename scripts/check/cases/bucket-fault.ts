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
  // Zones take longer.
  return faultIn([() => 0], step, column, texts) && faultIn(zones(), step, column, texts);
}

function faultIn(
  all: readonly Zone[],
  step: string,
  column: string,
  texts: readonly unknown[],
): string | undefined {
  const { every, periodOf } = calendarOf(step);
  /** Those in which all rows so far are starts, with the period that the first one starts. */
  let possible: { zone: Zone; first: number | undefined }[] = all.map((zone) => ({
    zone,
    first: undefined,
  }));
  let earlier: string | undefined;
  for (const [place, text] of texts.entries()) {
    if (typeof text !== 'string') continue;
    const ms = Date.parse(/[TZ]/.test(text) ? `${text.replace(/Z$/, '')}Z` : `${text}T00:00Z`);
    // A day that a change of the clock begins has no midnight.
    const startedIn = (zone: Zone): number | undefined => {
      const period = periodOf(ms + zone(ms));
      return period === periodOf(ms - 1 + zone(ms - 1)) ? undefined : period;
    };
    const at = `row ${place + 1}, ${column}: ${text}`;
    const isStart = !text.includes('.') && all.some((zone) => startedIn(zone) !== undefined);
    if (!isStart) return `${at} is not the start of a bucket of ${step}`;
    possible = possible.flatMap(({ zone, first }) => {
      const period = startedIn(zone);
      const isMultiple = period !== undefined && (period - (first ?? period)) % every === 0;
      return isMultiple ? [{ zone, first: first ?? period }] : [];
    });
    if (possible.length === 0) return `${at} is not a multiple of ${step} away from ${earlier}`;
    earlier ??= `${text} (row ${place + 1})`;
  }
  return undefined;
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

/** Those with rules of their own, and fixed offsets such as +05:30. */
function zones(): Zone[] {
  const offsets = Array.from({ length: 105 }, (_, index) => (index * 15 - 12 * 60) * MINUTE_MS);
  known ??= [...offsets.map((ms) => () => ms), ...Intl.supportedValuesOf('timeZone').map(zoneOf)];
  return known;
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
