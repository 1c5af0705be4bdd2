// Computes the cache key of a result: a hash of everything that decides its bytes.
import { sha256Hex } from '../core/bytes.ts';
import type { Uses } from '../core/services.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import { type SourcePlaces, datasetPath } from './source-state.ts';

export type Definition = Pick<Endpoint, 'id' | 'resultDigest' | 'parameters' | 'sql' | 'warming'>;

/** Identifies the tables of a deployment: the same query on other tables has other rows. */
export type Scope = SourcePlaces & Uses<'location'>;

/**
 * The inputs of a result, in one text: the same for the same result, by id and by name. Rows of another query, or of other
 * tables, are never served. What the compiler knows of a definition is in `resultDigest` (scripts/compile/inspect-endpoint.ts);
 * what a deployment decides is in `scope`. Other settings may make a query fail, and change no byte of its result.
 */
export function resultIdentity(
  scope: Scope,
  endpoint: Definition,
  parameters: CanonicalParameters,
): string {
  const { id, resultDigest } = endpoint;
  const names = Object.keys(endpoint.parameters).sort();
  const values = names.map((name) => [name, parameters[name] ?? null]);
  const tables = [datasetPath(scope), scope.location, tablesBehind(scope, endpoint)];
  return JSON.stringify([...tables, id, resultDigest, values]);
}

/** The tables behind views whose names are in the queries: in a text, a name may also be that of something else. */
function tablesBehind({ sourceTables }: Scope, { sql, warming }: Definition): string[][] {
  if (sourceTables.size === 0) return [];
  const text = `${sql} ${warming?.sql ?? ''}`;
  // A name in back quotes may be written with escapes.
  const hasEscapes = /`[^`\n]*\\/.test(text);
  return [...sourceTables].filter(([name]) => hasEscapes || text.includes(name)).sort();
}

/** The cache key of a result, which is the name of its documents. */
export function cacheKey(...parts: Parameters<typeof resultIdentity>): string {
  return sha256Hex(resultIdentity(...parts));
}
