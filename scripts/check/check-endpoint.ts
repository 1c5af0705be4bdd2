// Checks endpoints, one or all: the definition, and with GoogleSQL the statements, tables, parameters and columns.
import { basename, join } from 'node:path';
import { scanNames } from '../compile/inspect-endpoint.ts';
import type {
  InspectedEndpoint,
  InspectedQueries,
  InspectedQuery,
} from '../compile/inspect-endpoint.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { inFile } from '../compile/routines.ts';
import { parameterType } from '../../functions/google/query-configuration.ts';
import { GoogleSqlError, missingFilter, readsAllShards } from '../local-bigquery/index.ts';
import type {
  GoogleSql,
  QueryParameterType,
  PartitionedTable,
  TableReference,
} from '../local-bigquery/index.ts';
import { analyseQuery, probeOf, errorOf } from './analysed-query.ts';
import type { AnalysedQueries, AnalysedQuery } from './analysed-query.ts';
import { compareColumns } from './compare-columns.ts';
import type { CatalogueFault, DefinitionFault } from '../faults/definition-fault.ts';
import { locateFaults, locatedError } from '../faults/json-document.ts';
import { DependsOnMore, dependsOn } from './depends-on.ts';
import { incrementalSources } from './incremental.ts';
import { windowFaults } from './scan-windows.ts';
import { missingTable } from './remedies/missing-table.ts';
import { withRemedy } from './remedies/sql-remedy.ts';
import { type Token, isName, isSymbol, isWord, nameOf, tokens } from '../lexer/sql-tokens.ts';
import { offsetOfGoogleSql } from '../faults/text-place.ts';
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
  /** The parameters whose types are known: faults of the others are reported already. */
  parameters: Record<string, QueryParameterType>;
  /** Whether the first column is `key`. */
  isBatch: boolean;
}

export interface CheckedEndpoint {
  /** Ready to serve, with its probe; undefined if there is a fault. */
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
        all.push(...faultsOfQuery(found, query, queries?.row ?? {}, definitionFile));
        continue;
      }
      // A feature that the engine lacks is not a fault of the query; a second statement is.
      const fault = faultOfStatements('SCRIPT', query);
      if (fault !== undefined) all.push(fault);
    } catch (error) {
      if (!(error instanceof GoogleSqlError)) throw error;
      const fault = faultOfSql(error, query);
      all.push({ ...fault, message: missingTable(fault.message, tables) ?? fault.message });
    }
  }
  const query = analysed.get('query.sql');
  if (endpoint === undefined || query === undefined || all.length > 0) {
    return { endpoint: undefined, faults: locateFaults(all), queries: analysed };
  }
  const { incremental, faults: unsound } = incrementalSources(endpoint, inspected, analysed);
  if (incremental && unsound.length === 0) {
    unsound.push(
      ...(await windowFaults(engine, { ...endpoint, incremental }, inspected, analysed)),
    );
  }
  if (unsound.length > 0) {
    return { endpoint: undefined, faults: locateFaults(unsound), queries: analysed };
  }
  const probe = 'analysis' in query ? await probeOf(engine, endpoint, query.analysis) : undefined;
  const checked = { faults: [], queries: analysed };
  try {
    const queried = dependsOn(inspected, analysed);
    return { ...checked, endpoint: { ...endpoint, probe, incremental, dependsOn: queried } };
  } catch (error) {
    if (!(error instanceof DependsOnMore)) throw error;
    const [runsAgain] = locateFaults([error.fault]);
    return { ...checked, endpoint: { ...endpoint, probe, incremental }, runsAgain };
  }
}

