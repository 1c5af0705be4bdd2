// Finds the zone whose days a range is about, and says where that is not the zone on the page.
import { isCalendar, parseStep } from '../chart/plan/step.ts';
import { offWall, offsetMs, onWall, timeOf } from '../chart/plan/zoned-time.ts';
import { bucketOf, queryZoneOf } from './bucket-of.ts';
import type { Endpoint, Parameters } from '../service.ts';
import { placeOf } from './wall-clock.ts';

/**
 * An IANA name: the zone of the query; else UTC, in which BigQuery counts days. Undefined for the instants of a TIMESTAMP,
 * if the rows are not of days either.
 */
export function dayZoneOf(type: string, endpoint: Endpoint, given: Parameters): string | undefined {
  const step = parseStep(bucketOf(endpoint, given)?.step ?? '');
  const isOfDays = type !== 'TIMESTAMP' || (step !== undefined && isCalendar(step));
  return queryZoneOf(endpoint, given) ?? (isOfDays ? 'UTC' : undefined);
}

/** Empty if both clocks show the same. */
export function describeZone(zone: string, shown: string, nowMs: number): string {
  if (offsetMs(nowMs, zone) === offsetMs(nowMs, shown)) return '';
  const beginMs = offWall(onWall(nowMs, zone).setUTCHours(0, 0, 0, 0), zone);
  const begin = timeOf(onWall(beginMs, shown), 'minute');
  return `A day begins at 00:00 in ${placeOf(zone)}, which is ${begin} in ${placeOf(shown)}.`;
}
