// Finds the faults of a query: its statements, what GoogleSQL refuses, missing filters, orders by a constant, and its columns.
import { basename } from 'node:path';
import type { EndpointDefinition } from '../../functions/endpoints/endpoint.ts';
import { inFile } from '../compile/routines.ts';
import type { InspectedQuery } from '../compile/inspect-endpoint.ts';
import type { CatalogueFault } from '../faults/definition-fault.ts';
import { offsetOfGoogleSql } from '../faults/text-place.ts';
import { type Token, isName, isSymbol, isWord, nameOf, tokens } from '../lexer/sql-tokens.ts';
import {
  type GoogleSqlError,
  missingFilter,
  readsAllShards,
  tree,
} from '../local-bigquery/index.ts';
import type {
  PartitionedTable,
  QueryParameterType,
  ResolvedNode,
} from '../local-bigquery/index.ts';
import { type AnalysedQuery, offsetOf } from './analysed-query.ts';
import { compareColumns } from './compare-columns.ts';
import { withRemedy } from './remedies/sql-remedy.ts';
import { boundPartitions, missingTable } from './remedies/table-remedies.ts';

/** The first column of `warm.sql`, and the first field of the STRUCTs in `@keys`. */
export const KEY = 'key';
const ORDER_OF_KEYS =
  'must return all rows of a key together: end it with ORDER BY key, then the order of query.sql';
const LIMIT_OF_ALL =
  'LIMIT cuts the rows of all keys together: write QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY …) <= n';

export interface CheckedQuery extends InspectedQuery {
  /** None if the definition has a fault: then they are inferred. */
  parameters: Record<string, QueryParameterType>;
  /** Whether the first column is `key`. */
  isBatch: boolean;
}

/** The faults of a query that is valid SQL, and of the columns that it returns. */
export function faultsOfQuery(
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

/** The faults of a query that is valid SQL: its statements, else orders by a constant and missing filters. */
export function faultsOfAnalysis(
  { analysis, references, resolved }: Pick<AnalysedQuery, 'analysis' | 'references' | 'resolved'>,
  query: InspectedQuery & { parameters?: Record<string, QueryParameterType> },
): CatalogueFault[] {
  const ofStatements = faultOfStatements(analysis.statementKind, query);
  if (ofStatements !== undefined) return [ofStatements];
  const ofOrder = constantOrders(resolved).map((node) => ({
    ...inFile(query, offsetOf(analysis, node) ?? 0),
    message: CONSTANT_ORDER,
  }));
  const ofFilters = references.flatMap((reference) => {
    const place = inFile(query, reference.scan.offset);
    const unfiltered = missingFilter(reference, reference.scan.table);
    if (unfiltered !== undefined) {
      return [{ ...place, message: unfiltered + boundPartitions(reference, query) }];
    }
    const format = `'${reference.table.source.definition?.shards?.format}'`;
    const message = `reads all shards of ${reference.table.fullName}: table.json requires a filter on _TABLE_SUFFIX by constants or parameters, such as _TABLE_SUFFIX BETWEEN ${format} AND ${format}`;
    return readsAllShards(reference) ? [{ ...place, message }] : [];
  });
  return [...ofOrder, ...ofFilters];
}

const CONSTANT_ORDER =
  "ORDER BY sorts by one value for all rows, because a parameter is no name of a column: write a CASE for each column, such as CASE WHEN @sort = 'day' THEN day END";

/** Each expression of an ORDER BY that has a parameter and no column: all rows have the same value. */
function constantOrders(statement: unknown): ResolvedNode[] {
  const expressions = tree.computedColumns(statement);
  const orders = tree
    .allNodes(statement)
    .flatMap(({ message }) => [
      message,
      ...tree
        .listOf(message, 'functionGroupList')
        .map((group) => tree.messageOf(tree.fieldOf(tree.messageOf(group), 'orderBy'))),
    ]);
  return orders.flatMap(tree.orderOf).flatMap(({ node }) => {
    // Not a column that SELECT names.
    const isOwn = tree.columnOf(node.message['column'])?.name.startsWith('$orderby');
    const expression = isOwn ? expressions.get(tree.columnIdOf(node)) : undefined;
    const all = tree.withNodesBelow(expression);
    const hasParameter = all.some(({ kind }) => kind === 'Parameter');
    const varies = all.some(
      (one) => one.kind === 'ColumnRef' || VARIES.test(tree.functionOf(one) ?? ''),
    );
    return expression && hasParameter && !varies ? [expression] : [];
  });
}

const VARIES = /^(?:rand|generate_uuid|session_user)$/;

/** `SCRIPT` for a query of unknown kind: only the number of its statements is checked. */
export function faultOfStatements(statementKind: string, query: InspectedQuery) {
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

/** A statement that is not a query, by its words, without OR REPLACE. */
const STATEMENT =
  /^(?!SELECT\b|WITH\b|FROM\b)(?:(CREATE|DROP|ALTER|TRUNCATE|EXPORT|LOAD)\s+(?:OR\s+REPLACE\s+)?)?((?:(?:TEMP|TEMPORARY|MATERIALIZED|EXTERNAL|SNAPSHOT)\s+)?\w+)/i;

/** At its place, with the remedy if that is known. */
export function faultOfSql(
  { message, line, column }: GoogleSqlError,
  query: InspectedQuery,
  sources: readonly PartitionedTable[],
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
  const [, persistent] = /^the routine (\S+) is not defined here/.exec(text) ?? [];
  return {
    ...(place.line === undefined ? { file: query.file } : inFile(query, offset)),
    message:
      persistent === undefined
        ? (missingTable(text, sources) ?? withRemedy(text, query.sql, { offset, sources }))
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