function checkedQueries({ query, warming, types, bucket }: InspectedQueries): CheckedQuery[] {
  const known = [...types].flatMap(([name, type]) =>
    type === undefined ? [] : [[name, parameterType(type)] as const],
  );
  const own = query && { ...query, parameters: Object.fromEntries(known), isBatch: false };
  // The type of @keys cannot be inferred.
  const isUnknown = (name: string): boolean => types.has(name) && types.get(name) === undefined;
  if (!warming || warming.batchOver.some(isUnknown)) return [own ?? []].flat();
  const { batchOver } = warming;
  const structTypes = [KEY, ...batchOver].map((name) => {
    return { name, type: parameterType(types.get(name) ?? 'STRING') };
  });
  const keys = { type: 'ARRAY', arrayType: { type: 'STRUCT', structTypes } };
  const shared = known.filter(([name]) => !batchOver.includes(name));
  const times = scanNames({ warming, bucket });
  const scan = Object.fromEntries(times.map((name) => [name, { type: 'TIMESTAMP' }]));
  const parameters = { ...Object.fromEntries(shared), ...scan, keys };
  return [own ?? [], { ...warming, parameters, isBatch: true }].flat();
}

function faultsOfQuery(
  analysed: AnalysedQuery,
  query: CheckedQuery,
  row: InspectedQueries['row'],
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
  const ofRow = compareColumns(basename(file), row, returned);
  return [...faults, ...ofRow.map((fault) => ({ file: definitionFile, ...fault }))];
}

/** The faults of a query that is valid SQL: its statements, else missing filters. */
export function faultsOfAnalysis(
  { analysis, references }: Pick<AnalysedQuery, 'analysis' | 'references'>,
  query: InspectedQuery & Partial<Pick<CheckedQuery, 'parameters'>>,
): CatalogueFault[] {
  const ofStatements = faultOfStatements(analysis.statementKind, query);
  if (ofStatements !== undefined) return [ofStatements];
  return references.flatMap((reference) => {
    const place = inFile(query, reference.scan.offset);
    const unfiltered = missingFilter(reference, reference.scan.table);
    if (unfiltered !== undefined) {
      return [{ ...place, message: unfiltered + boundPartitions(reference, query) }];
    }
    const format = `'${reference.table.source.definition?.shards?.format}'`;
    const message = `reads all shards of ${reference.table.fullName}: table.json requires a filter on _TABLE_SUFFIX by constants or parameters, such as _TABLE_SUFFIX BETWEEN ${format} AND ${format}`;
    return readsAllShards(reference) ? [{ ...place, message }] : [];
  });
}

/** The last 30 days, by the type of a column or a parameter. */
const LAST_DAYS: Readonly<Record<string, string>> = {
  DATE: 'DATE_SUB(CURRENT_DATE(), INTERVAL 29 DAY)',
  DATETIME: 'DATETIME_SUB(CURRENT_DATETIME(), INTERVAL 30 DAY)',
  TIMESTAMP: 'TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY)',
};

/** How to bound the partitions: by the parameter that is tested for NULL, or else by the time. */
function boundPartitions(
  { table }: TableReference,
  { sql, parameters = {} }: Parameters<typeof faultsOfAnalysis>[1],
): string {
  const all = tokens(sql);
  const isTested = (name: string): boolean =>
    all.some(
      ({ text }, at) =>
        text === `@${name}` && isWord(all[at + 1], 'IS') && isWord(all[at + 2], 'NULL'),
    );
  const { fields, definition } = table.source;
  const column = definition?.partitioning?.field ?? '_PARTITIONTIME';
  const own = fields.find((one) => one.name === column)?.type ?? 'TIMESTAMP';
  const found = Object.entries(parameters).find(
    ([name, { type }]) => LAST_DAYS[type] && isTested(name),
  );
  if (found === undefined) return `: add ${column} >= ${LAST_DAYS[own]} for the last 30 days`;
  const [name, { type }] = found;
  const compared = own === type ? column : `${type}(${column})`;
  return `. A call without ${name} reads all partitions: write ${compared} >= COALESCE(@${name}, ${LAST_DAYS[type]}) for the last 30 days`;
}

/** `SCRIPT` for a query of unknown kind: only the number of its statements is checked. */
function faultOfStatements(statementKind: string, query: InspectedQuery) {
  if (statementKind === 'SELECT') return undefined;
  const statements = statementsOf(query.sql);
  const firstOwn = statements.findIndex(({ isFunction }) => !isFunction);
  const own = firstOwn === -1 ? statements.slice(-1) : statements.slice(firstOwn);
  const at = own[own.length > 1 ? 1 : 0]?.start ?? 0;
  if (own.length < 2 && statementKind === 'SCRIPT') return undefined;
  const message =
    own.length > 1
      ? `has ${own.length} statements, but must be one SELECT; the second begins here`
      : `must be one SELECT, but is ${statementKind.replaceAll('_', ' ')}`;
  return { ...inFile(query, at), message };
}

