// Builds the OpenAPI parameter of a declared one; its JSON Schema describes the accepted values.
import { type ScalarType, isScalarType, scalarTypeOf } from '../core/parameter-type.ts';
import { INT64_MAX, INT64_MIN, canonicalScalar } from '../endpoints/canonical-scalar.ts';
import type { ParameterDescription } from '../endpoints/description.ts';
import { ITEMS_MAX, type ParameterDefinition } from '../endpoints/parameter-rule.ts';

/** https://spec.openapis.org/oas/v3.1.1#parameter-object */
export function openApiParameter(parameter: ParameterDescription) {
  const { name, description, type, required, allowedValues } = parameter;
  const scalar = scalarTypeOf(type);
  const isArray = !isScalarType(type);
  const inJson = (texts: readonly string[]): unknown => {
    const values = texts.map((text) => jsonValue(scalar, text));
    return isArray ? values : values[0];
  };
  const isAllowed = (text: string): boolean =>
    allowedValues?.includes(canonicalText(parameter, text)) ?? true;

  const fallback = parameter.default === undefined ? undefined : [parameter.default].flat();
  const hasDefault = fallback?.every(isAllowed) ?? false;
  const isOptional = fallback === undefined ? !required && isAllowed('') : hasDefault;
  const example = [parameter.example].flat().filter((text) => text !== '');
  return {
    name,
    in: 'query',
    description,
    required: !isOptional,
    ...(isArray && { style: 'form', explode: true }),
    schema: {
      ...(isArray
        ? arraySchema(parameter, !required && isAllowed(''))
        : fitsOne(elementSchemas(parameter, isOptional))),
      ...(fallback !== undefined && hasDefault && { default: inJson(fallback) }),
    } as Json,
    ...(example.length > 0 && { example: inJson(example) }),
  };
}

/** An absent parameter and the empty text mean the empty array. */
function arraySchema(parameter: ParameterDescription, mayBeEmpty: boolean): Json {
  const { minItems = 1, maxItems = ITEMS_MAX } = parameter;
  const items = elementSchemas(parameter, false);
  if (items.length === 0) return { type: 'array', maxItems: 0 };
  const array = { type: 'array', items: fitsOne(items), maxItems };
  if (!mayBeEmpty) return { ...array, minItems };
  if (minItems === 1) return array;
  return {
    ...array,
    // In this form generated clients still know the type.
    not: { minItems: 1, maxItems: minItems - 1 },
    description: `At least ${minItems} values, or none.`,
  };
}

/** The schemas of one value, which must match one of them; an empty list if the value may only be absent. */
function elementSchemas(parameter: ParameterDescription, mayBeEmpty: boolean): Json[] {
  const { type, allowedValues, otherwise, aliases = {} } = parameter;
  const scalar = scalarTypeOf(type);
  const empty = mayBeEmpty ? [{ const: '', description: 'The same as no value.' }] : [];
  const choices = (allowedValues ?? parameter.enum)?.filter((text) => text !== '');
  if (choices === undefined) {
    const { minLength, ...schema } = scalarSchema(scalar, parameter);
    if (mayBeEmpty && minLength === 1 && isMatchedByEmpty(schema)) return [schema];
    return [{ ...schema, minLength }, ...empty];
  }
  const canonical = choices.map((text) => canonicalText(parameter, text));
  const isChoice = (text: string): boolean => canonical.includes(canonicalText(parameter, text));
  const usable = Object.entries(aliases).filter(([, text]) => isChoice(text));
  const meanings = usable.map(([alias, text]) => `${alias} is read as ${text}`).join(', ');
  const closed = {
    ...enumSchema(scalar, [...choices, ...usable.map(([alias]) => alias)]),
    ...(meanings !== '' && { description: `${meanings}.` }),
  };
  const description = `Any other value counts as ${otherwise}.`;
  const open = { type: 'string', minLength: 1, description };
  return [
    ...(choices.length === 0 ? [] : [closed]),
    ...(otherwise !== undefined && isChoice(otherwise) ? [open] : []),
    ...empty,
  ];
}

