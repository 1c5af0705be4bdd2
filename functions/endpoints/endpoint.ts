// The types of an endpoint, of its definition in endpoint.json, whose fields `sql/endpoint.schema.json` describes, and of what callers see of it.
import type { ParameterType } from '../core/parameter-type.ts';
import type { ColumnSchema } from '../core/query-runner.ts';
import type { ParameterDefinition, ParameterRule } from './parameter-rule.ts';

/** A column of the result, in output order. */
export interface ColumnDefinition {
  type: string;
  mode: 'REQUIRED' | 'NULLABLE' | 'REPEATED';
  description: string;
  unit?: string;
}

/** A duration in ISO 8601 (`PT1H`); or one for each value in the `enum` of a parameter. */
type Duration = string | { parameter: string; values: Record<string, string> };

export interface BucketDefinition {
  column: string;
  step: Duration;
  window?: Duration;
  /** True if the rows begin with the bucket in which the window starts, so that no bucket is cut. */
  whole?: boolean;
  missing?: 'zero';
  /** In which days begin and a DATETIME is; IANA name. */
  zone?: string;
}

/** How one job refreshes many results: entries with equal values of all other parameters form a batch. */
export interface WarmingDefinition {
  /** The parameters that differ within a batch: after `key`, the fields of the STRUCTs in `@keys`. */
  batchOver: string[];
  maxKeys: number;
  incremental?: IncrementalDefinition;
}

/** How the rows of a stored result are kept, so that a job reads only what has changed. */
interface IncrementalDefinition {
  /** Rows that are younger than this may arrive without a trace in the state of their partition. */
  settleSeconds: number;
  fullEverySeconds: number;
}

/** The tables that an incremental batch reads. */
export interface IncrementalSources {
  /** The one whose partition column `@since` bounds. */
  partitioned: SourceName;
  column: string;
  others: SourceName[];
}

/** Everything that an answer depends on except its parameters. */
export interface Dependencies {
  /** At least one. */
  sources: SourceName[];
  /** Clocks that tick slowly: the answer is the same until their next tick. */
  clocks: SlowClock[];
}

export interface SourceName {
  /** Absent for the project of the deployment. */
  project?: string;
  /** Absent for the dataset of the deployment. */
  dataset?: string;
  /** For shards, their prefix and `*`. */
  table: string;
}

/** `CURRENT_DATE`, or the present time cut to an hour or a day, in a time zone. */
export interface SlowClock {
  unit: 'HOUR' | 'DAY';
  timeZone: string;
}

/** The content of `endpoint.json`. */
export interface EndpointDefinition {
  id: string;
  name: string;
  description: string;
  queryLanguage: 'bigquery';
  maxRows: number;
  cachingSeconds: number;
  /** 0 if results are never warmed. */
  cacheWarmingSeconds: number;
  jobTimeoutSeconds?: number;
  /** True if a key must list the name: `*` does not open the endpoint. */
  mustBeNamed?: boolean;
  /** Of one job. Absent for the setting of the service, which is the bound in any case. */
  maxBytesBilled?: number;
  sandboxed: false;
  /** The query of a batch is `warm.sql`, or derived from `query.sql` (scripts/check/warming/derive-batch.ts). */
  warming?: WarmingDefinition;
  parameters: Record<string, ParameterDefinition>;
  row: Record<string, ColumnDefinition>;
  bucket?: BucketDefinition;
}

/** A definition with its queries: what is compiled from a folder of `sql/endpoints`. */
export interface EndpointContent extends EndpointDefinition {
  /** One self-contained BigQuery job: the routines that the query calls, then the query. */
  sql: string;
  /** The zone in which the query counts days; absent if it is not known, or not one (scripts/compile/query-zone.ts). */
  timeZone?: string;
  /** `sql` is the job of a batch: for each key it returns the rows of the query, after `key`. */
  warming?: WarmingDefinition & { sql: string };
  /** The `pattern` of each parameter that has one, as RE2 runs it (scripts/compile/linear-pattern.ts). */
  patterns: Record<string, string>;
  /** Absent if the answer may change although its tables do not (scripts/check/depends-on.ts). */
  dependsOn?: Dependencies | undefined;
  /** Present if the batch reads only what has changed (scripts/check/warming/incremental.ts). */
  incremental?: IncrementalSources | undefined;
  /** SHA-256 over what determines the bytes of a result; part of the cache key (scripts/compile/inspect-endpoint.ts). */
  resultDigest: string;
  /** SHA-256 over the definition and the queries, for caches of anything derived from a definition. */
  definitionDigest: string;
}

/** An endpoint, ready to serve. */
export interface Endpoint extends EndpointContent {
  /** How the values of each parameter are read; in the order of `parameters`. */
  rules: ReadonlyMap<string, ParameterRule>;
}

/** A parameter as `endpoint.json` declares it, with its name. */
export interface ParameterDescription extends ParameterDefinition {
  name: string;
  type: ParameterType;
  /** The only values that this key may request (for an ARRAY, elements); absent if any value is allowed. */
  allowedValues?: string[];
}

export interface ColumnDescription extends ColumnDefinition {
  name: string;
}

/** How old rows may become, and after how long warming computes them again. */
export type Ages = Pick<EndpointDefinition, 'cachingSeconds' | 'cacheWarmingSeconds'>;

type OfDefinition = 'id' | 'name' | 'description' | 'maxRows' | 'bucket' | 'timeZone' | keyof Ages;

/** What runs of the query cost, in US$ at the setting PRICE_PER_TIB. */
export interface EndpointCost {
  /** A run for which more would be billed fails: the bound of the endpoint, or of the service. */
  maxBytesBilled: number;
  maxUsd: number;
  /** The last run that the instance knows of; absent if it knows of none. */
  lastRun?: { at: string; seconds: number; bytesProcessed: number; usd: number };
}

/** One endpoint of `GET /api/endpoints`; parameters and columns are in the order of the definition. */
export interface EndpointDescription extends Pick<EndpointContent, OfDefinition> {
  /** The path of its rows, relative to the service. */
  path: string;
  parameters: ParameterDescription[];
  row: ColumnDescription[];
  /** Only in the catalogue. */
  cost?: EndpointCost;
}

/** The time between two runs of warming: the schedule of infra/defaults.json. */
export const RUN_SECONDS = 300;

/** Whether results that are read are refreshed before they expire. */
export function isWarmed(endpoint: Pick<EndpointDefinition, 'cacheWarmingSeconds'>): boolean {
  return endpoint.cacheWarmingSeconds > 0;
}

/** How long a job of the endpoint may run: rows that are older than `cachingSeconds` could never be served. */
export function jobSecondsOf(
  endpoint: Pick<EndpointDefinition, 'cachingSeconds' | 'jobTimeoutSeconds'>,
  jobTimeoutSeconds: number,
): number {
  const { cachingSeconds, jobTimeoutSeconds: ofEndpoint = Infinity } = endpoint;
  return Math.min(jobTimeoutSeconds, ofEndpoint, cachingSeconds);
}

/** The columns of `query.sql`, in output order. */
export function columnsOf({ row }: Pick<EndpointDefinition, 'row'>): ColumnSchema[] {
  return Object.entries(row).map(([name, { type, mode }]) => ({ name, type, mode }));
}

export function typesOf({ parameters }: Pick<EndpointDefinition, 'parameters'>) {
  const types = Object.entries(parameters).map(
    ([name, { type = 'STRING' }]) => [name, type] as const,
  );
  return Object.fromEntries<ParameterType>(types);
}

/** The part of an endpoint's name before its dot. */
export function groupOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}
