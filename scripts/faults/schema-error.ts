// Turns ajv's errors into messages with places in a definition.
import { Ajv, type ErrorObject } from 'ajv';
import ajvFormats from 'ajv-formats';
import { errorMessage } from '../../functions/core/errors.ts';
import { isObject } from '../../functions/core/json.ts';
import words from './schema-words.json' with { type: 'json' };

/** The fault of the value at a JSON pointer (RFC 6901). */
export interface SchemaFault {
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
  const { keyword, data, message } = error;
  const params: Record<string, unknown> = error.params;
  if (params.limit === 1 && /^min[LIP]/.test(keyword)) return `${path} must not be empty`;
  const isShape = keyword === 'pattern' || keyword === 'format';
  if (isShape && expected) {
    const reason = params.format === 'regex' ? patternFault(String(data)) : '';
    return `${path} must be ${expected}${reason}`;
  }
  const textOf = (_: string, name: string) => paramText(name, params[name]);
  const text = MESSAGES[keyword]?.replaceAll(/\{(\w+)\}/g, textOf) ?? message;
  return `${path} ${text}${keyword === 'propertyNames' && expected ? `: ${expected}` : ''}`;
}

function paramText(name: string, value: unknown): string {
  if (name === 'allowedValue') return JSON.stringify(value);
  const texts = [value].flat().map(String);
  return name === 'type' ? texts.map((one) => TYPES[one] ?? one).join(' or ') : texts.join(', ');
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

/** By ajv's keyword, with the names of its params. */
const MESSAGES: Readonly<Record<string, string>> = words.messages;
const TYPES: Readonly<Record<string, string>> = words.types;
