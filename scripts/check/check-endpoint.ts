// Checks endpoints, one or all: the definition, and with GoogleSQL the statements, tables, parameters and columns.
import { basename, join } from 'node:path';
import {
  INCREMENTAL_DEFAULTS,
  batchText,
  scanNames,
  warmingOf,
} from '../compile/inspect-endpoint.ts';
import type {
  InspectedEndpoint,
  InspectedQueries,
  InspectedQuery,
} from '../compile/inspect-endpoint.ts';
import {
  type Endpoint,
  type EndpointDefinition,
  type WarmingDefinition,
  typesOf,
} from '../../functions/endpoints/endpoint.ts';
import { inFile, joinParts, partOf } from '../compile/routines.ts';
import { parameterType } from '../../functions/bigquery/query-configuration.ts';
import { GoogleSqlError } from '../local-bigquery/index.ts';
import type { GoogleSql, QueryParameterType, PartitionedTable } from '../local-bigquery/index.ts';
import { analyseQuery, errorOf } from './analysed-query.ts';
import type { AnalysedQueries, AnalysedQuery } from './analysed-query.ts';
import { compareColumns } from './compare-columns.ts';
import type { CatalogueFault, DefinitionFault } from '../faults/definition-fault.ts';
import { locateFaults, locatedError } from '../faults/json-document.ts';
import { DependsOnMore, dependsOn } from './depends-on.ts';
import { Underivable, deriveBatch } from './derive-batch.ts';
import { incrementalSources } from './incremental.ts';
import { unboundTable } from './partitioned-scans.ts';
import { faultOfSql, faultOfStatements, faultsOfAnalysis, statementsOf } from './query-faults.ts';
import { isName, isSymbol, isWord, nameOf, tokens } from '../lexer/sql-tokens.ts';
import { callArguments } from '../lexer/brackets.ts';
import { type Catalogue, createCatalogue } from '../../functions/endpoints/catalogue.ts';
import { inspectCatalogue } from '../compile/inspect-catalogue.ts';
import { inspectSources } from '../sources/read-sources.ts';

/** The first column of `warm.sql`, and the first field of the STRUCTs in `@keys`. */
const KEY = 'key';
const KEY_ARRAY = 'keys';
const ORDER_OF_KEYS =
  'must return all rows of a key together: end it with ORDER BY key, then the order of query.sql';
const LIMIT_OF_ALL =
  'LIMIT cuts the rows of all keys together: write QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY …) <= n';

interface CheckedQuery extends InspectedQuery {
  /** None if the definition has a fault: then they are inferred. */
  parameters: Record<string, QueryParameterType>;
  /** Whether the first column is `key`. */
  isBatch: boolean;
}

export interface CheckedEndpoint {
  /** Ready to serve; undefined if there is a fault. */
  endpoint: Endpoint | undefined;
  /** Includes the faults of its inspection; empty if it can be served and warmed. */
  faults: DefinitionFault[];
  /** The queries that are valid SQL; a derived batch has the name `warm.sql`. */
  queries: AnalysedQueries;
  /** Why it runs again although its tables are unchanged; undefined if it does not, or has a fault. */
  runsAgain?: DefinitionFault | undefined;
  /** The query of a batch, if there are batches and no fault. */
  batch?: Batch | undefined;
}

export interface Batch {
  query: InspectedQuery;
  isDerived: boolean;
  /** Why a derived batch reads all rows in each run. */
  whole?: Underivable | undefined;
}

