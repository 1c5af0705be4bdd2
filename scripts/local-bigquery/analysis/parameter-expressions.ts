// Finds the expressions of a statement that contain parameters, without the rows for which they are evaluated.
import { OTHER_ROW } from '../../../functions/core/query-runner.ts';
import { type Edit, applyEdits } from '../../lexer/sql-tokens.ts';
import { typeText } from '../values/engine-values.ts';
import madeUpValues from './made-up.json' with { type: 'json' };
import pureNodes from './pure-nodes.json' with { type: 'json' };
import { isConstant } from './reads/column-functions.ts';
import * as tree from './resolved-tree.ts';
import type { Message, ResolvedNode } from './resolved-tree.ts';

/**
 * Replacements for expressions that depend on rows alone, in the two made-up rows, which `OTHER_ROW` chooses: small values
 * and large ones, so that `SQRT(n - @less)` fails for one alone; no 0, with which a product never overflows. An array
 * has `ITEMS` of them.
 */
const MADE_UP: Readonly<Record<string, readonly string[]>> = madeUpValues;

/** How many elements a made-up array has; to be replaced by more where an example asks for one that it lacks. */
export const ITEMS = '1 /* elements */';

const KINDS = new Set(['Cast', 'FunctionCall', 'GetStructField', 'MakeStruct', 'Parameter']);
/** Functions that fail on no value. */
const TOTAL = new Set(pureNodes.total);

/** Each as SQL of its own, as large as possible: a condition of a filter, but not a branch of CASE. Omits those that cannot fail. */
export function parameterExpressions(statement: unknown, text: Buffer): string[] {
  // One character for each byte, as places are counted.
  const sql = text.toString('latin1');
  const known = new WeakMap<Message, boolean>();
  const columns = tree.computedColumns(statement);
  return [...new Set(tree.nodesIn([statement]).flatMap(expressionsIn))];

  /** The expression that computes a column, as written: a reference to an aggregate has no place of its own. */
  function computed(columnId: string): ResolvedNode | undefined {
    const node = columns.get(columnId);
    return !node || tree.placeOf(node) ? node : computed(tree.columnIdOf(node));
  }

  function expressionsIn(node: ResolvedNode): string[] {
    if (!hasParameter(node)) return [];
    const limits = node.kind === 'LimitOffsetScan' ? limitsOf(node) : windowOf(node);
    if (isOfParameters(node)) {
      const subquery = `ARRAY(${sqlOf(node, []) ?? 'SELECT NULL'})`;
      const searched = tree.nodeOf(node.message['inExpr']);
      return searched ? [subquery, ...expressionsIn(searched)] : [subquery];
    }
    // Neither the engine nor BigQuery promises that one condition keeps the next from being evaluated.
    const isWhole = tree.functionOf(node) !== '$and' && node.kind !== 'Parameter';
    const edits = isWhole ? editsOf(node) : undefined;
    const own = edits && sqlOf(node, edits);
    if (own === undefined) return [...limits, ...tree.nodesIn(node.message).flatMap(expressionsIn)];
    return [node, ...tree.allNodes(node.message)].some(canFail) ? [own] : [];
  }

  function canFail(node: ResolvedNode): boolean {
    // `IF(@days > 90, ERROR('at most 90'), …)`
    if (tree.functionOf(node) === 'error') return true;
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

  /** NTILE(@n), NTH_VALUE(x, @n) */
  function windowOf(node: ResolvedNode): string[] {
    const called = tree.messageOf(tree.fieldOf(node.message, 'function'))?.['name'];
    if (node.kind !== 'AnalyticFunctionCall' || typeof called !== 'string') return [];
    const given = tree.argumentsOf(node);
    const values = given
      .slice(0, given.findLastIndex(hasParameter) + 1)
      .map((one) => (isConstant(one) ? sqlOf(one, []) : 'x'));
    const call = `${called.replace('ZetaSQL:', '')}(${values.join(', ')})`;
    return [`(SELECT ${call} OVER (ORDER BY x) FROM UNNEST([1]) AS x)`];
  }

  function sqlOf(node: ResolvedNode, edits: readonly Edit[]): string | undefined {
    const { start, end } = tree.placeOf(node) ?? {};
    if (start === undefined) return undefined;
    if (edits.some((edit) => edit.start < start || edit.end > (end ?? 0))) return undefined;
    const moved = (edit: Edit) => ({ ...edit, start: edit.start - start, end: edit.end - start });
    const own = edits.map(moved);
    return Buffer.from(applyEdits(sql.slice(start, end), own), 'latin1').toString();
  }

  /** Replaces what depends on rows by made-up values; undefined if that is not possible. */
  function editsOf(node: ResolvedNode): Edit[] | undefined {
    if (!hasParameter(node)) return isConstant(node) ? [] : madeUp(node);
    const value = givenBy(node);
    if (value !== undefined) {
      const [place, text] = [tree.placeOf(node), sqlOf(value, [])];
      return place && text !== undefined ? [{ ...place, text: `(${text})` }] : undefined;
    }
    if (!KINDS.has(node.kind)) return undefined;
    const isCall = node.kind === 'FunctionCall';
    const edits = (isCall ? tree.argumentsOf(node) : tree.nodesIn(node.message)).map(editsOf);
    return edits.includes(undefined) ? undefined : edits.flatMap((edit) => edit ?? []);
  }

  function madeUp(node: ResolvedNode): Edit[] | undefined {
    const found = computed(tree.columnIdOf(node));
    const place = tree.placeOf(node) ?? (found && tree.placeOf(found));
    const converted = node.kind === 'Cast' ? tree.nodeOf(node.message['expr']) : undefined;
    // An implicit conversion has no place.
    if (place === undefined) return converted && madeUp(converted);
    const type = tree.typeOf(node);
    const [, array, element] = /^(ARRAY<)?(\w+)>?$/.exec(type ? typeText(type) : '') ?? [];
    const [one, other] = MADE_UP[element ?? ''] ?? [];
    if (one === undefined) return undefined;
    const value = `IF(@${OTHER_ROW}, ${other}, ${one})`;
    const text = array ? `ARRAY(SELECT ${value} FROM UNNEST(GENERATE_ARRAY(1, ${ITEMS})))` : value;
    return [{ ...place, text }];
  }

  /** The expression of a column that is a parameter for all rows, such as one of `WITH given AS (SELECT @days AS days)`. */
  function givenBy(reference: ResolvedNode): ResolvedNode | undefined {
    const node = computed(tree.columnIdOf(reference));
    return node && isConstant(node) && hasParameter(node) ? node : undefined;
  }

  /** Whether it is a subquery over parameters that reads no table, and no row of the query outside. */
  function isOfParameters({ kind, message }: ResolvedNode): boolean {
    const within = tree.allNodes(kind === 'SubqueryExpr' ? message['subquery'] : undefined);
    const isOfRows = (node: ResolvedNode): boolean =>
      /^(?:Table|TVF|WithRef|Recursive)/.test(node.kind) ||
      tree.fieldOf(node.message, 'isCorrelated') === true;
    return within.some(hasParameter) && !within.some(isOfRows);
  }

  function hasParameter({ kind, message }: ResolvedNode): boolean {
    const isGiven = (): boolean => givenBy({ kind, message }) !== undefined;
    const isFound = () =>
      kind === 'Parameter' || isGiven() || tree.nodesIn(message).some(hasParameter);
    const found = known.get(message) ?? isFound();
    known.set(message, found);
    return found;
  }
}
