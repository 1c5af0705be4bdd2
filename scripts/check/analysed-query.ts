// Analyses a query of an endpoint once for all checks, finds out whether it runs locally, and builds its probe.
import { type Endpoint, typesOf } from '../../functions/endpoints/endpoint.ts';
import { queryParameters } from '../../functions/google/query-configuration.ts';
import {
  EMPTY_ARRAY,
  GoogleSqlError,
  InvalidValueError,
  engineParameters,
  namedTables,
  otherRows,
  runnableQuery,
  tree,
  tableReferences,
  usesOf,
  ITEMS,
} from '../local-bigquery/index.ts';
import type {
  Analysis,
  GoogleSql,
  NamedTables,
  PartitionedTable,
  QueryParameterType,
  RegisteredCatalogue,
  TableReference,
  Use,
} from '../local-bigquery/index.ts';
import { boundQueries } from './dry-run.ts';
import { slowParts } from './slow-parts.ts';
import { OTHER_ROW, type Probe } from '../../functions/core/query-runner.ts';
import { type CanonicalParameters, valuesIn } from '../../functions/endpoints/parameters.ts';
import { calledFunctions, parametersOf } from '../lexer/sql-text.ts';

export interface AnalysedQuery {
  analysis: Analysis;
  /** GoogleSQL's resolved tree. */
  resolved: unknown;
  references: readonly TableReference[];
  find: NamedTables['find'];
  /** See `slowParts`. */
  slow: readonly string[];
  /** With the bodies of functions in place of their calls; undefined if no function has an argument of ANY TYPE. */
  whole: WholeQuery | GoogleSqlError | undefined;
}

interface WholeQuery {
  uses: Use[];
  /** Full names. */
  tables: string[];
}

/** `query.sql` and `warm.sql` by these names, or the error if the engine cannot analyse it. */
export type AnalysedQueries = ReadonlyMap<string, AnalysedQuery | GoogleSqlError>;

/** Infers the parameters that are not declared. Throws `GoogleSqlError` where BigQuery would refuse the query. */
export async function analyseQuery(
  engine: GoogleSql,
  tables: readonly PartitionedTable[],
  query: string,
  parameters: Readonly<Record<string, QueryParameterType>>,
): Promise<AnalysedQuery | GoogleSqlError> {
  try {
    const { find, ...named } = namedTables(query, tables);
    const asked = { ...named, parameters, infersOthers: true, withTree: true };
    const { resolved, ...analysis } = await engine.analyze(asked);
    // The engine resolves the body of such a function only where it is called.
    const isOpen = analysis.functions.some((one) => one.arguments.some(({ type }) => !type));
    const slow = slowParts({ ...analysis, resolved });
    const references = tableReferences(analysis, find);
    const found = { analysis, resolved, references, find, slow };
    const whole = isOpen ? await wholeQuery(engine, found, named.tables, parameters) : undefined;
    return { ...found, whole };
  } catch (error) {
    // A routine that is stored in a dataset is a fault here: the message names what to do.
    if (error instanceof GoogleSqlError && /^the routine /.test(error.message)) throw error.cause;
    if (error instanceof GoogleSqlError && error.kind === 'unsupported') return error;
    throw error;
  }
}

/** The error if the engine cannot put the bodies in place of the calls. */
async function wholeQuery(
  engine: GoogleSql,
  query: EmptyTables,
  tables: NamedTables['tables'],
  parameters: Readonly<Record<string, QueryParameterType>>,
): Promise<WholeQuery | GoogleSqlError> {
  try {
    return await withEmptyTables(engine, { ...query, tables }, async (sql, catalogue) => {
      const nodes = await engine.resolveWhole({ sql, catalogue, parameters });
      const scans = nodes.filter(({ kind }) => kind === 'TableScan');
      return { uses: usesOf(nodes, Buffer.from(sql)), tables: scans.map(tree.tableOf) };
    });
  } catch (error) {
    if (error instanceof GoogleSqlError) return error;
    throw error;
  }
}

/** How long a query may take to show that it runs. */
const QUERY_MS = 5000;

/** Why a query cannot run on empty tables with its examples, for the first that cannot; undefined if all can. */
export async function reasonNotRunLocally(
  engine: GoogleSql,
  endpoint: Endpoint,
  queries: AnalysedQueries,
): Promise<string | undefined> {
  const bound = boundQueries(endpoint);
  for (const [fileName, query] of queries) {
    const first = bound.find((found) => found.fileName === fileName);
    const reason = first && (await reasonOf(engine, query, queryParameters(first)));
    if (reason !== undefined) return reason;
  }
  return undefined;
}

async function reasonOf(engine: GoogleSql, query: AnalysedQuery | GoogleSqlError, bound: unknown) {
  try {
    const parameters = engineParameters(bound, EMPTY_ARRAY);
    if (query instanceof GoogleSqlError) throw query;
    const reason = query.analysis.notRun ?? query.references.map(otherRows).find(Boolean);
    if (reason !== undefined) return reason;
    await runOnEmptyTables(engine, query, parameters);
  } catch (error) {
    // Other faults are those of the query, which BigQuery has too, or of its example values.
    if (error instanceof GoogleSqlError && error.kind !== 'unsupported') return undefined;
    if (error instanceof GoogleSqlError || error instanceof InvalidValueError) {
      return error.message.replace(/ at \[\d+:\d+\]$/, '');
    }
    throw error;
  }
  return undefined;
}

