// Reads GoogleSQL's resolved trees and syntax trees in the form of their protocol buffers.
import type { EngineType } from '../values/table-schema.ts';

/** A message: its own fields, and in `parent` those of the message that it extends. */
export type Message = Readonly<Record<string, unknown>>;

export interface ResolvedNode {
  /** `FilterScan`, `FunctionCall`… */
  kind: string;
  message: Message;
}

/** Each has its own id in a statement, the same in all scans that pass the column on. */
interface ResolvedColumn {
  columnId: string;
  name: string;
  type: EngineType;
}

/** The texts around the kind in the name of a field. Not a pattern, which would be too slow for each field of each node. */
const [RESOLVED, SYNTAX, AFTER] = ['resolved', 'ast', 'Node'];
const isOfNode = (name: string): boolean =>
  name.endsWith(AFTER) && (name.startsWith(RESOLVED) || name.startsWith(SYNTAX));
const kindIn = (name: string): string =>
  name.slice(name.startsWith(RESOLVED) ? RESOLVED.length : SYNTAX.length, -AFTER.length);

/** The node in a field that may contain nodes of several kinds: `{resolvedScanNode: {resolvedFilterScanNode: …}}`. */
export function nodeOf(value: unknown): ResolvedNode | undefined {
  let node: ResolvedNode | undefined;
  for (let message = messageOf(value); message !== undefined;) {
    const key = Object.keys(message).find(isOfNode);
    if (key === undefined) return node;
    message = messageOf(message[key]);
    if (message) node = { kind: kindIn(key), message };
  }
  return node;
}

export function fieldOf(message: Message | undefined, name: string): unknown {
  for (let found = message; found !== undefined; found = messageOf(found['parent'])) {
    if (found[name] !== undefined && found[name] !== null) return found[name];
  }
  return undefined;
}

export function childOf(message: Message | undefined, name: string): ResolvedNode | undefined {
  return nodeOf(fieldOf(message, name));
}

/** A repeated field; empty where it is absent. */
export function listOf(message: Message | undefined, name: string): readonly unknown[] {
  const value = fieldOf(message, name);
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** All fields of a message, those of the messages that it extends too. */
export function fieldsOf(message: Message): [string, unknown][] {
  const fields: [string, unknown][] = [];
  for (const [name, value] of Object.entries(message)) {
    const parent = name === 'parent' ? messageOf(value) : undefined;
    if (parent) fields.push(...fieldsOf(parent));
    else fields.push([name, value]);
  }
  return fields;
}

export function columnOf(value: unknown): ResolvedColumn | undefined {
  const message = messageOf(value);
  return typeof message?.['columnId'] === 'string'
    ? (message as unknown as ResolvedColumn)
    : undefined;
}

/** The id of the column that an expression refers to; '' for any other expression. */
export function columnIdOf(node: ResolvedNode | undefined): string {
  const column = node?.kind === 'ColumnRef' ? fieldOf(node.message, 'column') : undefined;
  return columnOf(column)?.columnId ?? '';
}

export function columnsOf(scan: ResolvedNode | undefined): ResolvedColumn[] {
  return listOf(scan?.message, 'columnList').flatMap((column) => columnOf(column) ?? []);
}

/** Byte offsets of a node in the text; undefined if it is written nowhere. */
export function placeOf({ message }: ResolvedNode): { start: number; end: number } | undefined {
  const range = messageOf(fieldOf(message, 'parseLocationRange'));
  const { start, end } = (range ?? {}) as { start?: number; end?: number };
  return end === undefined ? undefined : { start: start ?? 0, end };
}

/** As `placeOf`, in characters; `text` is what was analysed. */
export function textPlaceOf(node: ResolvedNode | undefined, text: Buffer) {
  const place = node && placeOf(node);
  const offset = (byte: number) =>
    isAscii(text) ? Math.min(byte, text.length) : text.subarray(0, byte).toString().length;
  return place && { start: offset(place.start), end: offset(place.end) };
}

/** Remembered: decoding a long text for each of its nodes takes seconds. */
const known = new WeakMap<Buffer, boolean>();

function isAscii(text: Buffer): boolean {
  const found = known.get(text) ?? text.toString().length === text.length;
  known.set(text, found);
  return found;
}

export function messageOf(value: unknown): Message | undefined {
  return typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value)
    ? (value as Message)
    : undefined;
}

/** The name of a function of GoogleSQL itself; none of a function that a query defines. */
export function functionOf(node: ResolvedNode | undefined): string | undefined {
  if (node?.kind !== 'FunctionCall') return undefined;
  const name = messageOf(fieldOf(node.message, 'function'))?.['name'];
  return typeof name === 'string' && name.startsWith('ZetaSQL:')
    ? name.slice('ZetaSQL:'.length)
    : undefined;
}

