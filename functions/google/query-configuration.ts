// Builds the configuration of a query job: its SQL, its parameters and its default dataset.
// https://cloud.google.com/bigquery/docs/reference/rest/v2/Job#JobConfigurationQuery
import {
  type ParameterType,
  type ParameterValue,
  isScalarType,
  scalarTypeOf,
} from '../core/parameter-type.ts';
import { type BoundQuery, splitLast } from '../core/query-runner.ts';

/** `dataset` is `dataset` or `project.dataset`, where unqualified table names are looked up. */
export function queryConfiguration(query: BoundQuery, dataset: string) {
  const { before: projectId, last: datasetId } = splitLast(dataset);
  return {
    query: query.sql,
    useLegacySql: false,
    parameterMode: 'named',
    queryParameters: queryParameters(query),
    // A project may have another default, and warming counts the days of CURRENT_DATE() in this one.
    connectionProperties: [{ key: 'time_zone', value: 'UTC' }],
    defaultDataset: projectId === undefined ? { datasetId } : { datasetId, projectId },
  };
}

/** The parameters in the form of the REST API: those with a name of their own, and `@keys`. */
export function queryParameters(query: Omit<BoundQuery, 'sql'>): object[] {
  const { parameters, keys, types = {} } = query;
  const typeOf = (name: string) => parameterType(types[name] ?? 'STRING');
  const named = Object.entries(parameters).map(([name, value]) => ({
    name,
    parameterType: typeOf(name),
    parameterValue: parameterValue(value),
  }));
  if (keys === undefined) return named;
  const structTypes = Object.keys(keys[0] ?? {}).map((name) => ({ name, type: typeOf(name) }));
  const arrayValues = keys.map((key) => ({
    structValues: Object.fromEntries(
      Object.entries(key).map(([name, value]) => [name, parameterValue(value)]),
    ),
  }));
  const array = { type: 'ARRAY', arrayType: { type: 'STRUCT', structTypes } };
  return [...named, { name: 'keys', parameterType: array, parameterValue: { arrayValues } }];
}

/** `QueryParameterType` of the REST API. */
export function parameterType(type: ParameterType): { type: string; arrayType?: { type: string } } {
  return isScalarType(type) ? { type } : { type: 'ARRAY', arrayType: { type: scalarTypeOf(type) } };
}

/** A scalar that is null is NULL of its type. */
function parameterValue(value: ParameterValue): object {
  if (value === null || typeof value === 'string') return { value };
  return { arrayValues: value.map((element) => ({ value: element })) };
}
