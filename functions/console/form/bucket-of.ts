// Finds how long a bucket of a result is, how far the rows reach back, and in which zone: fixed, or chosen by a parameter.
import { isCalendar, parseStep } from '../chart/plan/step.ts';
import { listOf } from './form-values.ts';
import type { Endpoint, Parameters } from '../service.ts';

type Described = Pick<Endpoint, 'bucket' | 'parameters' | 'timeZone'>;
type Duration = NonNullable<Endpoint['bucket']>['step'];

/** The parameters by which queries take a zone. */
const ZONE_NAME = /^(?:tz|time_?zone)$/;

/** The IANA name of the zone in which the query counts days: as it is defined, given by a parameter, or written in the query. */
function queryZoneOf({ bucket, parameters, timeZone }: Described, given: Parameters) {
  const texts = parameters
    .filter(({ name }) => ZONE_NAME.test(name))
    .map(({ name, default: preset }) => given.get(name) || listOf(preset)[0]);
  return [bucket?.zone, ...texts, timeZone].find((text) => text !== undefined && isZone(text));
}

function isZone(text: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

/** Undefined also if no duration is known. */
export function bucketOf(endpoint: Described, given: Parameters) {
  if (endpoint.bucket === undefined) return undefined;
  const { column, step, missing, window, whole } = endpoint.bucket;
  const length = durationOf(step, endpoint, given);
  if (length === undefined) return undefined;
  // A window that begins with a whole bucket cuts none.
  const reach = window === undefined || whole ? undefined : durationOf(window, endpoint, given);
  const zone = queryZoneOf(endpoint, given);
  return { column, step: length, missing, window: parseStep(reach ?? ''), zone };
}

/**
 * The zone whose days the presets of a range are, an IANA name: that of the query; else UTC, in which BigQuery counts days.
 * Undefined for the instants of a TIMESTAMP, if the rows are not of days either.
 */
export function dayZoneOf(type: string, endpoint: Described, given: Parameters) {
  const step = parseStep(bucketOf(endpoint, given)?.step ?? '');
  const isOfDays = type !== 'TIMESTAMP' || (step !== undefined && isCalendar(step));
  return queryZoneOf(endpoint, given) ?? (isOfDays ? 'UTC' : undefined);
}

/** With the value of the parameter as the service reads it: its alias, its default, or what others are read as. */
function durationOf(duration: Duration, { parameters }: Described, given: Parameters) {
  if (typeof duration === 'string') return duration;
  const declared = parameters.find(({ name }) => name === duration.parameter);
  const { aliases = {}, otherwise = '' } = declared ?? {};
  const text = given.get(duration.parameter) || (listOf(declared?.default)[0] ?? '');
  return duration.values[aliases[text] ?? text] ?? duration.values[otherwise];
}
