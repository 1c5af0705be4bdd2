// Finds the zone whose days a range is about, and says where that is not the zone on the page.
import { isCalendar, parseStep } from '../chart/plan/step.ts';
import { offWall, offsetMs, onWall, timeOf } from '../chart/plan/zoned-time.ts';
import { bucketOf } from './bucket-of.ts';
import type { Endpoint, Parameters } from '../service.ts';
import { listOf, valuesOf } from './start-values.ts';
import { placeOf } from './wall-clock.ts';

/** The parameters by which queries take a zone. */
const ZONE_NAME = /^(?:tz|time_?zone)$/;

/**
 * An IANA name: the zone that a parameter gives to the query; else UTC, in which BigQuery counts days. Undefined for the
 * instants of a TIMESTAMP, if the rows are not of days either.
 */
export function dayZoneOf(type: string, endpoint: Endpoint, given: Parameters): string | undefined {
  for (const { name, default: preset } of endpoint.parameters) {
    const zone = [...valuesOf(given, name), ...listOf(preset)].find((each) => each !== '') ?? '';
    if (ZONE_NAME.test(name) && isZone(zone)) return zone;
  }
  const step = parseStep(bucketOf(endpoint, given)?.step ?? '');
  return type !== 'TIMESTAMP' || (step !== undefined && isCalendar(step)) ? 'UTC' : undefined;
}

/** Empty if both clocks show the same. */
export function describeZone(zone: string, shown: string, nowMs: number): string {
  if (offsetMs(nowMs, zone) === offsetMs(nowMs, shown)) return '';
  const beginMs = offWall(onWall(nowMs, zone).setUTCHours(0, 0, 0, 0), zone);
  const begin = timeOf(onWall(beginMs, shown), 'minute');
  return `A day begins at 00:00 in ${placeOf(zone)}, which is ${begin} in ${placeOf(shown)}.`;
}

function isZone(text: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}
