// Splits a SQL script with the engine's parser into functions and one statement.
import type { FunctionArgument, SqlFunction } from '../values/engine-catalogue.ts';
import { type EngineType, type TableField, resultFields } from '../values/table-schema.ts';
import { GoogleSqlError } from '../engine/error.ts';
import { typeSql, typeText } from '../values/engine-values.ts';
import { type Edit, applyEdits, tokens } from '../../lexer/sql-tokens.ts';
import { codeOf, parametersOf, pathParts } from '../../lexer/sql-text.ts';
import * as tree from './resolved-tree.ts';
import type { ResolvedNode } from './resolved-tree.ts';
import { type MappedText, errorAt, originOf } from './mapped-text.ts';
import { type ResultOrder, resultOrder } from './result-order.ts';
import { type TableScan, tableScans } from './reads/table-scans.ts';
import { SYSTEM_TIME, type Use, usesOf } from './uses.ts';
import { googleSqlPlace } from '../../faults/text-place.ts';

export interface Analysis {
  /** As BigQuery's `statementType`: `SELECT`, `INSERT`, `CREATE_TABLE`…; `SCRIPT` for several statements. */
  statementKind: string;
  /** Output columns in order; only for a SELECT. */
  columns: TableField[];
  /** Whether the engine returns the columns as the fields of one STRUCT: SELECT AS STRUCT. */
  isStruct: boolean;
  /** Referenced parameters, lower case, in order of first use; `type` is SQL, absent when open. */
  parameters: { name: string; type?: string }[];
  functions: SqlFunction[];
  /** Why the query cannot run here, although its types are known; undefined if no reason is known. */
  notRun?: string;
  /** Full names of the tables that are read, each once. */
  tables: string[];
  /** The columns whose values reach the result or decide it; others may still be named in the text. */
  reads: { table: string; columns: string[] }[];
  /** Each place in which a table is read, with its filters by constants. */
  scans: TableScan[];
  /** What the value depends on, of all statements; the offsets are those in the author's text. */
  uses: Use[];
  order: ResultOrder;
  /** The text that was analysed, with its places in the author's text. */
  source: MappedText;
  /** The statement alone, at its line and column in `source`, with each table by its full name in one pair of back quotes. */
  statement: string;
  resolved?: unknown;
  /** The resolved statements that create the functions, by their names in lower case. */
  bodies?: ReadonlyMap<string, ResolvedNode>;
}

/** GoogleSQL's resolved tree of a statement, and where the next one begins. */
export interface AnalyzeResponse {
  resolvedStatement?: Record<string, unknown>;
  resumeBytePosition?: number;
}

