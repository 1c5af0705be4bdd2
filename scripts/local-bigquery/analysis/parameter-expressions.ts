// Finds the expressions of a statement that parameters take part in, without the rows that they are evaluated for.
import { OTHER_ROW } from '../../../functions/core/query-runner.ts';
import { type Edit, applyEdits } from '../../lexer/sql-tokens.ts';
import { typeText } from '../values/engine-values.ts';
import { isConstant } from './reads/constants.ts';
import * as tree from './resolved-tree.ts';
import type { Message, ResolvedNode } from './resolved-tree.ts';

/**
 * In place of what depends on rows alone: its values in the two made-up rows, which `OTHER_ROW` chooses. Of an array there
 * is none: an index that it lacks says nothing of longer ones.
 */
const MADE_UP: Readonly<Record<string, readonly [string, string]>> = {
  BIGNUMERIC: ["BIGNUMERIC '1.5'", "BIGNUMERIC '0'"],
  BOOL: ['TRUE', 'FALSE'],
  BYTES: ["b'a'", "b''"],
  DATE: ["DATE '2000-02-29'", "DATE '1970-01-01'"],
  DATETIME: ["DATETIME '2000-02-29 12:00:00'", "DATETIME '1970-01-01 00:00:00'"],
  FLOAT64: ['1.5', '0.0'],
  INT64: ['1', '0'],
  NUMERIC: ["NUMERIC '1.5'", "NUMERIC '0'"],
  STRING: ["'a'", "''"],
  TIME: ["TIME '12:00:00'", "TIME '00:00:00'"],
  TIMESTAMP: ["TIMESTAMP '2000-02-29 12:00:00Z'", "TIMESTAMP '1970-01-01 00:00:00Z'"],
};

const KINDS = new Set(['Cast', 'FunctionCall', 'GetStructField', 'MakeStruct', 'Parameter']);
/** Functions that fail on no value. */
const TOTAL = new Set(
  (
    '$and $between $case_no_value $case_with_value $equal $greater $greater_or_equal $in $in_array $is_distinct_from ' +
    '$is_not_distinct_from $is_null $less $less_or_equal $not $not_equal $or array_length coalesce if ifnull lower nullif upper'
  ).split(' '),
);

/**
 * Each as SQL of its own, as large as possible: a condition of a filter is one of them, a branch of CASE is not. `text`
 * is the statement. Those that cannot fail are left out.
 */
export function parameterExpressions(statement: unknown, text: Buffer): string[] {
  // One character for each byte, as places are counted.
  const sql = text.toString('latin1');
  const known = new WeakMap<Message, boolean>();
  const computed = computedPlaces(statement);
  return [...new Set(tree.nodesIn([statement]).flatMap(expressionsIn))];

  function expressionsIn(node: ResolvedNode): string[] {
    if (!hasParameter(node)) return [];
    const limits = node.kind === 'LimitOffsetScan' ? limitsOf(node) : [];
    // Neither the engine nor BigQuery promises that one condition keeps the next from being evaluated.
    const own = tree.functionOf(node) === '$and' ? undefined : expressionOf(node);
    if (own === undefined) return [...limits, ...tree.nodesIn(node.message).flatMap(expressionsIn)];
    return [node, ...tree.allNodes(node.message)].some(canFail) ? [own] : [];
  }

  function canFail(node: ResolvedNode): boolean {
    if (!hasParameter(node)) return false;
    if (node.kind === 'Cast') return tree.fieldOf(node.message, 'returnNullOnError') !== true;
    return node.kind === 'FunctionCall' && !TOTAL.has(tree.functionOf(node) ?? '');
  }

  /** LIMIT and OFFSET take a parameter as it is. */
  function limitsOf({ message }: ResolvedNode): string[] {
    const clauses = { limit: 'LIMIT', offset: 'LIMIT 1 OFFSET' };
    return Object.entries(clauses).flatMap(([field, clause]) => {
      const node = tree.nodeOf(message[field]);
      const count = node && hasParameter(node) ? sqlOf(node, []) : undefined;
      return count === undefined ? [] : [`(SELECT 1 ${clause} ${count})`];
    });
  }

  function expressionOf(node: ResolvedNode): string | undefined {
    const edits = node.kind === 'Parameter' ? undefined : editsOf(node);
    return edits && sqlOf(node, edits);
  }

  function sqlOf(node: ResolvedNode, edits: readonly Edit[]): string | undefined {
    const { start, end } = tree.placeOf(node) ?? {};
    if (start === undefined) return undefined;
    if (edits.some((edit) => edit.start < start || edit.end > (end ?? 0))) return undefined;
    const own = edits.map((edit) => ({
      ...edit,
      start: edit.start - start,
      end: edit.end - start,
    }));
    return Buffer.from(applyEdits(sql.slice(start, end), own), 'latin1').toString();
  }

  /** Makes up what depends on rows; undefined if that cannot be. */
  function editsOf(node: ResolvedNode): Edit[] | undefined {
    if (!hasParameter(node)) return isConstant(node) ? [] : madeUp(node);
    if (!KINDS.has(node.kind)) return undefined;
    const inner =
      node.kind === 'FunctionCall' ? tree.argumentsOf(node) : tree.nodesIn(node.message);
    const edits = inner.map(editsOf);
    return edits.includes(undefined) ? undefined : edits.flatMap((edit) => edit ?? []);
  }

  function madeUp(node: ResolvedNode): Edit[] | undefined {
    const { columnId = '' } = tree.columnOf(node.message['column']) ?? {};
    const place = tree.placeOf(node) ?? computed.get(columnId);
    const converted = node.kind === 'Cast' ? tree.childOf(node.message, 'expr') : undefined;
    // A conversion that nobody wrote has no place.
    if (place === undefined) return converted && madeUp(converted);
    const type = tree.typeOf(node);
    const [one, other] = MADE_UP[type ? typeText(type) : ''] ?? [];
    return one === undefined
      ? undefined
      : [{ ...place, text: `IF(@${OTHER_ROW}, ${other}, ${one})` }];
  }

  function hasParameter({ kind, message }: ResolvedNode): boolean {
    const found =
      known.get(message) ?? (kind === 'Parameter' || tree.nodesIn(message).some(hasParameter));
    known.set(message, found);
    return found;
  }
}

/** Where the text of each computed column is, by its id: the reference to an aggregate has no place of its own. */
function computedPlaces(value: unknown, found = new Map<string, Place>()): Map<string, Place> {
  for (const child of Array.isArray(value)
    ? (value as unknown[])
    : Object.values(tree.messageOf(value) ?? {})) {
    const { column, expr } = tree.messageOf(child) ?? {};
    const node = tree.nodeOf(expr);
    const place = node && tree.placeOf(node);
    const { columnId } = tree.columnOf(column) ?? {};
    if (place !== undefined && columnId !== undefined) found.set(columnId, place);
    computedPlaces(child, found);
  }
  return found;
}

type Place = NonNullable<ReturnType<typeof tree.placeOf>>;
