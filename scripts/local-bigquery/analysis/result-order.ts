// Finds out whether the ORDER BY of a query leaves the order of rows open, so that a LIMIT is non-deterministic.
import * as tree from './resolved-tree.ts';
import type { ResolvedNode } from './resolved-tree.ts';

export interface ResultOrder {
  hasLimit: boolean;
  /** Whether some rows are known to have no defined order. False if that is not known. */
  isOpen: boolean;
  /** The columns of GROUP BY that are missing in ORDER BY; empty if there is no ORDER BY. */
  missing: string[];
  /** Whether ORDER BY of the outermost query is known to begin with the first column of the result. */
  isByFirstColumn: boolean;
}

/** `statement` is a resolved tree; only the order of a SELECT is checked. */
export function resultOrder(statement: unknown): ResultOrder {
  const query = tree.nodeOf(statement);
  const all = scansOf(tree.childOf(query?.message, 'query'), tree.withQueriesIn(statement));
  // A LIMIT below the ORDER BY cuts rows before they are ordered: it belongs to another query, which is not checked.
  const other = all.findIndex(
    ({ kind }, at) => kind === 'LimitOffsetScan' && all.slice(0, at).some(isOrderedOrCut),
  );
  const scans = other < 0 ? all : all.slice(0, other);
  const grouping = scans.find(({ kind }) => kind === 'AggregateScan');
  const reference = scans.findIndex(({ kind }) => kind === 'WithRefScan');
  const own = reference < 0 ? scans : scans.slice(0, reference);
  const orderBy = own.find(({ kind }) => kind === 'OrderByScan');
  const by = tree.listOf(orderBy?.message, 'orderByItemList').map(columnOf);
  const [output] = tree.listOf(query?.message, 'outputColumnList');
  const first = tree.columnOf(tree.messageOf(output)?.['column'])?.columnId;
  const known = {
    hasLimit: own.some(({ kind }) => kind === 'LimitOffsetScan'),
    // A subquery's ORDER BY promises nothing.
    isByFirstColumn: own.find(isOfRows) === orderBy && first !== undefined && by[0] === first,
  };
  if (orderBy === undefined) {
    // Without a list, the query has one row.
    const isOneRow = grouping && tree.listOf(grouping.message, 'groupByList').length === 0;
    return { ...known, isOpen: query !== undefined && !isOneRow, missing: [] };
  }
  const missing = grouping ? openKeys(grouping, withComputed(by, statement)) : [];
  return { ...known, isOpen: missing.length > 0, missing };
}

const isOrderedOrCut = ({ kind }: ResolvedNode): boolean =>
  kind === 'LimitOffsetScan' || kind === 'OrderByScan';
const isOfRows = ({ kind }: ResolvedNode): boolean =>
  kind !== 'LimitOffsetScan' && kind !== 'WithScan';

/** The scans through which the rows of the result pass, back to the one that groups them, or to one of another kind. */
function scansOf(
  scan: ResolvedNode | undefined,
  queries: ReadonlyMap<string, ResolvedNode>,
): ResolvedNode[] {
  if (scan === undefined) return [];
  const { kind, message } = scan;
  if (kind === 'WithScan') return [scan, ...scansOf(tree.childOf(message, 'query'), queries)];
  if (kind === 'WithRefScan') {
    return [scan, ...scansOf(queries.get(String(tree.fieldOf(message, 'withQueryName'))), queries)];
  }
  const isSame = /^(?:LimitOffset|OrderBy|Project|Filter|Analytic)Scan$/.test(kind);
  return [scan, ...(isSame ? scansOf(tree.childOf(message, 'inputScan'), queries) : [])];
}

function withComputed(ids: readonly (string | undefined)[], statement: unknown): Set<string> {
  const computed = tree.computedColumns(statement);
  const found = new Set<string>();
  const add = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const { columnId } of tree.columnRefs(computed.get(id))) add(columnId);
  };
  for (const id of ids) if (id !== undefined) add(id);
  return found;
}

/** The columns of GROUP BY that are neither ordered by nor compared with a constant. */
function openKeys({ message }: ResolvedNode, ordered: ReadonlySet<string>): string[] {
  const fixed = fixedColumns(tree.childOf(message, 'inputScan'));
  return tree.listOf(message, 'groupByList').flatMap((item) => {
    const { column, expr } = tree.messageOf(item) ?? {};
    const key = tree.columnOf(column);
    if (key === undefined || ordered.has(key.columnId)) return [];
    const refs = tree.columnRefs(tree.nodeOf(expr));
    if (refs.every(({ columnId }) => fixed.has(columnId))) return [];
    return [key.name.startsWith('$') ? 'an expression of GROUP BY' : key.name];
  });
}

/** The columns that have one value in all rows: a filter compares them with a literal or a parameter. */
function fixedColumns(scan: ResolvedNode | undefined): Set<string> {
  const fixed = new Set<string>();
  let node = scan;
  for (; node?.kind === 'FilterScan'; node = tree.childOf(node.message, 'inputScan')) {
    for (const operands of tree.equalities(tree.childOf(node.message, 'filterExpr'))) {
      const column = operands.find(({ kind }) => kind === 'ColumnRef')?.message['column'];
      const constant = operands.find(({ kind }) => kind === 'Literal' || kind === 'Parameter');
      const { columnId } = tree.columnOf(column) ?? {};
      if (columnId !== undefined && constant) fixed.add(columnId);
    }
  }
  return fixed;
}

function columnOf(item: unknown): string | undefined {
  const reference = tree.messageOf(tree.messageOf(item)?.['columnRef']);
  const { column } = tree.nodeOf(reference)?.message ?? reference ?? {};
  return tree.columnOf(column)?.columnId;
}
