// Finds the zone whose days the presets of a range are.
import { isCalendar, parseStep } from '../chart/plan/step.ts';
import { bucketOf, queryZoneOf } from './bucket-of.ts';
import type { Endpoint, Parameters } from '../service.ts';

/**
 * An IANA name: the zone of the query; else UTC, in which BigQuery counts days. Undefined for the instants of a TIMESTAMP,
 * if the rows are not of days either.
 */
export function dayZoneOf(type: string, endpoint: Endpoint, given: Parameters): string | undefined {
  const step = parseStep(bucketOf(endpoint, given)?.step ?? '');
  const isOfDays = type !== 'TIMESTAMP' || (step !== undefined && isCalendar(step));
  return queryZoneOf(endpoint, given) ?? (isOfDays ? 'UTC' : undefined);
}
