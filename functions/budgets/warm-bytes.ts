// Spreads the bytes that BigQuery may bill in a day (UTC) for warming over its runs.
import { DAY_MS } from '../core/clock.ts';
import { RUN_SECONDS } from '../endpoints/endpoint.ts';

/** May be read at any time, because refreshes of all rows come in bursts; the rest comes evenly, so that it lasts all day. */
const BURST_SHARE = 1 / 4;

/** Bytes from the start of the day (UTC) until after a run that begins now. Reaches `bytesPerDay` with the last run of the day. */
export function allowedBytes(bytesPerDay: number, nowMs: number): number {
  const elapsedShare = Math.min(1, ((nowMs % DAY_MS) + RUN_SECONDS * 1000) / DAY_MS);
  return bytesPerDay * (BURST_SHARE + (1 - BURST_SHARE) * elapsedShare);
}

/** Whether jobs run one after the other, so that what is read most has the bytes that are left. */
export function isScarce(roomBytes: number, bytesPerDay: number): boolean {
  return roomBytes < BURST_SHARE * bytesPerDay;
}
