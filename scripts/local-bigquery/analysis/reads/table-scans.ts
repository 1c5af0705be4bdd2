// Finds each place where a statement reads a table: the columns it needs, and the conditions on columns.
import { columnExpression } from './column-expressions.ts';
import { conditionOn, conjunctsOf, inFunctions } from './column-conditions.ts';
import type { ColumnCondition, Conjunct } from './column-conditions.ts';
import * as tree from '../resolved-tree.ts';
import type { Message, ResolvedNode } from '../resolved-tree.ts';

/** One reference to a table. A WITH query is read once for each reference to it, as in BigQuery. */
export interface TableScan {
  /** Full name of the table. */
  table: string;
  /** Where its name is written, in characters. */
  offset: number;
  /** The columns that are needed. */
  columns: string[];
  /** By column: what every row that the statement needs fulfils. */
  conditions: ReadonlyMap<string, ColumnCondition>;
}

/** The scans of a statement, in the order of its resolved tree; `text` is the statement. */
export function tableScans(statement: unknown, text: Buffer): TableScan[] {
  const scans: TableScan[] = [];
  const used = usedColumns(statement);
  /** The queries of WITH clauses by their names, which are unique in a statement. */
  const withQueries = new Map<string, ResolvedNode>();

  /** Finds the scans in a part of the tree. Only rows that fulfil the conjuncts are needed of it. */
  function visit(value: unknown, conjuncts: readonly Conjunct[] = []): void {
    if (Array.isArray(value)) return value.forEach((item) => visit(item));
    const node = tree.nodeOf(value);
    if (node === undefined) {
      for (const [, child] of tree.fieldsOf(tree.messageOf(value) ?? {})) visit(child);
    } else if (node.kind === 'TableScan') {
      scans.push(tableScan(node, conjuncts));
    } else if (node.kind === 'WithRefScan') {
      const query = withQueries.get(String(tree.fieldOf(node.message, 'withQueryName')));
      visitNode(query, renamed(conjuncts, node, query));
    } else visitNode(node, conjuncts);
  }

  function visitNode(node: ResolvedNode | undefined, conjuncts: readonly Conjunct[]): void {
    if (node === undefined) return;
    for (const [name, query] of tree.withQueriesOf(node.message)) withQueries.set(name, query);
    const passed = passedOn(node, conjuncts, text);
    for (const [name, child] of tree.fieldsOf(node.message)) {
      if (name !== 'withEntryList') visit(child, passed[name]);
    }
  }

  function tableScan(node: ResolvedNode, conjuncts: readonly Conjunct[]): TableScan {
    const columns = tree.columnsOf(node);
    return {
      table: tree.tableOf(node),
      offset: tree.textPlaceOf(node, text)?.start ?? 0,
      columns: columns.filter(({ columnId }) => used.has(columnId)).map((column) => column.name),
      conditions: new Map(
        columns.flatMap((column) => {
          const condition = conditionOn(column.columnId, conjuncts);
          return condition ? [[column.name, condition] as const] : [];
        }),
      ),
    };
  }

  visit(statement);
  return scans;
}

/** The ids of the columns that an expression or the result uses: a scan also hands on columns that nobody uses. */
function usedColumns(statement: unknown): Set<string> {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    const column = tree.columnOf(value);
    if (column) used.add(column.columnId);
    if (Array.isArray(value)) return value.forEach(visit);
    for (const [name, child] of tree.fieldsOf(tree.messageOf(value) ?? {})) {
      const isQuery = name === 'withSubquery' || name === 'subquery';
      if (isQuery)
        for (const { columnId } of tree.columnsOf(tree.nodeOf(child))) used.add(columnId);
      if (name !== 'columnList' && name !== 'parameterList') visit(child);
    }
  };
  visit(statement);
  return used;
}

/**
 * Which conjuncts hold for the inputs of a scan, by the field that the input is in. Inputs of other scans, such as an
 * aggregation or LIMIT, get none: rows that the filter above removes decide on rows that it leaves.
 */
function passedOn(
  { kind, message }: ResolvedNode,
  conjuncts: readonly Conjunct[],
  text: Buffer,
): Record<string, readonly Conjunct[]> {
  const filtered = (field: string) => conjunctsOf(tree.nodeOf(message[field]), text);
  switch (kind) {
    case 'FilterScan':
      return { inputScan: [...conjuncts, ...filtered('filterExpr')] };
    case 'ProjectScan':
      return { inputScan: beforeProjection(conjuncts, tree.listOf(message, 'exprList'), text) };
    case 'OrderByScan':
      return { inputScan: conjuncts };
    case 'WithScan':
      return { query: conjuncts };
    case 'ArrayScan':
      return {
        inputScan:
          message['isOuter'] === true ? conjuncts : [...conjuncts, ...filtered('joinExpr')],
      };
    case 'JoinScan': {
      // The condition of an outer join removes rows of the side that may be missing, and of no other.
      const on = filtered('joinExpr');
      const both = [...conjuncts, ...on];
      const sides: Readonly<Record<string, Record<string, readonly Conjunct[]>>> = {
        LEFT: { leftScan: conjuncts, rightScan: on },
        RIGHT: { leftScan: on, rightScan: conjuncts },
        FULL: {},
      };
      return sides[String(message['joinType'])] ?? { leftScan: both, rightScan: both };
    }
    default:
      return {};
  }
}

/** Conjuncts on computed columns, as conjuncts on the columns from which they are computed. */
function beforeProjection(
  conjuncts: readonly Conjunct[],
  computed: readonly unknown[],
  text: Buffer,
): Conjunct[] {
  const expressions = new Map(
    computed.map((item) => {
      const { column, expr } = tree.messageOf(item) as Message;
      return [tree.columnOf(column)?.columnId, tree.nodeOf(expr)];
    }),
  );
  return conjuncts.flatMap((conjunct) => {
    if (!expressions.has(conjunct.columnId)) return conjunct;
    const of = columnExpression(expressions.get(conjunct.columnId), text);
    const condition = of && inFunctions(conjunct.condition, of.functions);
    return condition ? { columnId: of.columnId, condition } : [];
  });
}

/** Conjuncts on the columns of a reference to a WITH query, as conjuncts on the columns of the query. */
function renamed(
  conjuncts: readonly Conjunct[],
  reference: ResolvedNode,
  query: ResolvedNode | undefined,
): Conjunct[] {
  const columns = tree.columnsOf(query);
  const ids = new Map(
    tree.columnsOf(reference).map(({ columnId }, index) => [columnId, columns[index]?.columnId]),
  );
  return conjuncts.flatMap(({ columnId, condition }) => {
    const id = ids.get(columnId);
    return id === undefined ? [] : { columnId: id, condition };
  });
}
