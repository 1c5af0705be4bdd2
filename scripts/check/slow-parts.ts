// Finds the parts of a query that take long on the local BigQuery over thousands of rows, whose engine has no optimiser.
import { tokens } from '../lexer/sql-tokens.ts';
import { placeOfOrigin, tree, windowTotals } from '../local-bigquery/index.ts';
import type { Analysis, ResolvedNode } from '../local-bigquery/index.ts';

/** `the window at 3:10`; the analysis has its tree. The time of each grows with the product of two numbers of rows. */
export function slowParts({ resolved, source }: Analysis): string[] {
  const bytes = Buffer.from(source.text);
  const withQueries = tree.withQueriesIn(resolved);
  const totals = windowTotals(source.text, tokens(source.text), () => '');
  const found: string[] = [];
  const add = (kind: string, ...nodes: (ResolvedNode | undefined)[]): void => {
    const [offset] = nodes.flatMap((node) => tree.textPlaceOf(node, bytes)?.start ?? []);
    found.push(offset === undefined ? kind : `${kind} at ${placeOfOrigin(source, offset)}`);
  };

  /** Whether a scan reads a table, directly or by the name of a WITH query. */
  function readsTable(scan: ResolvedNode | undefined): boolean {
    return tree.withNodesBelow(scan).some(({ kind, message }) => {
      const name = kind === 'WithRefScan' ? String(tree.fieldOf(message, 'withQueryName')) : '';
      return kind === 'TableScan' || readsTable(withQueries.get(name));
    });
  }

  /** Whether the local BigQuery computes the window at once: see `windowTotals`. */
  function isTotal(argument: ResolvedNode | undefined): boolean {
    const offset = tree.textPlaceOf(argument, bytes)?.start;
    return totals.some(({ start, end }) =>
      offset === undefined
        ? /^COUNT\s*\(\s*[*]/i.test(source.text.slice(start))
        : start <= offset && offset < end,
    );
  }

  /** `filter` has the equalities above a join. */
  function visit({ kind, message }: ResolvedNode, filter: readonly ResolvedNode[][] = []): void {
    const [first] = tree.argumentsOf({ kind, message });
    if (kind === 'AnalyticFunctionCall' && isOfWholePartition(message) && !isTotal(first)) {
      add('the window of the aggregate', first);
    }
    const sides = ['leftScan', 'rightScan'].map((side) => tree.childOf(message, side));
    if (kind === 'JoinScan' && sides.every(readsTable)) {
      const on = tree.equalities(tree.childOf(message, 'joinExpr'));
      if (message['joinType'] === 'INNER') on.push(...filter);
      const hasKey = on.some((equal) => isBetween(equal, sides));
      if (!hasKey) add('the join without an equality', sides[1], tree.childOf(message, 'joinExpr'));
    }
    const query = tree.childOf(message, 'subquery');
    const isByRow = tree.listOf(message, 'parameterList').length > 0 && readsTable(query);
    if (isByRow && !tree.withNodesBelow(query).some(hasOuterKey)) {
      add('the subquery for each row without an equality', { kind, message });
    }
    const passed = tree.equalities(tree.childOf(message, 'filterExpr'));
    for (const child of tree.nodesIn(message)) visit(child, kind === 'JoinScan' ? filter : passed);
  }

  const root = tree.nodeOf(resolved);
  if (root) visit(root);
  return [...new Set(found)];
}

/** Such a window is computed anew for each row, from the first of its partition on or to the last. */
function isOfWholePartition(message: ResolvedNode['message']): boolean {
  const { startExpr, endExpr } = tree.messageOf(message['windowFrame']) ?? {};
  const name = tree.functionOf({ kind: 'FunctionCall', message }) ?? '';
  return (
    !/^(?:first_value|last_value|nth_value|percentile_\w+)$/.test(name) &&
    [startExpr, endExpr].some((bound) =>
      String(tree.messageOf(bound)?.['boundaryType']).startsWith('UNBOUNDED'),
    )
  );
}

function isBetween(equal: readonly ResolvedNode[], sides: readonly (ResolvedNode | undefined)[]) {
  const [one = [], other = []] = equal.map((side) => tree.columnRefs(side));
  const isOf = (refs: typeof one, scan: ResolvedNode | undefined): boolean => {
    const own = new Set(tree.columnsOf(scan).map(({ columnId }) => columnId));
    return refs.length > 0 && refs.every(({ columnId }) => own.has(columnId));
  };
  const [left, right] = sides;
  return (isOf(one, left) && isOf(other, right)) || (isOf(one, right) && isOf(other, left));
}

/** Whether a filter compares a column with the row outside, by which the local BigQuery finds the rows. */
function hasOuterKey({ message }: ResolvedNode): boolean {
  return tree.equalities(tree.childOf(message, 'filterExpr')).some((sides) => {
    const isOuter = sides.map((side) =>
      tree.withNodesBelow(side).some((node) => node.message['isCorrelated'] === true),
    );
    return isOuter[0] !== isOuter[1];
  });
}
