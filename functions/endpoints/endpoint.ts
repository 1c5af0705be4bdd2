// The types of an endpoint and of its definition in endpoint.json.
import type { ColumnSchema } from '../core/query-runner.ts';

/** A declared parameter. Every parameter is a STRING; the keywords are those of JSON Schema. */
export interface ParameterDefinition {
  description: string;
  required: boolean;
  example: string;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  enum?: string[];
  format?: string;
  /** The value of an absent or empty parameter; the empty string by default. */
  default?: string;
  /** The value that replaces one outside `enum`, so that invented values share one cache entry. */
  otherwise?: string;
}

/** A column of the result, in output order. */
export interface ColumnDefinition {
  type: string;
  mode: 'REQUIRED' | 'NULLABLE' | 'REPEATED';
  description: string;
}

/** How one job refreshes many results: entries with equal values of all other parameters form a batch. */
export interface WarmingDefinition {
  /** The parameters that differ within a batch: after `key`, the fields of the STRUCTs in `@keys`. */
  batchOver: string[];
  /** The most results that one job refreshes. */
  maxKeys: number;
}

/** The content of `endpoint.json`; `sql/endpoint.schema.json` describes each field. */
export interface EndpointDefinition {
  id: string;
  name: string;
  description: string;
  queryLanguage: 'bigquery';
  maxRows: number;
  cachingSeconds: number;
  cacheWarmingSeconds: number;
  sandboxed: false;
  /** Present if the folder has a `warm.sql`. */
  warming?: WarmingDefinition;
  parameters: Record<string, ParameterDefinition>;
  row: Record<string, ColumnDefinition>;
}

/** The fault of one parameter value, or undefined when it is valid. */
export type ParameterValidator = (value: string) => string | undefined;

/** A definition, ready to serve. */
export interface Endpoint extends EndpointDefinition {
  /** One self-contained BigQuery job: the routines that the query calls, then the query. */
  sql: string;
  /** `sql` is the job made from `warm.sql`: for each key it returns the rows of the query, after `key`. */
  warming?: WarmingDefinition & { sql: string };
  /** SHA-256 over everything that determines the rows and their shape; part of the cache key. */
  definitionDigest: string;
  validators: ReadonlyMap<string, ParameterValidator>;
}

/** The columns of `query.sql`, in output order. */
export function columnsOf({ row }: Pick<EndpointDefinition, 'row'>): ColumnSchema[] {
  return Object.entries(row).map(([name, { type, mode }]) => ({ name, type, mode }));
}