/** A field of the value of a literal, such as its `stringValue`; undefined for any other expression. */
export function literalOf(node: ResolvedNode | undefined, field: string): unknown {
  if (node?.kind !== 'Literal') return undefined;
  return messageOf(messageOf(node.message['value'])?.['value'])?.[field];
}

export function tableOf({ message }: ResolvedNode): string {
  const { name = '', fullName } = message['table'] as { name?: string; fullName?: string };
  return fullName || name;
}

export function withQueriesOf(message: Message): [string, ResolvedNode][] {
  return listOf(message, 'withEntryList').flatMap((entry) => {
    const { withQueryName, withSubquery } = messageOf(entry) ?? {};
    const query = nodeOf(withSubquery);
    return query === undefined ? [] : [[String(withQueryName), query] as [string, ResolvedNode]];
  });
}

export function withNodesBelow(node: ResolvedNode | undefined): ResolvedNode[] {
  return node ? [node, ...allNodes(node.message)] : [];
}

export function columnRefs(expression: ResolvedNode | undefined): ResolvedColumn[] {
  return withNodesBelow(expression).flatMap(({ kind, message }) =>
    kind === 'ColumnRef' ? (columnOf(message['column']) ?? []) : [],
  );
}

export function argumentsOf(call: ResolvedNode | undefined): ResolvedNode[] {
  return listOf(call?.message, 'argumentList').flatMap((item) => nodeOf(item) ?? []);
}

/** The conditions that must all be true for a condition to be true. */
export function conjunctsOf(condition: ResolvedNode | undefined): ResolvedNode[] {
  if (functionOf(condition) === '$and') return argumentsOf(condition).flatMap(conjunctsOf);
  return condition ? [condition] : [];
}

/** The columns by which a scan orders its rows. */
export function orderOf(message: Message | undefined) {
  return listOf(message, 'orderByItemList').map((item) => {
    const { columnRef, isDescending } = messageOf(item) ?? {};
    const reference = nodeOf(columnRef)?.message ?? messageOf(columnRef) ?? {};
    return { node: { kind: 'ColumnRef', message: reference }, isDescending: isDescending === true };
  });
}

/** The operands of each `=` that must be true for a condition to be true. */
export function equalities(condition: ResolvedNode | undefined): ResolvedNode[][] {
  const equal = conjunctsOf(condition).filter((one) => functionOf(one) === '$equal');
  return equal.map(argumentsOf);
}

export function typeOf(node: ResolvedNode | undefined): EngineType | undefined {
  return messageOf(fieldOf(node?.message, 'type')) as EngineType | undefined;
}

export function nodesIn(value: unknown): ResolvedNode[] {
  const found: ResolvedNode[] = [];
  forEachNode(value, (node) => found.push(node));
  return found;
}

/** Visits each of `nodesIn` without creating lists: a tree has many values, and most of them contain no node. */
function forEachNode(value: unknown, use: (node: ResolvedNode) => void): void {
  for (const child of childrenOf(value)) {
    if (typeof child !== 'object' || child === null) continue;
    const node = nodeOf(child);
    if (node) use(node);
    else forEachNode(child, use);
  }
}

function childrenOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : Object.values(messageOf(value) ?? {});
}

/** All nodes in a value, at any depth, each before those in it. */
export function allNodes(value: unknown): ResolvedNode[] {
  const found: ResolvedNode[] = [];
  const visit = (node: ResolvedNode): void => {
    found.push(node);
    forEachNode(node.message, visit);
  };
  forEachNode([value], visit);
  return found;
}

/** All WITH queries of a statement by their names, which are unique in it. */
export function withQueriesIn(statement: unknown): Map<string, ResolvedNode> {
  return new Map(allNodes(statement).flatMap(({ message }) => withQueriesOf(message)));
}

/** The expressions of computed columns, by their ids; a column of a reference to a WITH query is that of the query. */
export function computedColumns(statement: unknown): Map<string, ResolvedNode> {
  const found = new Map<string, ResolvedNode>();
  const collect = (value: unknown): void => {
    for (const child of childrenOf(value)) {
      if (typeof child !== 'object' || child === null) continue;
      const { column, expr } = messageOf(child) ?? {};
      const id = columnOf(column)?.columnId;
      const node = id === undefined ? undefined : nodeOf(expr);
      if (id !== undefined && node) found.set(id, node);
      collect(child);
    }
  };
  collect(statement);
  const queries = withQueriesIn(statement);
  for (const node of allNodes(statement).filter(({ kind }) => kind === 'WithRefScan')) {
    const own = columnsOf(queries.get(String(node.message['withQueryName'])));
    for (const [index, { columnId }] of columnsOf(node).entries()) {
      const column = own[index];
      if (!column) continue;
      found.set(columnId, { kind: 'ColumnRef', message: { column, type: column.type } });
    }
  }
  return found;
}
