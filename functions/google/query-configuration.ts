// Makes the configuration of a query job: its SQL, its parameters and its default dataset.
// https://cloud.google.com/bigquery/docs/reference/rest/v2/Job#JobConfigurationQuery
import type { BoundQuery } from '../core/query-runner.ts';

/** `dataset` is `dataset` or `project.dataset`, where unqualified table names are looked up. */
export function queryConfiguration(query: BoundQuery, dataset: string) {
  const [datasetId = '', projectId] = dataset.split('.').reverse();
  return {
    query: query.sql,
    useLegacySql: false,
    parameterMode: 'named',
    queryParameters: queryParameters(query),
    defaultDataset: projectId === undefined ? { datasetId } : { datasetId, projectId },
  };
}

/** The parameters in the form of the REST API: the STRING parameters by name, and `@keys`. */
export function queryParameters({ parameters, keys }: Omit<BoundQuery, 'sql'>): object[] {
  const string = { type: 'STRING' };
  const scalars = Object.entries(parameters).map(([name, value]) => ({
    name,
    parameterType: string,
    parameterValue: { value },
  }));
  if (keys === undefined) return scalars;
  const structTypes = Object.keys(keys[0] ?? {}).map((name) => ({ name, type: string }));
  const arrayValues = keys.map((key) => ({
    structValues: Object.fromEntries(Object.entries(key).map(([name, value]) => [name, { value }])),
  }));
  const array = { type: 'ARRAY', arrayType: { type: 'STRUCT', structTypes } };
  return [...scalars, { name: 'keys', parameterType: array, parameterValue: { arrayValues } }];
}
