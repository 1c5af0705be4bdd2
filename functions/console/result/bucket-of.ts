// Finds how long a bucket of a result is: always the same, or as a parameter says.
import { listOf } from '../form/start-values.ts';
import type { Endpoint, Parameters } from '../service.ts';

interface ChartBucket {
  column: string;
  step: string;
  missing: 'zero' | undefined;
}

/** With the value of the parameter as the service reads it: its alias, its default, or what others are read as. */
export function bucketOf(
  { bucket, parameters }: Pick<Endpoint, 'bucket' | 'parameters'>,
  given: Parameters,
): ChartBucket | undefined {
  if (bucket === undefined) return undefined;
  const { column, step, missing } = bucket;
  if (typeof step === 'string') return { column, step, missing };
  const {
    default: preset,
    aliases = {},
    otherwise,
  } = parameters.find(({ name }) => name === step.parameter) ?? {};
  const [text = ''] = given[step.parameter] ?? [];
  const value = text === '' ? (listOf(preset)[0] ?? '') : (aliases[text] ?? text);
  const length = step.values[value] ?? step.values[otherwise ?? ''];
  return length === undefined ? undefined : { column, step: length, missing };
}
