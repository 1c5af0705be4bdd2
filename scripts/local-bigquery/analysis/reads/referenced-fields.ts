// Finds the nested fields that a statement needs of its columns: BigQuery stores, and bills, each as a column.
import {
  columnOf,
  columnsOf,
  fieldOf,
  fieldsOf,
  listOf,
  messageOf,
  nodeOf,
  typeOf,
} from '../resolved-tree.ts';
import type { Message, ResolvedColumn, ResolvedNode } from '../resolved-tree.ts';

/** A column, or a field in it: `['request', 'url']`. */
interface FieldPath {
  columnId: string;
  path: readonly string[];
}

/** Scans whose columns are those of their inputs, or are computed by expressions in the tree. */
const TRANSPARENT = new Set([
  'AggregateScan',
  'AnalyticScan',
  'ArrayScan',
  'FilterScan',
  'JoinScan',
  'LimitOffsetScan',
  'OrderByScan',
  'ProjectScan',
  'SampleScan',
  'SetOperationScan',
  'SingleRowScan',
  'TableScan',
  'WithRefScan',
  'WithScan',
]);

/**
 * Answers dotted names for a column of a table: its own, or those of the fields that are needed; none if the
 * column is not needed at all.
 */
export function referencedFields(statement: unknown): (column: ResolvedColumn) => string[] {
  const used = new Map<string, Set<string>>();
  /** By column: the columns that have its value, or the elements of an array that is in it. */
  const sameAs = new Map<string, Same[]>();
  const withColumns = new Map<string, ResolvedColumn[]>();

  function use({ columnId, path }: FieldPath): void {
    used.set(columnId, (used.get(columnId) ?? new Set()).add(path.join('.')));
  }
  function relate({ columnId, path }: FieldPath, to: ResolvedColumn | undefined, isArray: boolean) {
    if (to === undefined) return;
    const same = { path, columnId: to.columnId, isArray };
    sameAs.set(columnId, [...(sameAs.get(columnId) ?? []), same]);
  }

  function visit(value: unknown): void {
    if (Array.isArray(value)) return value.forEach(visit);
    const node = nodeOf(value);
    const column = columnOf(value);
    if (node) visitNode(node);
    else if (column) use({ columnId: column.columnId, path: [] });
    else visitFields(messageOf(value) ?? {});
  }

  /** `columnList` hands columns on, and `parameterList` hands them to a subquery: neither uses them. */
  function visitFields(message: Message, except: readonly string[] = []): void {
    for (const [name, child] of fieldsOf(message)) {
      if (!['columnList', 'parameterList', ...except].includes(name)) visit(child);
    }
  }

  function visitNode(node: ResolvedNode): void {
    const { kind, message } = node;
    const path = fieldPath(node);
    if (path) return use(path);
    if (kind.endsWith('Scan') && !TRANSPARENT.has(kind)) useAll(message);
    if (kind === 'SubqueryExpr') useColumns(nodeOf(message['subquery']));
    if (kind === 'ArrayScan') return visitArrayScan(message);
    if (kind === 'WithRefScan') {
      const columns = columnsOf(node);
      const query = withColumns.get(String(fieldOf(message, 'withQueryName'))) ?? [];
      return query.forEach(({ columnId }, index) =>
        relate({ columnId, path: [] }, columns[index], false),
      );
    }
    for (const entry of listOf(message, 'withEntryList').map(messageOf)) {
      withColumns.set(String(entry?.['withQueryName']), columnsOf(nodeOf(entry?.['withSubquery'])));
    }
    visitFields(message);
  }

  /** The elements of an array are a column of the scan: what is used of them is used of the array. */
  function visitArrayScan(message: Message): void {
    const arrays = [fieldOf(message, 'arrayExpr') ?? [], listOf(message, 'arrayExprList')].flat();
    const elements = [
      fieldOf(message, 'elementColumn') ?? [],
      listOf(message, 'elementColumnList'),
    ].flat();
    for (const [index, array] of arrays.entries()) {
      const path = fieldPath(nodeOf(array));
      if (path) relate(path, columnOf(elements[index]), true);
      else visit(array);
    }
    visitFields(message, ['arrayExpr', 'arrayExprList', 'elementColumn', 'elementColumnList']);
  }

  function useColumns(scan: ResolvedNode | undefined): void {
    for (const { columnId } of columnsOf(scan)) use({ columnId, path: [] });
  }

  /** Uses every column that is named in a part of the tree. */
  function useAll(value: unknown): void {
    const column = columnOf(value);
    if (column) use({ columnId: column.columnId, path: [] });
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
    for (const child of Object.values(value)) useAll(child);
  }

  /** Dotted paths in a column; '' is the whole column. */
  function pathsOf(columnId: string): string[] {
    const others = (sameAs.get(columnId) ?? []).flatMap((same) => {
      const paths = pathsOf(same.columnId);
      // The elements decide how many rows there are, even where no field of them is needed.
      const needed = same.isArray && paths.length === 0 ? [''] : paths;
      return needed.map((path) => [...same.path, path].filter(Boolean).join('.'));
    });
    return [...new Set([...(used.get(columnId) ?? []), ...others])];
  }

  visit(statement);
  return ({ columnId, name }) => {
    const paths = pathsOf(columnId);
    return paths.includes('') ? [name] : paths.map((path) => `${name}.${path}`);
  };
}

/** A column whose value, or each of whose elements, is in another column. */
interface Same {
  path: readonly string[];
  columnId: string;
  isArray: boolean;
}

/** The path of an expression that is a column, or a field in one. */
function fieldPath(node: ResolvedNode | undefined): FieldPath | undefined {
  if (node?.kind === 'ColumnRef') {
    const column = columnOf(fieldOf(node.message, 'column'));
    return column && { columnId: column.columnId, path: [] };
  }
  if (node?.kind !== 'GetStructField') return undefined;
  const record = nodeOf(node.message['expr']);
  const outer = fieldPath(record);
  const index = Number(fieldOf(node.message, 'fieldIdx') ?? 0);
  const name = typeOf(record)?.structType?.field?.[index]?.fieldName;
  return outer && name ? { ...outer, path: [...outer.path, name] } : undefined;
}
