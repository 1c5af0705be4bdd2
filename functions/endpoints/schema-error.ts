// Words for what ajv finds wrong with a definition.
import type { ErrorObject } from 'ajv';

/** One sentence without its full stop; `root` names the whole document. */
export function describeSchemaError(error: ErrorObject, root: string): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.') || root;
  const params: Record<string, unknown> = error.params;
  const { additionalProperty, propertyName, type, allowedValue, allowedValues } = params;
  if (typeof additionalProperty === 'string') {
    return `${path} has the unknown field ${additionalProperty}`;
  }
  if (typeof propertyName === 'string') return `${path} must not hold the name ${propertyName}`;
  if (Array.isArray(type)) return `${path} must be ${type.join(' or ')}`;
  const allowed = allowedValues ?? allowedValue;
  return `${path} ${error.message}${allowed === undefined ? '' : ` ${JSON.stringify(allowed)}`}`;
}
