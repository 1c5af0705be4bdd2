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

/**
 * Reads `queryParameters` of a request, whatever it contains. BigQuery binds an array without values as NULL, so `absentArray`
 * is another value only for a text that is not sent. Throws `InvalidValueError`.
 */
export function engineParameters(given: unknown, absentArray: EngineValue = {}): EngineParameter[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new InvalidValueError('queryParameters must be a list');
  return given.map((parameter: unknown) => {
    const { name, parameterType, parameterValue } = (parameter ?? {}) as {
      name?: string;
      parameterType?: QueryParameterType;
      parameterValue?: ParameterValue;
    };
    if (typeof name !== 'string' || name === '') {
      throw new InvalidValueError('Not run locally: query parameters without a name');
    }
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

/** Throws `InvalidValueError` on a type BigQuery does not have or whose parts are missing. */
export function engineParameterType(type: QueryParameterType | null | undefined): EngineType {
  if (typeof type?.type !== 'string') throw new InvalidValueError('a type is missing');
  const name = type.type.toUpperCase();
  if (name === 'ARRAY') {
    if (type.arrayType === undefined) throw new InvalidValueError('an ARRAY needs an arrayType');
    return arrayOf(engineParameterType(type.arrayType));
  }
  const kind = kindOf(name);
  if (kind === undefined || name === 'RECORD' || name === 'RANGE') {
    throw new InvalidValueError(`no such parameter type: ${type.type}`);
  }
  if (kind !== 'TYPE_STRUCT') return { typeKind: kind };
  if (!Array.isArray(type.structTypes)) throw new InvalidValueError('a STRUCT needs structTypes');
  const given: (NonNullable<typeof type.structTypes>[number] | null)[] = type.structTypes;
  const field = given.map((one) => ({
    fieldName: one?.name ?? '',
    fieldType: engineParameterType(one?.type),
  }));
  return { typeKind: kind, structType: { field } };
}

/** Throws `InvalidValueError` when the value is not of its type. */
function engineParameterValue(
  value: ParameterValue | undefined,
  type: EngineType,
  absentArray: EngineValue,
): EngineValue {
  if (type.arrayType) {
    const { elementType } = type.arrayType;
    const values: unknown = value?.arrayValues ?? [];
    if (!Array.isArray(values)) throw new InvalidValueError('arrayValues must be a list');
    if (values.length === 0) return absentArray;
    const element = values.map((item: ParameterValue) =>
      engineParameterValue(item, elementType, absentArray),
    );
    return { arrayValue: { element } };
  }
  if (!type.structType) return encodeScalar(value?.value, type.typeKind);
  const values = value?.structValues;
  if (values === undefined) return {};
  const field = (type.structType.field ?? []).map(({ fieldName = '', fieldType }) =>
    engineParameterValue(values[fieldName], fieldType, absentArray),
  );
  return { structValue: { field } };
}
