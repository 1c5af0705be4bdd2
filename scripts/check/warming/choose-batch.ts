// Derives the batch of an endpoint from query.sql: one that reads only what has changed, if that is sound.
import { INCREMENTAL_DEFAULTS, batchText, scanNames } from '../../compile/inspect-endpoint.ts';
import type { InspectedQuery } from '../../compile/inspect-endpoint.ts';
import { joinParts, partOf } from '../../compile/routines.ts';
import { parameterType } from '../../../functions/bigquery/query-configuration.ts';
import { typesOf } from '../../../functions/endpoints/endpoint.ts';
import type {
  Endpoint,
  EndpointDefinition,
  WarmingDefinition,
} from '../../../functions/endpoints/endpoint.ts';
import { GoogleSqlError } from '../../local-bigquery/index.ts';
import type {
  GoogleSql,
  PartitionedTable,
  QueryParameterType,
} from '../../local-bigquery/index.ts';
import { type AnalysedQuery, analyseQuery } from '../analysed-query.ts';
import { KEY, faultsOfQuery } from '../query-faults.ts';
import { Underivable, deriveBatch } from './derive-batch.ts';
import { incrementalSources } from './incremental.ts';
import { unboundTable } from './partitioned-scans.ts';

export interface Batch {
  query: InspectedQuery;
  isDerived: boolean;
  /** Why a derived batch reads all rows in each run. */
  whole?: Underivable | undefined;
}

export function orUnderivable(error: unknown): Underivable {
  if (error instanceof Underivable) return error;
  throw error;
}

interface Context {
  engine: GoogleSql;
  tables: readonly PartitionedTable[];
  definition: EndpointDefinition;
  definitionFile: string;
  /** With all defaults. */
  warming: WarmingDefinition;
}

/** The endpoint with its batch: if that is sound, with one that reads only what has changed. Throws `Underivable`. */
export async function derivedBatch(
  { engine, tables, definition, definitionFile, warming }: Context,
  endpoint: Endpoint,
  query: InspectedQuery,
  main: AnalysedQuery | GoogleSqlError,
) {
  const { incremental = INCREMENTAL_DEFAULTS, ...withoutIt } = warming;
  const { batchOver } = warming;
  if (main instanceof GoogleSqlError) throw new Underivable(main.message);
  const batchOf = async (derived: string, terms: WarmingDefinition) => {
    const file = query.file.replace(/query\.sql$/, 'warm.sql');
    const parts = [...query.parts.slice(0, -1), partOf(file, derived)];
    const sql = joinParts(parts);
    const batch = { file, sql, parts, isBatch: true };
    const parameters = batchParameters({ ...definition, warming: terms });
    const asked = analyseQuery(engine, tables, sql, parameters);
    const analysed = await asked.catch((error: unknown) => GoogleSqlError.from(error));
    if (analysed instanceof GoogleSqlError) {
      const reason = analysed.message.replace(/ at \[\d+:\d+\]$/, '');
      throw new Underivable(`the batch would be no valid query: ${reason}`);
    }
    const unbound = unboundTable(analysed, main);
    if (unbound !== undefined) {
      const remedy = 'bound them also by what is the same for all keys';
      throw new Underivable(`the batch would read all partitions of ${unbound}: ${remedy}`);
    }
    const served = { ...endpoint, warming: { ...terms, sql: batchText(endpoint, batchOver, sql) } };
    const all = new Map([
      ['query.sql', main],
      ['warm.sql', analysed],
    ] as const);
    const proof = incrementalSources(served, [query, batch], all);
    const [fault] = [
      ...faultsOfQuery(analysed, { ...batch, parameters }, definition.row, definitionFile),
      ...proof.faults,
    ];
    if (fault === undefined) {
      return { query: batch, analysed, endpoint: served, isDerived: true, proof };
    }
    throw new Underivable(fault.message.replace(/^warming\.incremental:? /, 'the query '));
  };
  const { whole, changed } = deriveBatch(endpoint, batchOver, query, main);
  const ofChanges =
    changed instanceof Underivable
      ? changed
      : await batchOf(changed, { ...withoutIt, incremental }).catch(orUnderivable);
  if (!(ofChanges instanceof Underivable)) return { ...ofChanges, whole: undefined };
  return { ...(await batchOf(whole, withoutIt)), whole: ofChanges };
}

const KEY_ARRAY = 'keys';

export function parametersOf(definition: EndpointDefinition): Record<string, QueryParameterType> {
  const types = Object.entries(typesOf(definition));
  return Object.fromEntries(types.map(([name, type]) => [name, parameterType(type)]));
}

/** The parameters that are bound for a batch. */
export function batchParameters(
  definition: EndpointDefinition,
): Record<string, QueryParameterType> {
  const { batchOver = [] } = definition.warming ?? {};
  const known = parametersOf(definition);
  // The type of @keys cannot be inferred.
  const structTypes = [KEY, ...batchOver].map((name) => {
    return { name, type: known[name] ?? parameterType('STRING') };
  });
  const keys = { type: 'ARRAY', arrayType: { type: 'STRUCT', structTypes } };
  const shared = Object.entries(known).filter(([name]) => !batchOver.includes(name));
  const scan = scanNames(definition).map((name) => [name, { type: 'TIMESTAMP' }] as const);
  return Object.fromEntries<QueryParameterType>([...shared, ...scan, [KEY_ARRAY, keys]]);
}
