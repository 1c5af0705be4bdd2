// Makes the OpenAPI parameter of a declared one: its schema has the values that the service takes.
import { isScalarType, scalarTypeOf } from '../core/parameter-type.ts';
import { canonicalScalar } from '../endpoints/canonical-scalar.ts';
import type { ParameterDescription } from '../endpoints/description.ts';
import { ITEMS_MAX } from '../endpoints/parameter-rule.ts';
import { type Json, enumSchema, jsonValue, scalarSchema } from './parameter-schema.ts';

/** https://spec.openapis.org/oas/v3.1.1#parameter-object */
export function openApiParameter(parameter: ParameterDescription): Json {
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
    ...(isArray ? { style: 'form', explode: true } : {}),
    schema: {
      ...(isArray
        ? arraySchema(parameter, !required && isAllowed(''))
        : fitsOne(elementSchemas(parameter, isOptional))),
      ...(fallback !== undefined && hasDefault ? { default: inJson(fallback) } : {}),
    },
    ...(example.length === 0 ? {} : { example: inJson(example) }),
  };
}

/** Nothing and the empty text are the empty array. */
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

/** The schemas of one value, which fits one of them; none if it may only be absent. */
function elementSchemas(parameter: ParameterDescription, mayBeEmpty: boolean): Json[] {
  const { type, allowedValues, otherwise, aliases = {} } = parameter;
  const scalar = scalarTypeOf(type);
  const empty = mayBeEmpty ? [{ const: '', description: 'The same as no value.' }] : [];
  const choices = (allowedValues ?? parameter.enum)?.filter((text) => text !== '');
  if (choices === undefined) {
    const { minLength, ...schema } = scalarSchema(scalar, parameter);
    if (mayBeEmpty && minLength === 1 && isMatchedByEmpty(schema)) return [schema];
    return [minLength === undefined ? schema : { ...schema, minLength }, ...empty];
  }
  const canonical = choices.map((text) => canonicalText(parameter, text));
  const isChoice = (text: string): boolean => canonical.includes(canonicalText(parameter, text));
  const usable = Object.entries(aliases).filter(([, text]) => isChoice(text));
  const meanings = usable.map(([alias, text]) => `${alias} is read as ${text}`).join(', ');
  const closed = {
    ...enumSchema(scalar, [...choices, ...usable.map(([alias]) => alias)]),
    ...(meanings === '' ? {} : { description: `${meanings}.` }),
  };
  const open = {
    type: 'string',
    minLength: 1,
    description: `Any other value is read as ${otherwise}.`,
  };
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

/** The spelling of `allowedValues`; a text that is no value of the parameter stays as it is. */
function canonicalText({ type, aliases = {} }: ParameterDescription, text: string): string {
  const meant = new Map(Object.entries(aliases)).get(text) ?? text;
  const canonical = canonicalScalar(scalarTypeOf(type), meant);
  return 'text' in canonical ? canonical.text : meant;
}
