// Finds how long a bucket of a result is, and how far the rows reach back: fixed, or chosen by a parameter.
import { type Step, parseStep } from '../chart/plan/step.ts';
import { listOf } from './start-values.ts';
import type { Endpoint, Parameters } from '../service.ts';

interface ChartBucket {
  column: string;
  step: string;
  missing: 'zero' | undefined;
  window: Step | undefined;
}

type Described = Pick<Endpoint, 'bucket' | 'parameters'>;
type Duration = NonNullable<Endpoint['bucket']>['step'];

/** Undefined also if no duration is known. */
export function bucketOf(endpoint: Described, given: Parameters): ChartBucket | undefined {
  if (endpoint.bucket === undefined) return undefined;
  const { column, step, missing, window, whole } = endpoint.bucket;
  const length = durationOf(step, endpoint, given);
  if (length === undefined) return undefined;
  // A window that begins with a whole bucket cuts none.
  const reach = window === undefined || whole ? undefined : durationOf(window, endpoint, given);
  return { column, step: length, missing, window: parseStep(reach ?? '') };
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
