// Builds the configuration of a query job: its SQL, its parameters and its default dataset.
// https://cloud.google.com/bigquery/docs/reference/rest/v2/Job#JobConfigurationQuery
import {
  type ParameterType,
  type ParameterValue,
  isScalarType,
  scalarTypeOf,
} from '../core/parameter-type.ts';
import { sha256Hex } from '../core/bytes.ts';
import { keyIdOf } from '../core/key-store.ts';
import { type BoundQuery, type QueryRequest, splitLast } from '../core/query-runner.ts';

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

/** What `INFORMATION_SCHEMA.JOBS` and the billing export show of a job. */
export function jobLabels({ endpoint, cause, key }: QueryRequest, deployment: string) {
  return {
    service: 'saved-queries',
    deployment,
    endpoint: labelValue(endpoint),
    cause,
    ...(key && { key: labelValue(key.name), key_id: keyIdOf(key.digest) }),
  };
}

/** As `labelValue` writes a name that it has to change. */
const CHANGED = /_[0-9a-f]{12}$/;

/**
 * A value that BigQuery takes for a label, another one for each name: `sales__by-day` for `sales.by-day`, and what can be
 * read of any other name with a part of its SHA-256.
 * https://cloud.google.com/bigquery/docs/labels-intro#requirements
 */
export function labelValue(name: string): string {
  const value = name.replaceAll('.', '__');
  const isValid = /^[a-z0-9_-]{1,63}$/.test(value) && !CHANGED.test(value);
  // `__` of the name itself could be a dot.
  if (isValid && !/_[._]|[.]_/.test(name)) return value;
  const readable = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '_');
  return `${readable.slice(0, 50)}_${sha256Hex(name).slice(0, 12)}`;
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
