// Follows the columns of a query to what they are computed from.
import { type ResolvedNode, tree } from '../../local-bigquery/index.ts';
import { optionalSide } from './partitioned-scans.ts';

export type FollowedColumns = ReturnType<typeof followColumns>;

/** `bodies` are the statements that create functions, by their names in lower case. */
export function followColumns(
  statement: ResolvedNode | undefined,
  bodies: ReadonlyMap<string, ResolvedNode>,
) {
  const expressions = tree.computedColumns(statement);
  /** The ARRAY of a column of elements or of their offsets. */
  const lists = new Map<string, ResolvedNode>();
  const unions = new Map<string, ResolvedNode[]>();
  /** The ids of columns whose value is another one than what they are computed from: offsets, and what an outer join leaves NULL. */
  const others = new Set<string | undefined>();
  for (const scan of tree.withNodesBelow(statement)) {
    const list = scan.kind === 'ArrayScan' ? tree.childOf(scan.message, 'arrayExpr') : undefined;
    const element = tree.columnOf(scan.message['elementColumn']);
    const offset = tree.columnOf(tree.messageOf(scan.message['arrayOffsetColumn'])?.['column']);
    for (const one of [element, offset]) if (list && one) lists.set(one.columnId, list);
    const optional = [offset, scan.message['isOuter'] === true ? element : undefined];
    optional.push(...tree.columnsOf(optionalSide(scan)));
    for (const one of optional) others.add(one?.columnId);
    const items =
      scan.kind === 'SetOperationScan' ? tree.listOf(scan.message, 'inputItemList') : [];
    const columns = items.map((item) => tree.listOf(tree.messageOf(item), 'outputColumnList'));
    for (const [at, { columnId }] of tree.columnsOf(scan).entries()) {
      const branches = columns.map((own) => refTo(own[at]));
      if (branches.length > 0) unions.set(columnId, branches);
    }
  }
  return { originsOf, expressionOf, dependsOn, bodyOf };

  /** The ARRAY whose elements a column has, and the expressions that it is computed from; `isOther`: it has another value. */
  function originsOf(id: string) {
    const from = unions.get(id) ?? [expressions.get(id)];
    return { isOther: others.has(id), list: lists.get(id), from };
  }

  /** What a column is computed from; of others the node itself. */
  function expressionOf(node: ResolvedNode): ResolvedNode {
    const expression = expressions.get(tree.columnIdOf(node));
    return expression ? expressionOf(expression) : node;
  }

  /** Whether a node that is meant is in an expression, in what its columns are computed from, or in the bodies of functions. */
  function dependsOn(isMeant: (node: ResolvedNode) => boolean) {
    const answers = new Map<unknown, boolean>();
    // The columns in the body of a function are others, though they may have the same ids.
    const visit = (node: ResolvedNode | undefined, isBody = false): boolean =>
      tree.withNodesBelow(node).some((one) => {
        const id = tree.columnIdOf(one);
        if (isBody && id !== '') return false;
        if (isMeant(one) || visit(bodyOf(one), true)) return true;
        // Of a scan also what it passes on from a WITH query.
        const columns = isBody ? [] : tree.columnsOf(one);
        if (id === '') return columns.some((column) => visit(refTo(column)));
        const from = [expressions.get(id), lists.get(id), ...(unions.get(id) ?? [])];
        const answer = answers.get(id) ?? from.some((origin) => visit(origin));
        answers.set(id, answer);
        return answer;
      });
    return visit;
  }

  /** The statement that creates the function of a call. */
  function bodyOf({ message }: ResolvedNode): ResolvedNode | undefined {
    const { name } = tree.messageOf(tree.fieldOf(message, 'function')) ?? {};
    const called = String(name).replace(/^Routine:/, '');
    return bodies.get(called.toLowerCase());
  }
}

export function refTo(column: unknown): ResolvedNode {
  return { kind: 'ColumnRef', message: { column } };
}
