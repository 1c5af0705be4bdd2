// Declares the types of parameters and of their bound values.
import { isObject, isText, isTexts } from './json.ts';

export const SCALAR_TYPES = [
  'STRING',
  'INT64',
  'FLOAT64',
  'NUMERIC',
  'BOOL',
  'DATE',
  'DATETIME',
  'TIMESTAMP',
] as const;

export type ScalarType = (typeof SCALAR_TYPES)[number];
export type ParameterType = ScalarType | `ARRAY<${ScalarType}>`;

/** In the canonical spelling of its type; null for NULL. A STRING and an ARRAY are never null. */
export type ParameterValue = string | null | readonly string[];

export function isScalarType(type: ParameterType): type is ScalarType {
  return SCALAR_TYPES.some((scalar) => scalar === type);
}

export function isNumberType(type: ScalarType): boolean {
  return type === 'INT64' || type === 'FLOAT64' || type === 'NUMERIC';
}

/** The type itself, or that of the elements of an ARRAY. */
export function scalarTypeOf(type: ParameterType): ScalarType {
  if (isScalarType(type)) return type;
  return SCALAR_TYPES.find((scalar) => type === `ARRAY<${scalar}>`) ?? 'STRING';
}

/** The value of an optional parameter that is absent and has no default. */
export function absentValue(type: ParameterType): ParameterValue {
  if (type === 'STRING') return '';
  return isScalarType(type) ? null : [];
}

/** Whether it is NULL, the empty text or the empty array: what an absent parameter is bound as. */
export function isAbsent(value: ParameterValue): boolean {
  return value === null || value.length === 0;
}

/** The texts that a value consists of; none if it is NULL. */
export function textsOf(value: ParameterValue): readonly string[] {
  if (value === null) return [];
  return typeof value === 'string' ? [value] : value;
}

/** Whether it is a plain object of values by name. */
export function isParameters(value: unknown): value is Record<string, ParameterValue> {
  return (
    isObject(value) &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).every((one) => one === null || isText(one) || isTexts(one))
  );
}
