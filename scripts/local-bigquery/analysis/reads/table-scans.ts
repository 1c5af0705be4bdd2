// Finds each place where a statement reads a table: the columns it needs, and the conditions on columns.
import { columnExpression } from './column-expressions.ts';
import { conditionOn, conjunctsOf, inFunctions } from './column-conditions.ts';
import type { ColumnCondition, Conjunct } from './column-conditions.ts';
import * as tree from '../resolved-tree.ts';
import type { ResolvedNode } from '../resolved-tree.ts';

/** One reference to a table. A WITH query is read once for each reference to it, as in BigQuery. */
export interface TableScan {
  table: string;
  /** Where its name is written, in characters. */
  offset: number;
  columns: string[];
  /** By column, a condition that every row that the statement needs fulfils. */
  conditions: ReadonlyMap<string, ColumnCondition>;
}

/** The scans of a statement, in the order of its resolved tree; `text` is the statement. */
export function tableScans(statement: unknown, text: Buffer): TableScan[] {
  const scans: TableScan[] = [];
  const used = usedColumns(statement);
  const computed = tree.computedColumns(statement);
  const withQueries = tree.withQueriesIn(statement);

  /** Finds the scans in a part of the tree. Only rows of it that fulfil the conjuncts are needed. */
  function visit(value: unknown, conjuncts: readonly Conjunct[] = []): void {
    if (Array.isArray(value)) return value.forEach((item) => visit(item));
    const node = tree.nodeOf(value);
    if (node === undefined) {
      for (const [, child] of tree.fieldsOf(tree.messageOf(value) ?? {})) visit(child);
    } else if (node.kind === 'TableScan') {
      scans.push(tableScan(node, conjuncts));
    } else if (node.kind === 'WithRefScan') {
      const query = withQueries.get(String(tree.fieldOf(node.message, 'withQueryName')));
      if (query) visitNode(query, onColumns(node, conjuncts));
    } else visitNode(node, conjuncts);
  }

  function visitNode(node: ResolvedNode, conjuncts: readonly Conjunct[]): void {
    const passed = passedOn(node, conjuncts, text);
    for (const [name, child] of tree.fieldsOf(node.message)) {
      if (name !== 'withEntryList') visit(child, passed[name]);
    }
  }

  function tableScan(node: ResolvedNode, conjuncts: readonly Conjunct[]): TableScan {
    const columns = tree.columnsOf(node);
    const own = onColumns(node, conjuncts);
    const conditions = columns.flatMap(({ columnId, name }) => {
      const condition = conditionOn(columnId, own);
      return condition ? [[name, condition] as const] : [];
    });
    return {
      table: tree.tableOf(node),
      offset: tree.textPlaceOf(node, text)?.start ?? 0,
      columns: columns.filter(({ columnId }) => used.has(columnId)).map((column) => column.name),
      conditions: new Map(conditions),
    };
  }

  /** The conjuncts on the columns of a scan, or on what is computed from these, as conjuncts on the columns. */
  function onColumns(scan: ResolvedNode, conjuncts: readonly Conjunct[]): Conjunct[] {
    const own = new Set(tree.columnsOf(scan).map(({ columnId }) => columnId));
    const onOwn = (conjunct: Conjunct): Conjunct[] => {
      if (own.has(conjunct.columnId)) return [conjunct];
      const of = columnExpression(computed.get(conjunct.columnId));
      const condition = of && inFunctions(conjunct.condition, of.functions);
      return condition ? onOwn({ columnId: of.columnId, condition }) : [];
    };
    return conjuncts.flatMap(onOwn);
  }

  visit(statement);
  return scans;
}

/** The ids of the columns that an expression or the result uses: a scan also passes on unused columns. */
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
 * aggregation or LIMIT, get none: rows that the filter above removes affect rows that it keeps.
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