type EmptyTables = Pick<AnalysedQuery, 'analysis' | 'find'> & Partial<Pick<NamedTables, 'tables'>>;

/** Throws `GoogleSqlError` if the query fails without a row. */
function runOnEmptyTables(
  engine: GoogleSql,
  { analysis, find }: EmptyTables,
  parameters: ReturnType<typeof engineParameters>,
) {
  const signal = AbortSignal.timeout(QUERY_MS);
  return withEmptyTables(engine, { analysis, find }, (sql, catalogue) =>
    engine.evaluate({ sql, catalogue, parameters, signal }),
  );
}

/** Gives `use` the query as the engine runs it, and its tables without rows. */
async function withEmptyTables<Result>(
  engine: GoogleSql,
  { analysis, find, tables }: EmptyTables,
  use: (sql: string, catalogue: RegisteredCatalogue) => Promise<Result>,
): Promise<Result> {
  // Only what is resolved has the tables that bodies name.
  const runnable = runnableQuery(analysis, undefined, tables === undefined);
  const fieldsOf = (name: string) => find(name)?.fields ?? [];
  const full = analysis.tables.map((name) => ({ name, fields: fieldsOf(name) }));
  const others = (tables ?? []).filter(({ name }) => !analysis.tables.includes(name));
  const empty = [...full, ...others].map((table) => ({ ...table, encodedRows: [] }));
  const catalogue = await engine.registerCatalogue(empty, runnable.functions);
  try {
    return await use(runnable.sql, catalogue);
  } catch (error) {
    throw runnable.errorOf(error);
  } finally {
    await engine.unregisterCatalogue(catalogue);
  }
}

const LONGER = ['10', '100', '1000'];

/** Built from the expressions that succeed with the examples for both made-up rows; undefined without any. */
export async function probeOf(
  engine: GoogleSql,
  endpoint: Endpoint,
  { expressions, functions, statement }: Analysis,
): Promise<Probe | undefined> {
  const examples = valuesIn(endpoint, 'example');
  const called = calledFunctions(expressions.join('\n')).map(({ name }) => name);
  const hasOwn = functions.some(({ name }) => called.includes(name));
  const definitions = hasOwn ? endpoint.sql.slice(0, statement.search(/\S/)) : '';
  const ofAll = (some: readonly string[]): Probe => {
    const texts = [`@${OTHER_ROW}`, ...some].map((one) => `TO_JSON_STRING(${one}\n)`);
    const sql = `${definitions}SELECT LENGTH(CONCAT(${texts.join(', ')})) AS length`;
    const names = parametersOf(sql).map(({ name }) => name);
    return { sql, parameters: names.filter((name) => name !== OTHER_ROW) };
  };
  const goesWell = async (probe: Probe): Promise<boolean> => {
    for (const isOther of [false, true]) {
      if (await runProbe(engine, endpoint, probe, examples, isOther)) return false;
    }
    return true;
  };
  if (expressions.length === 0) return undefined;
  const whole = ofAll(expressions);
  if (await goesWell(whole)) return whole;
  const sound: string[] = [];
  for (const one of expressions) {
    for (const items of [ITEMS, ...(one.includes(ITEMS) ? LONGER : [])]) {
      const text = one.replaceAll(ITEMS, items);
      if (!(await goesWell(ofAll([text])))) continue;
      sound.push(text);
      break;
    }
  }
  return sound.length === 0 ? undefined : ofAll(sound);
}

/** Why the values make the query fail regardless of the rows; undefined if they do not. */
export async function failureOf(
  engine: GoogleSql,
  endpoint: Endpoint,
  values: CanonicalParameters,
): Promise<string | undefined> {
  const { probe } = endpoint;
  const error = probe && (await runProbe(engine, endpoint, probe, values, false));
  const other = error && (await runProbe(engine, endpoint, probe, values, true));
  return other?.kind === 'runtime' ? error?.message.replace(/ at \[\d+:\d+\]$/, '') : undefined;
}

async function runProbe(
  engine: GoogleSql,
  endpoint: Endpoint,
  { sql, parameters: names }: Probe,
  values: CanonicalParameters,
  isOther: boolean,
): Promise<GoogleSqlError | undefined> {
  const own = names.map((name) => [name, values[name] ?? null] as const);
  const parameters = { ...Object.fromEntries(own), [OTHER_ROW]: String(isOther) };
  const types = { ...typesOf(endpoint), [OTHER_ROW]: 'BOOL' as const };
  return errorOf(engine, sql, engineParameters(queryParameters({ parameters, types })));
}

/** The error of a query that reads no table. */
export async function errorOf(
  engine: GoogleSql,
  sql: string,
  parameters: ReturnType<typeof engineParameters> = [],
): Promise<GoogleSqlError | undefined> {
  try {
    const types = Object.fromEntries(parameters.map(({ name, type }) => [name, type]));
    const analysis = await engine.analyze({ sql, tables: [], parameters: types });
    await runOnEmptyTables(engine, { analysis, find: () => undefined }, parameters);
    return undefined;
  } catch (error) {
    return GoogleSqlError.from(error);
  }
}