function fitsOne(schemas: readonly Json[]): Json {
  const [only = {}, ...others] = schemas;
  return others.length === 0 ? only : { anyOf: schemas };
}

function isMatchedByEmpty({ pattern, format }: Json): boolean {
  return format === undefined && new RegExp(String(pattern), 'u').test('');
}

/** The spelling of `allowedValues`; a text that is not a value of the parameter stays as it is. */
function canonicalText({ type, aliases = {} }: ParameterDescription, text: string): string {
  const meant = new Map(Object.entries(aliases)).get(text) ?? text;
  const canonical = canonicalScalar(scalarTypeOf(type), meant);
  return 'text' in canonical ? canonical.text : meant;
}

export type Json = Record<string, unknown>;

const NO_NUL = '^[^\\u0000]*$';
const NUMERIC = '^[+-]?([0-9]{1,29}(\\.[0-9]{0,9})?|\\.[0-9]{1,9})$';
/** RFC 3339 has a year 0 too. */
const DATE = '^(?!0000)';
/** RFC 3339 has leap seconds and any number of digits too. */
const TIMESTAMP = '^(?!0000|.*:60|.*\\.[0-9]{7})';
const DAY_OF_ANY_YEAR =
  '[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))';
const LEAP_DAY = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29';
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?';
/** No format of JSON Schema is a time without a zone, so the pattern has the calendar. */
const DATETIME = `^(?!0000)(${DAY_OF_ANY_YEAR}|${LEAP_DAY})[Tt ]${TIME}$`;

const SCALARS = {
  STRING: { type: 'string' },
  INT64: { type: 'integer', format: 'int64' },
  FLOAT64: { type: 'number', format: 'double' },
  NUMERIC: { type: 'string', pattern: NUMERIC },
  BOOL: { type: 'boolean' },
  DATE: { type: 'string', format: 'date', pattern: DATE },
  DATETIME: { type: 'string', pattern: DATETIME },
  TIMESTAMP: { type: 'string', format: 'date-time', pattern: TIMESTAMP },
} satisfies Record<ScalarType, Json>;

/** The values of a type that are not empty and keep to the keywords; an undefined keyword is not written. */
function scalarSchema(scalar: ScalarType, keywords: Partial<ParameterDefinition>): Json {
  const schema = SCALARS[scalar];
  const { minimum, maximum, minLength = 1, maxLength, pattern = NO_NUL, format } = keywords;
  if (scalar === 'STRING') return { ...schema, minLength, maxLength, pattern, format };
  if (scalar === 'FLOAT64') return { ...schema, minimum, maximum };
  if (scalar === 'INT64') {
    return {
      ...schema,
      minimum: (minimum ?? -Infinity) > INT64_MIN ? minimum : exact(INT64_MIN),
      maximum: (maximum ?? Infinity) < INT64_MAX ? maximum : exact(INT64_MAX),
    };
  }
  if (scalar !== 'NUMERIC') return schema;
  const bounds = [
    ...(minimum === undefined ? [] : [`At least ${minimum}.`]),
    ...(maximum === undefined ? [] : [`At most ${maximum}.`]),
  ];
  return { ...schema, description: bounds.join(' ') || undefined };
}

/** Only these values; without a type if one of them is not of it. */
function enumSchema(scalar: ScalarType, texts: readonly string[]): Json {
  const { type } = SCALARS[scalar];
  const isOfType =
    type === 'string' || texts.every((text) => 'text' in canonicalScalar(scalar, text));
  const values = new Map(
    texts.map((text) => jsonValue(scalar, text)).map((value) => [JSON.stringify(value), value]),
  );
  return { ...(isOfType ? { type } : {}), enum: [...values.values()] };
}

/** A text as the JSON value of its type; a text that is not of the type, such as an alias, stays a text. */
function jsonValue(scalar: ScalarType, text: string): unknown {
  const canonical = canonicalScalar(scalar, text);
  if (SCALARS[scalar].type === 'string' || !('text' in canonical)) return text;
  if (scalar === 'BOOL') return canonical.text === 'true';
  return scalar === 'INT64' ? exact(BigInt(canonical.text)) : Number(canonical.text);
}

function exact(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}