/** Runs all checks of an endpoint, even after a fault. */
export async function checkEndpoint(
  engine: GoogleSql,
  tables: readonly PartitionedTable[],
  { definitionFile, endpoint: inspected, queries, faults }: InspectedEndpoint,
): Promise<CheckedEndpoint> {
  const all = [...faults];
  const analysed = new Map<string, AnalysedQuery | GoogleSqlError>();
  const checked = queries === undefined ? [] : checkedQueries(queries);
  for (const query of checked) {
    try {
      const found = await analyseQuery(engine, tables, query.sql, query.parameters);
      analysed.set(basename(query.file), found);
      all.push(...(await faultyPatterns(engine, query)));
      if (!(found instanceof GoogleSqlError)) {
        all.push(...faultsOfQuery(found, query, queries?.definition?.row, definitionFile));
        continue;
      }
      // A feature that the engine lacks is not a fault of the query; a second statement is.
      const fault = faultOfStatements('SCRIPT', query);
      if (fault !== undefined) all.push(fault);
    } catch (error) {
      if (!(error instanceof GoogleSqlError)) throw error;
      all.push(faultOfSql(error, query, tables));
    }
  }
  const fail = (found: readonly CatalogueFault[]): CheckedEndpoint => {
    return { endpoint: undefined, faults: locateFaults(found), queries: analysed };
  };
  const [query, written] = checked;
  const definition = queries?.definition;
  const main = analysed.get('query.sql');
  if (!inspected || !query || !definition || !main || all.length > 0) return fail(all);
  let endpoint = inspected;
  let batch: Batch | undefined = written && { query: written, isDerived: false };
  const warming = warmingOf(definition);
  if (warming !== undefined && written === undefined) {
    try {
      const context = { engine, tables, definition, definitionFile, warming };
      const derived = await derivedBatch(context, inspected, query, main);
      endpoint = derived.endpoint;
      batch = derived;
      analysed.set('warm.sql', derived.analysed);
    } catch (error) {
      if (!(error instanceof Underivable)) throw error;
      const message = `no batch can be derived from query.sql: ${error.message}; write warm.sql, or remove warming`;
      return fail([{ file: definitionFile, pointer: '/warming', message }]);
    }
    if (batch.whole !== undefined && warming.incremental !== undefined) {
      const message = `warming.incremental: only what has changed cannot be read: ${batch.whole.message}`;
      return fail([{ file: definitionFile, pointer: '/warming/incremental', message }]);
    }
  }
  const both = [query, batch?.query ?? []].flat();
  const { incremental, faults: unsound } = incrementalSources(endpoint, both, analysed);
  if (unsound.length > 0) return fail(unsound);
  const sound = { faults: [], queries: analysed, batch };
  try {
    const queried = dependsOn(both, analysed);
    return { ...sound, endpoint: { ...endpoint, incremental, dependsOn: queried } };
  } catch (error) {
    if (!(error instanceof DependsOnMore)) throw error;
    const [runsAgain] = locateFaults([error.fault]);
    return { ...sound, endpoint: { ...endpoint, incremental }, runsAgain };
  }
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
async function derivedBatch(
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
    const analysed = await analyseQuery(engine, tables, sql, parameters).catch((error: unknown) =>
      GoogleSqlError.from(error),
    );
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
    const [fault] = [
      ...faultsOfQuery(analysed, { ...batch, parameters }, definition.row, definitionFile),
      ...incrementalSources(served, [query, batch], all).faults,
    ];
    if (fault === undefined) return { query: batch, analysed, endpoint: served, isDerived: true };
    throw new Underivable(fault.message.replace(/^warming\.incremental:? /, 'the query '));
  };
  const { whole, changed } = deriveBatch(endpoint, batchOver, query, main);
  try {
    if (changed instanceof Underivable) throw changed;
    return await batchOf(changed, { ...withoutIt, incremental });
  } catch (error) {
    if (!(error instanceof Underivable)) throw error;
    return { ...(await batchOf(whole, withoutIt)), whole: error };
  }
}

function checkedQueries({ query, warming, definition }: InspectedQueries): CheckedQuery[] {
  const parameters = definition === undefined ? {} : parametersOf(definition);
  const own = query && { ...query, parameters, isBatch: false };
  if (!warming || !definition) return [own ?? []].flat();
  const ofBatch = batchParameters(definition);
  return [own ?? [], { ...warming, parameters: ofBatch, isBatch: true }].flat();
}

