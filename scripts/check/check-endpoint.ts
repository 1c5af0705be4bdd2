// Checks endpoints, one or all: the definition, and with GoogleSQL the statements, tables, parameters and columns.
import { basename, join } from 'node:path';
import { warmingOf } from '../compile/inspect-endpoint.ts';
import type {
  InspectedEndpoint,
  InspectedQueries,
  InspectedQuery,
} from '../compile/inspect-endpoint.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { inFile } from '../compile/routines.ts';
import { GoogleSqlError } from '../local-bigquery/index.ts';
import type { GoogleSql, PartitionedTable } from '../local-bigquery/index.ts';
import { analyseQuery, errorOf } from './analysed-query.ts';
import type { AnalysedQueries, AnalysedQuery } from './analysed-query.ts';
import type { CatalogueFault, DefinitionFault } from '../faults/definition-fault.ts';
import { locateFaults, locatedError } from '../faults/json-document.ts';
import { DependsOnMore, dependsOn } from './depends-on.ts';
import { type Batch, batchParameters, derivedBatch } from './warming/choose-batch.ts';
import { orUnderivable, parametersOf } from './warming/choose-batch.ts';
import { Underivable } from './warming/derive-batch.ts';
import { incrementalSources } from './warming/incremental.ts';
import { faultOfSql, faultOfStatements, faultsOfQuery } from './query-faults.ts';
import type { CheckedQuery } from './query-faults.ts';
import { isSymbol, tokens } from '../lexer/sql-tokens.ts';
import { callArguments } from '../lexer/brackets.ts';
import { type Catalogue, createCatalogue } from '../../functions/endpoints/catalogue.ts';
import { inspectCatalogue } from '../compile/inspect-catalogue.ts';
import { inspectSources } from '../sources/read-sources.ts';

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

/** One without a fault. */
export interface ServedEndpoint extends Pick<CheckedEndpoint, 'queries' | 'batch'> {
  endpoint: Endpoint;
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
      const outcome = await analyseQuery(engine, tables, query.sql, query.parameters);
      analysed.set(basename(query.file), outcome);
      all.push(...(await faultyPatterns(engine, query)));
      if (!(outcome instanceof GoogleSqlError)) {
        all.push(...faultsOfQuery(outcome, query, queries?.definition?.row, definitionFile));
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
  const fail = (reasons: readonly CatalogueFault[]): CheckedEndpoint => {
    return { endpoint: undefined, faults: locateFaults(reasons), queries: analysed };
  };
  const [query, written] = checked;
  const definition = queries?.definition;
  const main = analysed.get('query.sql');
  if (!inspected || !query || !definition || !main || all.length > 0) return fail(all);
  const warming = warmingOf(definition);
  const isDerived = warming !== undefined && written === undefined;
  const context = { engine, tables, definition, definitionFile };
  const derived = isDerived
    ? await derivedBatch({ ...context, warming }, inspected, query, main).catch(orUnderivable)
    : undefined;
  if (derived instanceof Underivable) {
    const message = `no batch can be derived from query.sql: ${derived.message}; write warm.sql, or remove warming`;
    return fail([{ file: definitionFile, pointer: '/warming', message }]);
  }
  if (derived?.whole !== undefined && warming?.incremental !== undefined) {
    const message = `warming.incremental: only what has changed cannot be read: ${derived.whole.message}`;
    return fail([{ file: definitionFile, pointer: '/warming/incremental', message }]);
  }
  if (derived !== undefined) analysed.set('warm.sql', derived.analysed);
  const batch: Batch | undefined = derived ?? (written && { query: written, isDerived });
  const endpoint = derived?.endpoint ?? inspected;
  const both = [query, batch?.query ?? []].flat();
  const proof = derived?.proof ?? incrementalSources(endpoint, both, analysed);
  const { incremental, faults: unsound } = proof;
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

function checkedQueries({ query, warming, definition }: InspectedQueries): CheckedQuery[] {
  const parameters = definition === undefined ? {} : parametersOf(definition);
  const own = query && { ...query, parameters, isBatch: false };
  if (!warming || !definition) return [own ?? []].flat();
  const ofBatch = batchParameters(definition);
  return [own ?? [], { ...warming, parameters: ofBatch, isBatch: true }].flat();
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
