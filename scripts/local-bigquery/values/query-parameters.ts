// Reads query parameters as the REST API takes them.
import { type EngineValue, encodeScalar, InvalidValueError } from './engine-values.ts';
import { type EngineType, arrayOf, kindOf } from './table-schema.ts';

export interface QueryParameterType {
  type: string;
  arrayType?: QueryParameterType;
  structTypes?: { name?: string; type: QueryParameterType }[];
}

/** `QueryParameterValue` of the REST API; a scalar without `value` is NULL. */
interface ParameterValue {
  value?: unknown;
  arrayValues?: ParameterValue[];
  structValues?: Record<string, ParameterValue>;
}

export interface EngineParameter {
  name: string;
  type: EngineType;
  value: EngineValue;
}

/** What the text of an author gets for an array without values: see scripts/lexer/empty-arrays.ts. */
export const EMPTY_ARRAY: EngineValue = { arrayValue: { element: [] } };

interface QueryParameter {
  name?: string;
  parameterType: QueryParameterType;
  parameterValue?: ParameterValue;
}

/**
 * Reads `queryParameters` of a request. BigQuery binds an array without values as NULL, so `absentArray` is another value only
 * for a text that is not sent. Throws `InvalidValueError`.
 */
export function engineParameters(given: unknown, absentArray: EngineValue = {}): EngineParameter[] {
  return ((given ?? []) as QueryParameter[]).map(({ name = '', parameterType, parameterValue }) => {
    if (name === '')
      throw new InvalidValueError('Not run locally: query parameters without a name');
    try {
      const type = engineParameterType(parameterType);
      return { name, type, value: engineParameterValue(parameterValue, type, absentArray) };
    } catch (err) {
      if (!(err instanceof InvalidValueError)) throw err;
      const message = `Invalid query parameter '${name}': ${err.message}`;
      throw new InvalidValueError(message, { cause: err });
    }
  });
}

/** Throws `InvalidValueError` on a type that BigQuery does not have. */
export function engineParameterType(given: QueryParameterType): EngineType {
  const { type, arrayType, structTypes = [] } = given;
  if (arrayType) return arrayOf(engineParameterType(arrayType));
  const name = type.toUpperCase();
  const typeKind = kindOf(name);
  if (typeKind === undefined || name === 'RECORD' || name === 'RANGE') {
    throw new InvalidValueError(`no such parameter type: ${type}`);
  }
  if (typeKind !== 'TYPE_STRUCT') return { typeKind };
  const field = structTypes.map(({ name: fieldName = '', type: fieldType }) => {
    return { fieldName, fieldType: engineParameterType(fieldType) };
  });
  return { typeKind, structType: { field } };
}

/** Throws `InvalidValueError` when the value is not of its type. */
function engineParameterValue(
  value: ParameterValue | undefined,
  type: EngineType,
  absentArray: EngineValue,
): EngineValue {
  const valueOf = (item: ParameterValue | undefined, itemType: EngineType): EngineValue =>
    engineParameterValue(item, itemType, absentArray);
  if (type.arrayType) {
    const { elementType } = type.arrayType;
    const element = value?.arrayValues?.map((item) => valueOf(item, elementType)) ?? [];
    return element.length === 0 ? absentArray : { arrayValue: { element } };
  }
  if (!type.structType) return encodeScalar(value?.value, type.typeKind);
  const values = value?.structValues;
  if (values === undefined) return {};
  const field = (type.structType.field ?? []).map(({ fieldName = '', fieldType }) =>
    valueOf(values[fieldName], fieldType),
  );
  return { structValue: { field } };
}
