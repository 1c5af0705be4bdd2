// Words and places for what ajv finds wrong with a definition.
import type { ErrorObject } from 'ajv';

/** What is wrong with the value at a JSON pointer (RFC 6901). */
export interface SchemaFault {
  pointer: string;
  /** A sentence without its full stop, which names the value. */
  message: string;
}

/** One fault for each cause; `root` names the whole document. */
export function schemaFaults(
  errors: readonly ErrorObject[] | null | undefined,
  root: string,
): SchemaFault[] {
  const faults = (errors ?? [])
    // Said once more of the name that is wrong.
    .filter((error) => error.propertyName === undefined)
    .map((error) => ({ pointer: pointerOf(error), message: describeSchemaError(error, root) }));
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}

/** Writes a name as one step of a JSON pointer. */
export function pointerStep(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The place of a field that should not be there is its own. */
function pointerOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, propertyName }: Record<string, unknown> = params;
  const name = additionalProperty ?? propertyName;
  return instancePath + (typeof name === 'string' ? pointerStep(name) : '');
}

function describeSchemaError(error: ErrorObject, root: string): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.') || root;
  const params: Record<string, unknown> = error.params;
  const { additionalProperty, missingProperty, propertyName, type } = params;
  const { allowedValue, allowedValues } = params;
  if (typeof additionalProperty === 'string') {
    return `${path} has the unknown field ${additionalProperty}`;
  }
  if (error.keyword === 'required' && typeof missingProperty === 'string') {
    return `${path} lacks the field ${missingProperty}`;
  }
  if (typeof propertyName === 'string') return `${path} must not hold the name ${propertyName}`;
  if (Array.isArray(type)) return `${path} must be ${type.join(' or ')}`;
  if (Array.isArray(allowedValues)) return `${path} must be one of ${allowedValues.join(', ')}`;
  const allowed = allowedValue === undefined ? '' : ` ${JSON.stringify(allowedValue)}`;
  return `${path} ${error.message}${allowed}`;
}
