// Turns ajv's errors into messages with places in a definition.
import { Ajv, type ErrorObject } from 'ajv';
import ajvFormats from 'ajv-formats';
import { errorMessage } from '../../functions/core/describe-error.ts';
import { isObject } from '../../functions/core/json.ts';
import words from './schema-words.json' with { type: 'json' };

/** The fault of the value at a JSON pointer (RFC 6901). */
interface SchemaFault {
  pointer: string;
  /** A sentence without its full stop, which names the value. */
  message: string;
}

export type SchemaCheck = (value: unknown) => SchemaFault[];

/** By schema: compiling one takes longer than checking a hundred definitions, and each live reload asks for it. */
const known = new Map<string, SchemaCheck>();

/** Creates the check of a value by one of the project's schemas: one fault for each cause. `root` names the whole document. */
export function schemaCheck(schema: object, root: string): SchemaCheck {
  const key = JSON.stringify([schema, root]);
  const check = known.get(key) ?? compiledCheck(schema, root);
  known.set(key, check);
  return check;
}

function compiledCheck(schema: object, root: string): SchemaCheck {
  // A test validates our schemas against JSON Schema's own, which takes as long to compile as they do.
  const kept = { strict: true, allowUnionTypes: true, validateSchema: false };
  const ajv = new Ajv({ ...kept, allErrors: true, verbose: true });
  ajvFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => {
    const faults = (validate(value) ? [] : (validate.errors ?? []))
      // Reported again for the name that is wrong.
      .filter((error) => error.propertyName === undefined)
      .map((error) => ({
        pointer: pointerOf(error),
        message: describeSchemaError(
          error,
          pathIn(value, error.instancePath) || root,
          expectedBy(error),
        ),
      }));
    return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
  };
}

/** Writes a name as one step of a JSON pointer. */
export function pointerStep(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A field that must not exist, or that requires another field, is reported at its own place. */
function pointerOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, propertyName, property }: Record<string, unknown> = params;
  const name = additionalProperty ?? propertyName ?? property;
  return instancePath + (typeof name === 'string' ? pointerStep(name) : '');
}

/** The names of the fields to a value, and of the items of lists that have a name. */
function pathIn(value: unknown, instancePath: string): string {
  let at = value;
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => {
      const isItem = Array.isArray(at);
      at = (at as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
      return isItem && isObject(at) && at.name && typeof at.name === 'string' ? at.name : step;
    });
  return steps.join('.');
}

function describeSchemaError(error: ErrorObject, path: string, expected: string): string {
  const params: Record<string, unknown> = error.params;
  const { additionalProperty, missingProperty, property, propertyName, type } = params;
  const { allowedValue, allowedValues } = params;
  if (typeof additionalProperty === 'string') {
    return `${path} has the unknown field ${additionalProperty}`;
  }
  if (typeof property === 'string') {
    return `${path} has ${property}, which needs the field ${String(missingProperty)}`;
  }
  if (typeof missingProperty === 'string') return `${path} lacks the field ${missingProperty}`;
  if (typeof propertyName === 'string') {
    return `${path} must not contain the name ${propertyName}${expected && `: ${expected}`}`;
  }
  if (type !== undefined) {
    const types = ([type].flat() as string[]).map((one) => TYPES[one] ?? one);
    return `${path} must be ${types.join(' or ')}`;
  }
  if (Array.isArray(allowedValues)) return `${path} must be one of ${allowedValues.join(', ')}`;
  if (allowedValue !== undefined) return `${path} must be ${JSON.stringify(allowedValue)}`;
  const limit = LIMITS[error.keyword]?.replace('{limit}', String(params.limit));
  if (limit) return `${path} ${limit.replace(/^must have at least 1 .*/, 'must not be empty')}`;
  if (error.keyword === 'uniqueItems') return `${path} contains the same value twice`;
  const isShape = error.keyword === 'pattern' || error.keyword === 'format';
  const reason = params.format === 'regex' ? patternFault(String(error.data)) : '';
  return `${path} ${isShape && expected ? `must be ${expected}` : error.message}${reason}`;
}

/** What is wrong with a regular expression, after a colon. */
function patternFault(pattern: string): string {
  try {
    new RegExp(pattern, 'u');
    return '';
  } catch (error) {
    return `: ${errorMessage(error).replace(/^Invalid regular expression: /, '')}`;
  }
}

/** The first sentence of the description in the schema that reports the error, to be put into a sentence. */
function expectedBy({ schema, parentSchema }: ErrorObject): string {
  const { description }: Record<string, unknown> = isObject(schema) ? schema : (parentSchema ?? {});
  if (typeof description !== 'string') return '';
  const sentence = description.split('. ')[0]?.replace(/\.$/, '') ?? '';
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}

const LIMITS: Readonly<Record<string, string>> = words.limits;
const TYPES: Readonly<Record<string, string>> = words.types;
