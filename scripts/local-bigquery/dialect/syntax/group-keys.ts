// Rewrites GROUP BY with ALL, which the engine does not evaluate, and with expressions, which it does not find elsewhere.
import { isAggregate, tableNames } from '../../../lexer/query-clauses.ts';
import { isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { chained, rewritten } from '../../analysis/mapped-text.ts';
import type { MappedText, Piece, PieceEdit } from '../../analysis/mapped-text.ts';
import * as tree from '../../analysis/resolved-tree.ts';
import type { Message, ResolvedNode } from '../../analysis/resolved-tree.ts';

/** The syntax tree of a text by the engine's parser; undefined if it is not valid, which the analysis reports. */
export type Parse = (sql: string) => Promise<unknown>;

/**
 * `SELECT UPPER(a) AS b … GROUP BY UPPER(a) HAVING UPPER(a) > 'A'` as `… GROUP BY 1 HAVING ANY_VALUE(UPPER(a)) > 'A'`:
 * all rows of a group have the same value.
 */
export async function withGroupKeys(given: MappedText, parse: Parse): Promise<MappedText> {
  let mapped = given;
  for (;;) {
    const { text } = mapped;
    if (!tokens(text).some((token) => isWord(token, 'GROUP'))) return mapped;
    // The innermost query first, because those around it may repeat its text.
    const selects = selectsIn(await parse(text), text).reverse();
    const edits = selects.map(groupEdits).find(({ length }) => length > 0);
    if (edits === undefined) return mapped;
    mapped = chained(mapped, () => rewritten(text, edits));
  }
}

type Select = ReturnType<typeof createSelect>;

/** All with a GROUP BY, each before those in it. */
function selectsIn(value: unknown, sql: string, orderBy?: unknown): Select[] {
  if (Array.isArray(value)) return value.flatMap((item) => selectsIn(item, sql));
  const message = tree.messageOf(value) ?? {};
  const select = tree.messageOf(message['astSelectNode']);
  // ORDER BY of a set operation is none of its queries'.
  const inner = Object.entries(message).flatMap(([name, child]) =>
    selectsIn(child, sql, name === 'queryExpr' ? message['orderBy'] : undefined),
  );
  return select?.['groupBy'] ? [createSelect(select, orderBy, sql), ...inner] : inner;
}

function createSelect(select: Message, orderBy: unknown, sql: string) {
  const bytes = Buffer.from(sql);
  const placeOf = (part: Message) =>
    tree.textPlaceOf({ kind: '', message: part }, bytes) ?? { start: 0, end: 0 };
  const items = partsOf(select['selectList'], 'columns').map(({ expression }) => ({
    expression,
    node: nodeIn(expression),
  }));
  const star = items.findIndex(({ node }) => /^(?:Dot)?Star/.test(node.kind));
  const from = tree.messageOf(select['fromClause']);
  const { start, end } = from ? placeOf(from) : { start: 0, end: 0 };
  const tables = tableNames(tokens(sql.slice(start, end)).slice(1));
  return {
    ...{ orderBy, items, star, placeOf },
    group: tree.messageOf(select['groupBy']) ?? {},
    others: [select['having'], select['qualify'], select['windowClause']],
    /** The aggregate functions that the text defines. */
    own: new Set([...sql.matchAll(AGGREGATE)].map(([, name = '']) => name.toUpperCase())),
    shapeOf: (node: ResolvedNode) => shape(node, tables),
  };
}

const AGGREGATE = /\bAGGREGATE\s+FUNCTION\s+(?:IF\s+NOT\s+EXISTS\s+)?`?(\w+)/gi;

interface Key {
  /** What it has in common with the same expression elsewhere. */
  shape: string;
  pieces: readonly Piece[];
}

function groupEdits(select: Select): PieceEdit[] {
  const all = tree.messageOf(select.group['all']);
  return all ? allEdits(select, all) : keyEdits(select);
}

/** By the columns without an aggregate or a window function that are not constants. `SELECT *` is not changed. */
function allEdits({ items, star, own, placeOf }: Select, all: Message): PieceEdit[] {
  if (star >= 0) return [];
  const has = (part: unknown, is: (node: ResolvedNode) => boolean): boolean => {
    let isFound = false;
    walk(part, (node) => (isFound ||= is(node)));
    return isFound;
  };
  const isComputed = (node: ResolvedNode): boolean =>
    isAggregateNode(node, own) || node.kind === 'AnalyticFunctionCall';
  const isOfRow = ({ kind }: ResolvedNode): boolean =>
    kind === 'PathExpression' || kind === 'ExpressionSubquery';
  const numbers = items.flatMap(({ expression }, index) =>
    has(expression, isOfRow) && !has(expression, isComputed) ? [index + 1] : [],
  );
  // Without a column to group by, all rows are one group; without an aggregate too, that needs a constant in GROUP BY.
  const isOneGroup = items.some((item) =>
    has(item.expression, (node) => isAggregateNode(node, own)),
  );
  const none = isOneGroup ? '()' : 'IF(TRUE, 1, 1)';
  return [{ ...placeOf(all), pieces: [numbers.join(', ') || none] }];
}

/** Replaces expressions by the numbers of their items, and in the other clauses by `ANY_VALUE(…)`. */
function keyEdits(select: Select): PieceEdit[] {
  const { group, items, star, orderBy, placeOf, shapeOf } = select;
  const numbered = items.slice(0, star < 0 ? undefined : star);
  const keys = partsOf(group, 'groupingItems').flatMap((item) => {
    const node = tree.childOf(item, 'expression');
    if (!node || /^(?:PathExpression|IntLiteral)$/.test(node.kind)) return [];
    const own = shapeOf(node);
    const position = numbered.findIndex((one) => shapeOf(one.node) === own) + 1;
    const pieces = ['ANY_VALUE(', placeOf(node.message), ')'];
    return [{ ...{ item, position, pieces }, shape: own }];
  });
  const inSelect = keys.filter(({ position }) => position > 0);
  const isNumbered = (index: number): boolean => inSelect.some((key) => key.position === index + 1);
  return [
    ...inSelect.map(({ item, position }) => ({ ...placeOf(item), pieces: [`${position}`] })),
    ...items.flatMap(({ expression }, index) =>
      isNumbered(index) ? [] : uses(select, expression, keys),
    ),
    ...uses(select, select.others, keys),
    ...partsOf(orderBy, 'orderingExpressions').flatMap(({ expression }) => {
      const node = nodeIn(expression);
      const key = inSelect.find((one) => one.shape === shapeOf(node));
      return key && tree.fieldOf(node.message, 'parenthesized') !== true
        ? [{ ...placeOf(node.message), pieces: [`${key.position}`] }]
        : uses(select, expression, keys);
    }),
  ];
}

/** The keys in a part, except those in aggregates and subqueries. */
function uses({ own, placeOf, shapeOf }: Select, part: unknown, keys: readonly Key[]): PieceEdit[] {
  const edits: PieceEdit[] = [];
  const kinds = new Set(keys.map((key) => key.shape.split(' ')[0]));
  const keyOf = (node: ResolvedNode): Key | undefined => {
    const text = kinds.has(node.kind) ? shapeOf(node) : '';
    return keys.find((key) => key.shape === text);
  };
  walk(part, (node) => {
    const key = keyOf(node);
    if (key) edits.push({ ...placeOf(node.message), pieces: key.pieces });
    return isAggregateNode(node, own) || key !== undefined;
  });
  return edits;
}

/** All but the places, layout and letter case. `a` and `t.a` are the same where `t` is a table, and others where it is a STRUCT. */
function shape({ kind, message }: ResolvedNode, tables: ReadonlySet<string>): string {
  const text = JSON.stringify(message, (name, part: unknown) => {
    if (name === 'parseLocationRange' || name === 'parenthesized') return undefined;
    if (name === 'astStringLiteralNode') return (part as Message)['stringValue'];
    if (name === 'names' && Array.isArray(part) && part.length > 1) {
      const names = part as Message[];
      return names.slice(tables.has(idOf(names[0])?.toLowerCase() ?? '') ? 1 : 0);
    }
    const isWritten = name === 'idString' || (name === 'image' && !/["']/.test(String(part)));
    return isWritten ? String(part).toLowerCase() : part;
  });
  return `${kind} ${text}`;
}

/** The parts that may contain values of columns: not the `DAY` of `DATE_TRUNC(day, DAY)` and `EXTRACT(DAY FROM day)`. */
function valueParts(node: ResolvedNode | undefined, message: Message): unknown[] {
  if (node?.kind === 'ExtractExpression') return [message['rhsExpr'], message['timeZoneExpr']];
  if (node?.kind === 'AnalyticFunctionCall') {
    const call = tree.childOf(message, 'expression');
    return [call?.message['arguments'], message['windowSpec']];
  }
  const isOfDatePart = node?.kind === 'FunctionCall' && OF_DATE_PARTS.test(calledName(node));
  return isOfDatePart ? tree.listOf(message, 'arguments').slice(0, -1) : Object.values(message);
}

const OF_DATE_PARTS = /\b(?:(?:DATE|DATETIME|TIME|TIMESTAMP)_(?:TRUNC|DIFF)|LAST_DAY)$/i;

/** Visits the nodes in a part, outermost first: not those in subqueries, and not those in a node that is done. */
function walk(part: unknown, isDone: (node: ResolvedNode) => boolean): void {
  if (Array.isArray(part)) return part.forEach((item) => walk(item, isDone));
  const message = tree.messageOf(part);
  if (!message || 'queryExpr' in message) return;
  const node = tree.nodeOf(message);
  if (node && isDone(node)) return;
  for (const inner of valueParts(node, node?.message ?? message)) walk(inner, isDone);
}

function isAggregateNode(node: ResolvedNode, own: ReadonlySet<string>): boolean {
  return node.kind === 'FunctionCall' && isAggregate(calledName(node).split('.'), own);
}

function calledName({ message }: ResolvedNode): string {
  return partsOf(message['function'], 'names').map(idOf).join('.');
}

function idOf(identifier: unknown): string | undefined {
  return tree.messageOf(identifier)?.['idString'] as string | undefined;
}

function partsOf(value: unknown, name: string): Message[] {
  const parts = tree.listOf(tree.messageOf(value), name).map(tree.messageOf);
  return parts.filter((part) => part !== undefined);
}

const nodeIn = (value: unknown): ResolvedNode => tree.nodeOf(value) ?? { kind: '', message: {} };