/** `next` analyses the statement at a byte position. Throws `GoogleSqlError` at the first one that is not valid. */
export async function analyzeScript(
  source: MappedText,
  next: (bytePosition: number, functions: readonly SqlFunction[]) => Promise<AnalyzeResponse>,
): Promise<Analysis> {
  const sql = source.text;
  const bytes = Buffer.from(sql);
  const functions: SqlFunction[] = [];
  const types = new Map<string, string>();
  const reads = new Map<string, Set<string>>();
  const kinds: string[] = [];
  const scans: TableScan[] = [];
  const uses: Use[] = [];
  const bodies = new Map<string, ResolvedNode>();
  const readLast = (resolved: AnalyzeResponse['resolvedStatement'], statement = '') => ({
    ...outputColumns(resolved),
    order: resultOrder(resolved),
    ...{ resolved, statement },
  });
  let last = readLast(undefined);
  const hasMore = (position: number) => tokens(bytes.subarray(position).toString()).length > 0;
  for (let position = 0; position === 0 || hasMore(position);) {
    const response = await next(position, functions);
    const { resolvedStatement: resolved, resumeBytePosition: end = bytes.length } = response;
    const kind = statementKind(resolved);
    const { names, edits, nodes, all } = readStatement(resolved, bytes);
    for (const { offset, ...use } of usesOf(all, bytes)) {
      uses.push({ ...use, offset: offset === undefined ? undefined : originOf(source, offset) });
    }
    for (const scan of tableScans(resolved, bytes)) {
      scans.push({ ...scan, offset: originOf(source, scan.offset) });
    }
    for (const { table, columns: read } of names) {
      reads.set(table, new Set([...(reads.get(table) ?? []), ...read]));
    }
    for (const parameter of nodes('Parameter')) {
      const { name, isUntyped } = parameter.message as { name: string; isUntyped?: boolean };
      const type = tree.typeOf(parameter);
      if (!isUntyped && type && !types.has(name)) types.set(name, typeText(type));
    }
    if (kind === 'CREATE_TABLE_FUNCTION')
      throw new GoogleSqlError('unsupported', 'it defines a table function');
    if (kind === 'CREATE_FUNCTION' && kinds.length === 0) {
      const [created] = nodes('CreateFunctionStmt');
      const defined = sqlFunction(created, edits, bytes.toString());
      functions.push(defined);
      if (created) bodies.set(defined.name.toLowerCase(), created);
    } else {
      kinds.push(kind);
      const before = bytes.subarray(0, position).toString();
      const edited = applyEdits(bytes.subarray(0, end).toString(), edits);
      last = readLast(resolved, before.replace(/[^\n]/g, ' ') + edited.slice(before.length));
    }
    position = end;
  }
  const at = (offset: number): string => ` at [${googleSqlPlace(source.original, offset)}]`;
  const time = uses.find(({ name }) => name === SYSTEM_TIME)?.offset;
  // From the text, because the tree has no body of a function for any type.
  const sets = GROUPING_SETS.exec(codeOf(sql).replaceAll(/`[^`]*`/g, blanked))?.index;
  const notRun =
    time !== undefined
      ? `the rows of an earlier time are not stored${at(time)}`
      : sets !== undefined
        ? `ROLLUP, CUBE and GROUPING SETS are not supported locally${at(originOf(source, sets))}`
        : functions.find((one) => one.notRun !== undefined)?.notRun;
  // From the text: an expression that the result does not need is no longer in the tree.
  const names = new Set(parametersOf(sql).map(({ name }) => name.toLowerCase()));
  const parameters = [...names].map((name) => {
    const type = types.get(name);
    return type === undefined ? { name } : { name, type };
  });
  return {
    ...{ ...last, bodies },
    statementKind: kinds.length > 1 ? 'SCRIPT' : (kinds[0] ?? 'CREATE_FUNCTION'),
    parameters,
    functions,
    ...(notRun === undefined ? {} : { notRun }),
    tables: [...reads.keys()],
    reads: [...reads].map(([table, read]) => ({ table, columns: [...read] })),
    scans,
    uses,
    source,
  };
}

/** The engine would group by all keys alone. */
const GROUPING_SETS = /\b(?:ROLLUP|CUBE|GROUPING\s+SETS)\s*\(/i;
const blanked = (text: string): string => ' '.repeat(text.length);

/** A CreateTableStmt is a CREATE_TABLE. */
function statementKind(statement: unknown): string {
  const words = tree.nodeOf(statement)?.kind.replace(/Stmt$/, '') ?? '';
  return words === 'Query' ? 'SELECT' : words.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

/** None of a statement that is no query. */
function outputColumns(statement: unknown): Pick<Analysis, 'columns' | 'isStruct'> {
  const { kind, message = {} } = tree.nodeOf(statement) ?? {};
  if (kind !== 'QueryStmt') return { columns: [], isStruct: false };
  const { outputColumnList = [], isValueTable } = message as {
    outputColumnList?: { name: string; column: { type: EngineType } }[];
    isValueTable?: boolean;
  };
  const named = outputColumnList.map(({ name, column }) => ({ name, type: column.type }));
  const columns = resultFields(named);
  const [only] = columns;
  const isStruct = isValueTable === true && only?.type === 'RECORD';
  return { columns: isStruct ? (only.fields ?? []) : columns, isStruct };
}

interface CreateFunction {
  parent: { namePath: string[] };
  argumentNameList?: string[];
  signature?: { argument?: { type?: EngineType; options?: { isNotAggregate?: boolean } }[] };
  returnType?: EngineType;
  hasExplicitReturnType?: boolean;
  language?: string;
  code: string;
  isAggregate?: boolean;
  isRemote?: boolean;
}

function sqlFunction(node: ResolvedNode | undefined, edits: readonly Edit[], text: string) {
  const definition = node?.message as CreateFunction | undefined;
  if (definition === undefined) throw new GoogleSqlError('engine', 'function without a definition');
  const name = definition.parent.namePath.join('.');
  const notRun = notRunReason(name, definition);
  const list = (definition.argumentNameList ?? []).map((argument, index): FunctionArgument => {
    const { type, options } = definition.signature?.argument?.[index] ?? {};
    return {
      name: argument,
      ...(type ? { type } : {}),
      ...(options?.isNotAggregate ? { isNotAggregate: true } : {}),
    };
  });
  const { returnType, hasExplicitReturnType } = definition;
  // The body is a part of the text from before its first edit.
  const start = Math.max(
    text.lastIndexOf(definition.code, Math.min(...edits.map((edit) => edit.start))),
    0,
  );
  const end = start + definition.code.length;
  const [open, close] =
    hasExplicitReturnType && returnType ? ['CAST(', `\n AS ${typeSql(returnType)})`] : ['', ''];
  const inside = edits.filter((edit) => edit.start >= start && edit.end <= end);
  const body = applyEdits(
    definition.code,
    inside.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
  );
  const isTyped = hasExplicitReturnType || list.every(({ type }) => type);
  return {
    name,
    arguments: list,
    ...(isTyped && returnType ? { returnType } : {}),
    ...(definition.isAggregate ? { isAggregate: true } : {}),
    body: open + body + close,
    ...(notRun === undefined ? {} : { notRun }),
  };
}

const LANGUAGES: Readonly<Record<string, string>> = { JS: 'JavaScript', PYTHON: 'Python' };

function notRunReason(name: string, { language = 'SQL', isRemote }: CreateFunction) {
  if (isRemote) return `function ${name} is a remote function`;
  if (/^SQL$/i.test(language)) return undefined;
  return `function ${name} is written in ${LANGUAGES[language.toUpperCase()] ?? language}`;
}

/** The tables that a statement names, and the edits by which the engine can run it. */
function readStatement(statement: unknown, bytes: Buffer) {
  const sql = bytes.toString();
  const all = tree.allNodes(statement);
  const nodes = (kind: string) => all.filter((node) => node.kind === kind);
  const names = nodes('TableScan').map((scan) => {
    const table = tree.tableOf(scan);
    const { start, end } = tree.textPlaceOf(scan, bytes) ?? { start: 0, end: 0 };
    const last = table.split('.').at(-1) ?? table;
    requireLetterCase(start, end, table);
    // A table without an alias goes by its last name, unless all names are in one pair of back quotes: named-tables.ts.
    const hasOwnName = scan.message['alias'] || /^`[^`.]+[.][^`]+`$/.test(sql.slice(start, end));
    const alias = hasOwnName || last === table ? '' : ` AS \`${last}\``;
    const columns = tree.columnsOf(scan).map((column) => column.name);
    return { table, columns, edit: { start, end, text: `\`${table}\`${alias}` } };
  });
  const edits = [...names.map(({ edit }) => edit), ...nodes('FunctionCall').flatMap(rangeCall)];
  return { names, edits, nodes, all };

  /** The engine finds tables in any letter case, BigQuery only in that of their names. */
  function requireLetterCase(start: number, end: number, table: string): void {
    const written = sql.slice(start, end);
    const [name, dataset] = pathParts(written).reverse();
    const [ownName, ownDataset = dataset] = table.split('.').reverse();
    if (name === ownName && (dataset === undefined || dataset === ownDataset)) return;
    throw errorAt(sql, start, `Table not found: ${written}; Did you mean ${table}?`);
  }

  /** The name of a call of RANGE_CONTAINS whose second argument is a range: it gets one of its own. */
  function rangeCall(call: ResolvedNode): Edit[] {
    const [, inside] = tree.argumentsOf(call);
    if (tree.functionOf(call) !== 'range_contains' || !tree.typeOf(inside)?.rangeType) return [];
    const { start } = tree.textPlaceOf(call, bytes) ?? {};
    if (start === undefined) return [];
    return [{ start, end: sql.indexOf('(', start), text: 'local_range_contains_range' }];
  }
}
