// Traces the columns of a resolved query back to table columns.
import { type ResolvedNode, type TableField, isRepeated, tree } from '../local-bigquery/index.ts';

/** A column of a table, or a field in it: `['request', 'url']`. */
export interface ColumnOrigin {
  table: string;
  path: readonly string[];
}

/** The origin of an expression that is a column, unchanged; undefined for any other. */
export type OriginOf = (expression: ResolvedNode) => ColumnOrigin | undefined;

export type ColumnOrigins = ReturnType<typeof columnOrigins>;

const COUNTS = ['$count_star', 'count', 'countif', 'approx_count_distinct'];

/** `statement` is the resolved tree of a SELECT; `sourceOf` gives the source of a table by its full name. */
export function columnOrigins(statement: unknown, sourceOf: (table: string) => string) {
  /** By column id: the table's column, or the expression that the column is computed by. */
  const tables = new Map<string, ColumnOrigin>();
  const expressions = tree.computedColumns(statement);
  let mayAddNulls = false;
  for (const node of tree.allNodes(statement)) {
    const { kind, message } = node;
    if (kind === 'TableScan') {
      for (const column of tree.columnsOf(node)) {
        tables.set(column.columnId, { table: sourceOf(tree.tableOf(node)), path: [column.name] });
      }
    }
    if (kind === 'ArrayScan') {
      const all = (field: string) =>
        [tree.fieldOf(message, field) ?? [], tree.listOf(message, `${field}List`)].flat();
      const arrays = all('arrayExpr').map(tree.nodeOf);
      for (const [index, element] of all('elementColumn').entries()) {
        const [column, array] = [tree.columnOf(element), arrays[index]];
        if (column && array) expressions.set(column.columnId, array);
      }
    }
    mayAddNulls ||=
      ['LEFT', 'RIGHT', 'FULL'].includes(String(message['joinType'])) ||
      message['isOuter'] === true ||
      tree.listOf(message, 'groupingSetList').length > 0;
  }

  const originOfColumn = (columnId: string, path: readonly string[]): ColumnOrigin | undefined => {
    const found = tables.get(columnId);
    if (found) return { table: found.table, path: [...found.path, ...path] };
    const expression = expressions.get(columnId);
    return expression && originOf(expression, path);
  };
  const originOf = (node: ResolvedNode, path: readonly string[] = []): ColumnOrigin | undefined => {
    if (node.kind === 'ColumnRef') return originOfColumn(tree.columnIdOf(node), path);
    if (node.kind !== 'GetStructField') return undefined;
    const record = tree.childOf(node.message, 'expr');
    const index = Number(tree.fieldOf(node.message, 'fieldIdx') ?? 0);
    const name = tree.typeOf(record)?.structType?.field?.[index]?.fieldName;
    return record && name ? originOf(record, [name, ...path]) : undefined;
  };
  const expressionOf = (node: ResolvedNode): ResolvedNode => {
    const by = expressions.get(tree.columnIdOf(node));
    return by ? expressionOf(by) : node;
  };
  const isCount = (expression: ResolvedNode): boolean => {
    const { kind, message } = expressionOf(expression);
    if (!/^(?:Aggregate)?FunctionCall$/.test(kind)) return false;
    return COUNTS.includes(tree.functionOf({ message, kind: 'FunctionCall' }) ?? '');
  };
  const [query] = tree.nodesIn({ statement });
  const grouping = groupingOf(tree.childOf(query?.message, 'query'));
  const groupIds = grouping?.map(
    (column) => tree.columnOf(tree.messageOf(column)?.['column'])?.columnId,
  );
  const named = tree.listOf(query?.message, 'outputColumnList').map((output) => ({
    name: String(tree.messageOf(output)?.['name']),
    columnId: tree.columnOf(tree.messageOf(output)?.['column'])?.columnId,
  }));
  /** `isCount`: whether it is a number of rows, which is never NULL; `expression`: the expression that computes it. */
  const outputs = named.map(({ columnId }) => {
    if (columnId === undefined) return { origin: undefined, isCount: false };
    const expression = expressions.get(columnId);
    const isOfRows = expression !== undefined && isCount(expression);
    return { origin: originOfColumn(columnId, []), isCount: isOfRows, expression };
  });
  const groups =
    groupIds && named.filter(({ columnId }) => groupIds.includes(columnId)).map(({ name }) => name);
  return {
    originOf: ((node) => originOf(node)) satisfies OriginOf,
    /** The expression, or the one that computes the column if it refers to a column. */
    expressionOf,
    outputs,
    /** The output columns by which the result is grouped; undefined if it is not. */
    groups,
    /** Whether an outer join or a grouping set may turn a value into NULL. */
    mayAddNulls,
  };
}

/** The columns of the outermost GROUP BY; an empty list for an aggregation without one. */
function groupingOf(scan: ResolvedNode | undefined): readonly unknown[] | undefined {
  if (scan?.kind === 'AggregateScan') return tree.listOf(scan.message, 'groupByList');
  const isSame = ['OrderByScan', 'LimitOffsetScan', 'ProjectScan', 'FilterScan', 'WithScan'];
  if (scan === undefined || !isSame.includes(scan.kind)) return undefined;
  return groupingOf(tree.nodeOf(scan.message[scan.kind === 'WithScan' ? 'query' : 'inputScan']));
}

/** The schema of an origin, and whether it and all records around it have a value in every row. */
export function fieldAt({ path }: ColumnOrigin, fields: readonly TableField[]) {
  let found: TableField | undefined;
  let within = fields;
  let isRequired = true;
  for (const name of path) {
    found = within.find((field) => field.name.toLowerCase() === name.toLowerCase());
    if (found === undefined) return undefined;
    // The elements of a list are never NULL.
    isRequired &&= found.mode?.toUpperCase() === 'REQUIRED' || isRepeated(found);
    within = found.fields ?? [];
  }
  return found && { field: found, isRequired };
}
