// Finds the faults of the bucket of a definition that a schema cannot express.
import { isScalarType } from '../../functions/core/parameter-type.ts';
import type { BucketDefinition, EndpointDefinition } from '../../functions/endpoints/endpoint.ts';
import { isTimeZone } from './query-zone.ts';
import { pointerStep } from '../faults/schema-error.ts';

type Around = Pick<EndpointDefinition, 'row' | 'parameters'>;

type Report = (pointer: string, message: string) => void;

const COLUMN_TYPES = ['DATE', 'DATETIME', 'TIMESTAMP'];

/** The bucket must match endpoint.schema.json. */
export function reportBucketFaults(
  { column: name, step, window, zone }: BucketDefinition,
  { row, parameters }: Around,
  report: Report,
): void {
  const column = row[name];
  if (column === undefined) {
    report('/bucket/column', `bucket.column is ${name}, which is not in row`);
  } else if (!COLUMN_TYPES.includes(column.type) || column.mode === 'REPEATED') {
    const type = column.mode === 'REPEATED' ? `REPEATED ${column.type}` : column.type;
    const message = `bucket.column is ${name}, which is ${type}: a bucket starts at a DATE, DATETIME or TIMESTAMP`;
    report('/bucket/column', message);
  }
  const checkStep = (at: string, path: string, text: string): void => {
    if (column?.type !== 'DATE' || !text.startsWith('PT')) return;
    report(at, `${path} is ${text}, which is not a number of days, and ${name} is a DATE`);
  };
  if (zone !== undefined && !isTimeZone(zone)) {
    const message = `bucket.zone is ${zone}, which is not an IANA time zone, such as Europe/Berlin`;
    report('/bucket/zone', message);
  }
  if (typeof window === 'object') reportParameterFaults('window', window, parameters, report);
  if (typeof step === 'string') return checkStep('/bucket/step', 'bucket.step', step);
  for (const [value, text] of Object.entries(step.values)) {
    checkStep(`/bucket/step/values${pointerStep(value)}`, `bucket.step.values.${value}`, text);
  }
  reportParameterFaults('step', step, parameters, report);
}

function reportParameterFaults(
  field: 'step' | 'window',
  { parameter: name, values }: Exclude<BucketDefinition['step'], string>,
  parameters: Around['parameters'],
  report: Report,
): void {
  const at = `/bucket/${field}/parameter`;
  const parameter = parameters[name];
  if (parameter === undefined) {
    return report(at, `bucket.${field}.parameter is ${name}, which is not a parameter`);
  }
  const { enum: listed, type = 'STRING', required, default: fallback } = parameter;
  if (listed === undefined || !isScalarType(type)) {
    const lack = listed === undefined ? 'has no enum' : 'is an ARRAY';
    return report(at, `bucket.${field}.parameter is ${name}, which ${lack}`);
  }
  if (!required && fallback === undefined) {
    const message = `bucket.${field}.parameter is ${name}, which is optional: set required, or add a default`;
    report(at, message);
  }
  for (const value of Object.keys(values).filter((each) => !listed.includes(each))) {
    const message = `bucket.${field}.values has ${value}, which is not in the enum of ${name} (${listed.join(', ')})`;
    report(`/bucket/${field}/values${pointerStep(value)}`, message);
  }
  const missing = listed.filter((value) => !Object.hasOwn(values, value));
  if (missing.length === 0) return;
  const message = `bucket.${field}.values has no duration for ${missing.join(', ')}, in the enum of ${name}`;
  report(`/bucket/${field}/values`, message);
}
