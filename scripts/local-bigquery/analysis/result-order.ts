// Finds out whether the ORDER BY of a query may leave rows in any order, so that a cut takes other rows each time.
import * as tree from './resolved-tree.ts';
import type { Message, ResolvedNode } from './resolved-tree.ts';

export interface ResultOrder {
  /** Whether the outermost query has a LIMIT. */
  hasLimit: boolean;
  /** Whether rows are known to be in no order among themselves. False where that cannot be told. */
  isOpen: boolean;
  /** The columns of GROUP BY that are missing in ORDER BY; empty if there is no ORDER BY. */
  missing: string[];
  /** Whether ORDER BY of the outermost query is known to begin with the first column of the result. */
  isByFirstColumn: boolean;
}

/** The state of a walk from the outermost scan to the one that groups. */
interface Walk {
  hasLimit: boolean;
  /** The columns that ORDER BY names, and all columns from which they are computed. */
  ordered: Set<string> | undefined;
  withQueries: ReadonlyMap<string, ResolvedNode>;
}

/** `statement` is a resolved tree; the order of a query that is no SELECT is not looked at. */
export function resultOrder(statement: unknown): ResultOrder {
  const query = tree.nodeOf(statement);
  const first = tree.columnOf(
    tree.messageOf(tree.listOf(query?.message, 'outputColumnList')[0])?.['column'],
  );
  const by = firstOrdered(tree.childOf(query?.message, 'query'));
  const isByFirstColumn = first !== undefined && by === first.columnId;
  const walk: Walk = { hasLimit: false, ordered: undefined, withQueries: new Map() };
  const grouping = findGrouping(tree.childOf(query?.message, 'query'), walk);
  const { hasLimit, ordered } = walk;
  // Without a list, the query has one row.
  const isOneRow =
    grouping !== undefined && tree.listOf(grouping.message, 'groupByList').length === 0;
  if (ordered === undefined)
    return { hasLimit, isOpen: query !== undefined && !isOneRow, missing: [], isByFirstColumn };
  const missing = grouping === undefined ? [] : openKeys(grouping, ordered);
  return { hasLimit, isOpen: missing.length > 0, missing, isByFirstColumn };
}

/** The column that the outermost ORDER BY begins with; a subquery's ORDER BY promises nothing. */
function firstOrdered(scan: ResolvedNode | undefined): string | undefined {
  const { kind, message } = scan ?? {};
  if (kind === 'WithScan') return firstOrdered(tree.childOf(message, 'query'));
  if (kind === 'LimitOffsetScan') return firstOrdered(tree.childOf(message, 'inputScan'));
  if (kind !== 'OrderByScan') return undefined;
  return columnsIn(tree.messageOf(tree.listOf(message, 'orderByItemList')[0]))[0];
}

/** Follows the rows of the result back to the scan that groups them; undefined where there is another. */
function findGrouping(scan: ResolvedNode | undefined, walk: Walk): ResolvedNode | undefined {
  if (scan === undefined) return undefined;
  const { kind, message } = scan;
  const input = tree.childOf(message, 'inputScan');
  switch (kind) {
    case 'AggregateScan':
      return scan;
    case 'WithScan':
      walk.withQueries = new Map([...walk.withQueries, ...tree.withQueriesOf(message)]);
      return findGrouping(tree.childOf(message, 'query'), walk);
    case 'WithRefScan': {
      const query = walk.withQueries.get(String(tree.fieldOf(message, 'withQueryName')));
      const columns = tree.columnsOf(query);
      for (const [index, { columnId }] of tree.columnsOf(scan).entries()) {
        const same = columns[index]?.columnId;
        if (walk.ordered?.has(columnId) && same !== undefined) walk.ordered.add(same);
      }
      return findGrouping(query, { ...walk });
    }
    case 'LimitOffsetScan':
      // A LIMIT below the ORDER BY cuts rows before they are ordered: another query, of which nothing is said.
      if (walk.ordered !== undefined || walk.hasLimit) return undefined;
      walk.hasLimit = true;
      return findGrouping(input, walk);
    case 'OrderByScan':
      walk.ordered ??= new Set(
        tree.listOf(message, 'orderByItemList').flatMap((item) => columnsIn(tree.messageOf(item))),
      );
      return findGrouping(input, walk);
    case 'ProjectScan':
      for (const item of tree.listOf(message, 'exprList')) {
        const { column, expr } = tree.messageOf(item) ?? {};
        if (!walk.ordered?.has(tree.columnOf(column)?.columnId ?? '')) continue;
        for (const { columnId } of tree.columnRefs(tree.nodeOf(expr))) walk.ordered.add(columnId);
      }
      return findGrouping(input, walk);
    case 'FilterScan':
    case 'AnalyticScan':
      return findGrouping(input, walk);
    default:
      return undefined;
  }
}

/** The columns of GROUP BY that are neither ordered by nor compared with a constant. */
function openKeys({ message }: ResolvedNode, ordered: ReadonlySet<string>): string[] {
  const fixed = fixedColumns(tree.childOf(message, 'inputScan'));
  return tree.listOf(message, 'groupByList').flatMap((item) => {
    const { column, expr } = tree.messageOf(item) ?? {};
    const key = tree.columnOf(column);
    if (key === undefined || ordered.has(key.columnId)) return [];
    const refs = tree.columnRefs(tree.nodeOf(expr));
    const isConstant = refs.every(({ columnId }) => fixed.has(columnId));
    if (isConstant || key.name.startsWith('local_set_')) return [];
    const name = key.name.replace(/^(?:local_key_\d+_\d+_|[$].*)/, '');
    return [name === '' ? 'an expression of GROUP BY' : name];
  });
}

/** The columns that have one value in all rows: a filter compares them with a literal or a parameter. */
function fixedColumns(scan: ResolvedNode | undefined): Set<string> {
  const fixed = new Set<string>();
  for (
    let node = scan;
    node?.kind === 'FilterScan';
    node = tree.childOf(node.message, 'inputScan')
  ) {
    for (const operands of tree.equalities(tree.childOf(node.message, 'filterExpr'))) {
      const column = operands.find(({ kind }) => kind === 'ColumnRef')?.message['column'];
      const constant = operands.find(({ kind }) => kind === 'Literal' || kind === 'Parameter');
      const { columnId } = tree.columnOf(column) ?? {};
      if (columnId !== undefined && constant) fixed.add(columnId);
    }
  }
  return fixed;
}

/** The column of an item of ORDER BY. */
function columnsIn(item: Message | undefined): string[] {
  const reference = tree.messageOf(item?.['columnRef']);
  const column =
    tree.columnOf(reference?.['column']) ??
    tree.columnOf(tree.childOf(item, 'columnRef')?.message['column']);
  return column === undefined ? [] : [column.columnId];
}
