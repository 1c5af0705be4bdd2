// The types of the answer to `GET /api/endpoints`: an endpoint as callers see it.
import type { ParameterType } from '../core/parameter-type.ts';
import type { ColumnDefinition, EndpointContent } from './endpoint.ts';
import type { ParameterDefinition } from './parameter-rule.ts';

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

type OfDefinition =
  | 'id'
  | 'name'
  | 'description'
  | 'maxRows'
  | 'cachingSeconds'
  | 'cacheWarmingSeconds'
  | 'bucket'
  | 'timeZone';

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