function parametersOf(definition: EndpointDefinition): Record<string, QueryParameterType> {
  const types = Object.entries(typesOf(definition));
  return Object.fromEntries(types.map(([name, type]) => [name, parameterType(type)]));
}

/** The parameters that are bound for a batch. */
function batchParameters(definition: EndpointDefinition): Record<string, QueryParameterType> {
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

function faultsOfQuery(
  analysed: AnalysedQuery,
  query: CheckedQuery,
  row: EndpointDefinition['row'] | undefined,
  definitionFile: string,
): CatalogueFault[] {
  const { analysis } = analysed;
  const { file, sql } = query;
  const faults = faultsOfAnalysis(analysed, query);
  if (analysis.statementKind !== 'SELECT') return faults;
  let returned = analysis.columns;
  if (query.isBatch) {
    const [first] = returned;
    const start = statementsOf(sql).at(-1)?.start ?? 0;
    if (first?.name !== KEY || first.type !== 'STRING') {
      const message = 'must return key, a STRING, as its first column';
      faults.push({ ...inFile(query, start), message });
    } else if (!analysis.order.isByFirstColumn || analysis.order.hasLimit) {
      const [word, message] = analysis.order.hasLimit
        ? ['LIMIT', LIMIT_OF_ALL]
        : ['ORDER', ORDER_OF_KEYS];
      const clause = tokens(sql).findLast((token) => token.depth === 0 && isWord(token, word));
      faults.push({ ...inFile(query, Math.max(start, clause?.start ?? 0)), message });
    }
    returned = returned.filter(({ name }) => name !== KEY);
  }
  const names = analysis.columns.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    const [, second] = tokens(sql).filter(
      (token, at, all) => isName(token) && nameOf(token) === twice && !isSymbol(all[at + 1], '('),
    );
    const message = `returns two columns named ${twice}: rename one with AS`;
    faults.push({ ...inFile(query, second?.start ?? 0), message });
  }
  const ofRow = row === undefined ? [] : compareColumns(basename(file), row, returned);
  return [...faults, ...ofRow.map((fault) => ({ file: definitionFile, ...fault }))];
}

/** One fault for each pattern, in the order of the text. */
async function faultyPatterns(engine: GoogleSql, query: InspectedQuery): Promise<CatalogueFault[]> {
  const all = tokens(query.sql);
  const literals = all.flatMap(({ kind, text }, index) => {
    if (kind !== 'word' || !/^regexp_/i.test(text) || !isSymbol(all[index + 1], '(')) return [];
    const pattern = callArguments(all, index + 1)?.list[1] ?? [];
    return pattern.length === 1 && pattern[0]?.kind === 'string' ? pattern : [];
  });
  const faults: CatalogueFault[] = [];
  for (const literal of literals) {
    const searched = /^r?b/i.test(literal.text) ? "b''" : "''";
    const error = await errorOf(engine, `SELECT REGEXP_CONTAINS(${searched}, ${literal.text})`);
    if (error?.kind !== 'runtime') continue;
    const message = error.message.replace(/ at \[\d+:\d+\]$/, '');
    faults.push({ ...inFile(query, literal.start), message });
  }
  return faults;
}

/** Throws one Error with all faults. */
export async function checkCatalogue(engine: GoogleSql, sqlDirectory: string): Promise<Catalogue> {
  const { endpoints, faults } = inspectCatalogue(sqlDirectory);
  const inspected = inspectSources(join(sqlDirectory, 'sources'));
  // Queries may read no table.
  const ofTables = await inspected.catch(() => ({ sources: [], faults: [] }));
  const checked: CheckedEndpoint[] = [];
  for (const each of endpoints) checked.push(await checkEndpoint(engine, ofTables.sources, each));
  const all = [...ofTables.faults, ...faults, ...checked.flatMap((each) => each.faults)];
  if (all.length > 0) throw locatedError(all);
  return createCatalogue(checked.flatMap(({ endpoint }) => endpoint ?? []));
}
