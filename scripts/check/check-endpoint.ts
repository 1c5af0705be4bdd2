// Checks endpoints, one or all: the definition, and with GoogleSQL the statements, tables, parameters and columns.
import { basename, join } from 'node:path';
import { scanNames } from '../compile/inspect-endpoint.ts';
import type {
  InspectedEndpoint,
  InspectedQueries,
  InspectedQuery,
} from '../compile/inspect-endpoint.ts';
import {
  type Endpoint,
  type EndpointDefinition,
  typesOf,
} from '../../functions/endpoints/endpoint.ts';
import { inFile } from '../compile/routines.ts';
import { parameterType } from '../../functions/google/query-configuration.ts';
import { GoogleSqlError } from '../local-bigquery/index.ts';
import type { GoogleSql, QueryParameterType, PartitionedTable } from '../local-bigquery/index.ts';
import { analyseQuery, errorOf } from './analysed-query.ts';
import type { AnalysedQueries, AnalysedQuery } from './analysed-query.ts';
import { compareColumns } from './compare-columns.ts';
import type { CatalogueFault, DefinitionFault } from '../faults/definition-fault.ts';
import { locateFaults, locatedError } from '../faults/json-document.ts';
import { DependsOnMore, dependsOn } from './depends-on.ts';
import { incrementalSources } from './incremental.ts';
import { faultOfSql, faultOfStatements, faultsOfAnalysis, statementsOf } from './query-faults.ts';
import { isName, isSymbol, isWord, nameOf, tokens } from '../lexer/sql-tokens.ts';
import { callArguments } from '../lexer/brackets.ts';
import { type Catalogue, createCatalogue } from '../../functions/endpoints/catalogue.ts';
import { inspectCatalogue } from '../compile/inspect-catalogue.ts';
import { inspectSources } from '../sources/read-sources.ts';

/** The first column of `warm.sql`, and the first field of the STRUCTs in `@keys`. */
const KEY = 'key';
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
  /** The queries that are valid SQL. */
  queries: AnalysedQueries;
  /** Why it runs again although its tables are unchanged; undefined if it does not, or has a fault. */
  runsAgain?: DefinitionFault | undefined;
}

/** Runs all checks of an endpoint, even after a fault. */
export async function checkEndpoint(
  engine: GoogleSql,
  tables: readonly PartitionedTable[],
  { definitionFile, endpoint, queries, faults }: InspectedEndpoint,
): Promise<CheckedEndpoint> {
  const all = [...faults];
  const analysed = new Map<string, AnalysedQuery | GoogleSqlError>();
  const inspected = queries === undefined ? [] : checkedQueries(queries);
  for (const query of inspected) {
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
  const query = analysed.get('query.sql');
  if (endpoint === undefined || query === undefined || all.length > 0) {
    return { endpoint: undefined, faults: locateFaults(all), queries: analysed };
  }
  const { incremental, faults: unsound } = incrementalSources(endpoint, inspected, analysed);
  if (unsound.length > 0) {
    return { endpoint: undefined, faults: locateFaults(unsound), queries: analysed };
  }
  const checked = { faults: [], queries: analysed };
  try {
    const queried = dependsOn(inspected, analysed);
    return { ...checked, endpoint: { ...endpoint, incremental, dependsOn: queried } };
  } catch (error) {
    if (!(error instanceof DependsOnMore)) throw error;
    const [runsAgain] = locateFaults([error.fault]);
    return { ...checked, endpoint: { ...endpoint, incremental }, runsAgain };
  }
}

function checkedQueries({ query, warming, definition }: InspectedQueries): CheckedQuery[] {
  const types = Object.entries(definition === undefined ? {} : typesOf(definition));
  const known = types.map(([name, type]) => [name, parameterType(type)] as const);
  const own = query && { ...query, parameters: Object.fromEntries(known), isBatch: false };
  if (!warming || !definition) return [own ?? []].flat();
  const { batchOver } = warming;
  // The type of @keys cannot be inferred.
  const ofKeys = new Map(known);
  const structTypes = [KEY, ...batchOver].map((name) => {
    return { name, type: ofKeys.get(name) ?? parameterType('STRING') };
  });
  const keys = { type: 'ARRAY', arrayType: { type: 'STRUCT', structTypes } };
  const shared = known.filter(([name]) => !batchOver.includes(name));
  const scan = Object.fromEntries(
    scanNames(definition).map((name) => [name, { type: 'TIMESTAMP' }]),
  );
  const parameters = { ...Object.fromEntries(shared), ...scan, keys };
  return [own ?? [], { ...warming, parameters, isBatch: true }].flat();
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
