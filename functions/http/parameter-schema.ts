// Builds the OpenAPI parameter of a declared one. Its JSON Schema refuses no value that the service takes; the service says the rest.
import { type ScalarType, isScalarType, scalarTypeOf } from '../core/parameter-type.ts';
import { canonicalScalar } from '../endpoints/canonical-scalar.ts';
import type { ParameterDescription } from '../endpoints/endpoint.ts';
import { ITEMS_MAX } from '../endpoints/parameter-rule.ts';

export type Json = Record<string, unknown>;

const SCALARS = {
  STRING: { type: 'string' },
  INT64: { type: 'integer', format: 'int64' },
  FLOAT64: { type: 'number', format: 'double' },
  NUMERIC: { type: 'string' },
  BOOL: { type: 'boolean' },
  DATE: { type: 'string', format: 'date' },
  // No format of JSON Schema is a time without a zone.
  DATETIME: { type: 'string' },
  TIMESTAMP: { type: 'string', format: 'date-time' },
} satisfies Record<ScalarType, Json>;

/** https://spec.openapis.org/oas/v3.1.1#parameter-object */
export function openApiParameter(parameter: ParameterDescription) {
  const { name, description, type, required, allowedValues, minItems = 1 } = parameter;
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
  const element = elementSchema(parameter);
  const { maxItems = ITEMS_MAX } = parameter;
  const array = { type: 'array', items: element, ...(!isOptional && { minItems }), maxItems };
  return {
    name,
    in: 'query',
    description,
    required: !isOptional,
    ...(isArray && { style: 'form', explode: true }),
    schema: {
      ...(isArray ? array : element),
      ...(fallback !== undefined && hasDefault && { default: inJson(fallback) }),
    } as Json,
    ...(example.length > 0 && { example: inJson(example) }),
  };
}

/** The values of one element that are not empty: an empty value is an absent one. */
function elementSchema(parameter: ParameterDescription): Json {
  const { type, allowedValues, otherwise, aliases = {} } = parameter;
  const scalar = scalarTypeOf(type);
  const choices = (allowedValues ?? parameter.enum)?.filter((text) => text !== '');
  if (choices === undefined) return scalarSchema(scalar, parameter);
  const canonical = choices.map((text) => canonicalText(parameter, text));
  const isChoice = (text: string): boolean => canonical.includes(canonicalText(parameter, text));
  const usable = Object.entries(aliases).filter(([, text]) => isChoice(text));
  const meanings = usable.map(([alias, text]) => `${alias} is read as ${text}`).join(', ');
  const closed = {
    ...enumSchema(scalar, [...choices, ...usable.map(([alias]) => alias)]),
    ...(meanings !== '' && { description: `${meanings}.` }),
  };
  if (otherwise === undefined || !isChoice(otherwise)) return closed;
  const description = `Any other value counts as ${otherwise}.`;
  return { anyOf: [closed, { type: 'string', description }] };
}

/** The spelling of `allowedValues`; a text that is not a value of the parameter stays as it is. */
function canonicalText({ type, aliases = {} }: ParameterDescription, text: string): string {
  const meant = new Map(Object.entries(aliases)).get(text) ?? text;
  const canonical = canonicalScalar(scalarTypeOf(type), meant);
  return 'text' in canonical ? canonical.text : meant;
}

/** An undefined keyword is not written. */
function scalarSchema(scalar: ScalarType, keywords: ParameterDescription): Json {
  const { minimum, maximum, required, maxLength, pattern, format } = keywords;
  const { minLength = required ? 1 : undefined } = keywords;
  const schema = SCALARS[scalar];
  if (scalar === 'STRING') return { ...schema, minLength, maxLength, pattern, format };
  if (scalar !== 'NUMERIC') return { ...schema, minimum, maximum };
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
  const number = Number(canonical.text);
  const isExact = scalar !== 'INT64' || Number.isSafeInteger(number);
  return isExact ? number : JSON.rawJSON(canonical.text);
}
