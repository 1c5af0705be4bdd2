// Finds how long a bucket of a result is, how far the rows reach back, and in which zone: fixed, or chosen by a parameter.
import { type Step, isCalendar, parseStep } from '../chart/plan/step.ts';
import { listOf, valuesOf } from './start-values.ts';
import type { Endpoint, Parameters } from '../service.ts';

interface ChartBucket {
  column: string;
  step: string;
  missing: 'zero' | undefined;
  window: Step | undefined;
  /** Undefined if it is not known. */
  zone: string | undefined;
}

type Described = Pick<Endpoint, 'bucket' | 'parameters' | 'timeZone'>;
type Duration = NonNullable<Endpoint['bucket']>['step'];

/** The parameters by which queries take a zone. */
const ZONE_NAME = /^(?:tz|time_?zone)$/;

/** The IANA name of the zone in which the query counts days: as it is defined, given by a parameter, or written in the query. */
function queryZoneOf(
  { bucket, parameters, timeZone }: Described,
  given: Parameters,
): string | undefined {
  const texts = parameters
    .filter(({ name }) => ZONE_NAME.test(name))
    .map(({ name, default: preset }) =>
      [...valuesOf(given, name), ...listOf(preset)].find((each) => each !== ''),
    );
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
export function bucketOf(endpoint: Described, given: Parameters): ChartBucket | undefined {
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
function durationOf(
  duration: Duration,
  { parameters }: Described,
  given: Parameters,
): string | undefined {
  if (typeof duration === 'string') return duration;
  const {
    default: preset,
    aliases = {},
    otherwise = '',
  } = parameters.find(({ name }) => name === duration.parameter) ?? {};
  const [text = ''] = given[duration.parameter] ?? [];
  const value = text === '' ? (listOf(preset)[0] ?? '') : (aliases[text] ?? text);
  return duration.values[value] ?? duration.values[otherwise];
}