/** Namespaces of functions that BigQuery has itself. */
const BUILT_IN = 'AEAD AI DLP_KEY HLL_COUNT KEYS KLL_QUANTILES ML NET SAFE'.split(' ');

/** A statement that is not a query, by its words, without OR REPLACE. */
const STATEMENT =
  /^(?!SELECT\b|WITH\b|FROM\b)(?:(CREATE|DROP|ALTER|TRUNCATE|EXPORT|LOAD)\s+(?:OR\s+REPLACE\s+)?)?((?:(?:TEMP|TEMPORARY|MATERIALIZED|EXTERNAL|SNAPSHOT)\s+)?\w+)/i;

export function faultOfSql(
  { message, line, column }: GoogleSqlError,
  query: InspectedQuery,
): CatalogueFault {
  // For a function of any type, GoogleSQL reports the call and places in the function's body.
  const [call, , callLine, callColumn] =
    /^Invalid function (\S+) at \[(\d+):(\d+)\]/.exec(message) ?? [];
  const place =
    call === undefined ? { line, column } : { line: Number(callLine), column: Number(callColumn) };
  const text = message.replaceAll(/ at \[\d+:\d+\]/g, '');
  const offset = offsetOfGoogleSql(query.sql, { line: place.line ?? 1, column: place.column ?? 1 });
  const own = statementsOf(query.sql).filter(({ isFunction }) => !isFunction);
  const [{ start } = { start: 0 }] = own;
  const written = query.sql.slice(start);
  const [statement, ...words] = STATEMENT.exec(written) ?? [];
  // A word that begins no statement is mistyped.
  if (own.length > 0 && statement && !/^Syntax error: Unexpected identifier/.test(text)) {
    const named = words.join(' ').trim().replaceAll(/\s+/g, ' ').toUpperCase();
    const rest = /^CREATE .*TABLE$/.test(named) && /\bAS\b/i.test(written) ? ' AS SELECT' : '';
    return { ...inFile(query, start), message: `must be one SELECT, but is ${named}${rest}` };
  }
  if (own.length > 1) return faultOfStatements('SCRIPT', query) ?? { file: query.file, message };
  const [, persistent, namespace = ''] =
    /^Function not found: ((?:`?([\w-]+)`?\.)+[\w`]+)/.exec(text) ?? [];
  return {
    ...(place.line === undefined ? { file: query.file } : inFile(query, offset)),
    message:
      persistent === undefined || BUILT_IN.includes(namespace.toUpperCase())
        ? withRemedy(text, query.sql, offset)
        : `calls ${persistent}, a routine stored in a dataset: move its definition to a file in sql/routines, as a temporary function`,
  };
}

/** The statements in their order, and whether each creates a function; the text is valid GoogleSQL without BEGIN … END. */
function statementsOf(sql: string): { start: number; isFunction: boolean }[] {
  const statements: Token[][] = [[]];
  for (const token of tokens(sql)) {
    if (isSymbol(token, ';')) statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.flatMap((statement) => {
    const [first] = statement;
    if (first === undefined) return [];
    const open = statement.findIndex((token) => isSymbol(token, '('));
    const hasWord = statement.slice(0, open).some((token) => isWord(token, 'FUNCTION'));
    return [{ start: first.start, isFunction: isWord(first, 'CREATE') && hasWord }];
  });
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
  const { sources } = await inspected.catch(() => ({ sources: [] }));
  const checked: CheckedEndpoint[] = [];
  for (const each of endpoints) checked.push(await checkEndpoint(engine, sources, each));
  const all = [...faults, ...checked.flatMap((each) => each.faults)];
  if (all.length > 0) throw locatedError(all);
  return createCatalogue(checked.flatMap(({ endpoint }) => endpoint ?? []));
}
