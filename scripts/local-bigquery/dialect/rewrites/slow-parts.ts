// Finds the parts of a query whose time grows with the product of two numbers of rows: the engine has no optimiser.
import { isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { placeOfOrigin } from '../../analysis/mapped-text.ts';
import * as tree from '../../analysis/resolved-tree.ts';
import type { Message, ResolvedNode } from '../../analysis/resolved-tree.ts';
import type { Analysis, RowSource, SlowPart } from '../../analysis/sql-script.ts';
import { rowKeys } from './evaluated-once.ts';

/** `statement` is the resolved tree of the text. A subquery that reads its rows by a key is not a slow part. */
export function slowParts(statement: unknown, sql: string): SlowPart[] {
  const bytes = Buffer.from(sql);
  const found: SlowPart[] = [];
  const withQueries = new Map<string, ResolvedNode>();
  const startOf = (node: ResolvedNode) => tree.textPlaceOf(node, bytes)?.start ?? 0;

  /** A scan with those below it, except those of subqueries in expressions; each WITH query once. */
  function scansIn(scan: ResolvedNode, seen = new Set<unknown>()): ResolvedNode[] {
    if (scan.kind === 'SubqueryExpr' || seen.has(scan)) return [];
    seen.add(scan);
    const query = withQueries.get(String(tree.fieldOf(scan.message, 'withQueryName')));
    const below = scan.kind === 'WithRefScan' && query ? [query] : tree.nodesIn(scan.message);
    return [scan, ...below.flatMap((one) => scansIn(one, seen))];
  }

  function sourceOf(scan: ResolvedNode): RowSource {
    const scans = scansIn(scan);
    return {
      tables: scans.filter(({ kind }) => kind === 'TableScan').map(tree.tableOf),
      isPart: scans.some(({ kind }) => /^(?:Filter|Aggregate|LimitOffset)Scan$/.test(kind)),
    };
  }

  function add(kind: SlowPart['kind'], offset: number, rows: RowSource, others: RowSource): void {
    if (rows.tables.length > 0 && others.tables.length > 0) {
      found.push({ kind, offset, rows, others });
    }
  }

  /** `input` gives the rows for each of which the node is evaluated; `filter` contains the equalities above it. */
  function visit(
    node: ResolvedNode,
    input: ResolvedNode | undefined,
    filter: readonly ResolvedNode[][] = [],
  ): void {
    const { kind, message } = node;
    for (const [name, query] of tree.withQueriesOf(message)) withQueries.set(name, query);
    const scan = tree.childOf(message, 'inputScan');
    if (kind === 'SubqueryExpr') {
      const query = tree.childOf(message, 'subquery');
      const isByRow = tree.listOf(message, 'parameterList').length > 0;
      const hasKey = tree
        .withNodesBelow(query)
        .some((one) => one.kind === 'FilterScan' && rowKeys(one).length > 0);
      if (input && query && isByRow && !hasKey) {
        add('subquery', startOf(node), sourceOf(input), sourceOf(query));
      }
    }
    const [left, right] = [tree.childOf(message, 'leftScan'), tree.childOf(message, 'rightScan')];
    const isInner = kind === 'JoinScan' && message['joinType'] === 'INNER';
    if (kind === 'JoinScan' && left && right) {
      const own = tree.equalities(tree.childOf(message, 'joinExpr'));
      const on = [...own, ...(isInner ? filter : [])];
      const hasKey = on.some((sides) => isBetween(sides, left, right));
      if (!hasKey) add('join', startOf(node), sourceOf(left), sourceOf(right));
    }
    if (kind === 'AnalyticScan' && scan) {
      const rows = { ...sourceOf(scan), isPart: true };
      for (const call of wholeWindows(message)) {
        const [argument] = tree.argumentsOf(call);
        const from = argument && (tree.textPlaceOf(argument, bytes)?.end ?? 0);
        add('window', offsetOfOver(sql, from), rows, rows);
      }
    }
    const passed =
      kind === 'FilterScan' ? tree.equalities(tree.childOf(message, 'filterExpr')) : [];
    for (const child of tree.nodesIn(message)) {
      visit(child, scan ?? (left ? node : input), isInner ? filter : passed);
    }
  }

  const root = tree.nodeOf(statement);
  if (root) visit(root, undefined);
  return found;
}

function isBetween(sides: readonly ResolvedNode[], left: ResolvedNode, right: ResolvedNode) {
  const [one = [], other = []] = sides.map((side) => tree.columnRefs(side));
  const areOf = (refs: typeof one, scan: ResolvedNode) => {
    const own = new Set(tree.columnsOf(scan).map(({ columnId }) => columnId));
    return refs.length > 0 && refs.every(({ columnId }) => own.has(columnId));
  };
  return (areOf(one, left) && areOf(other, right)) || (areOf(one, right) && areOf(other, left));
}

const NAVIGATION = /^ZetaSQL:(?:first_value|last_value|nth_value)$/;

/** The aggregates of a scan whose window grows with the partition: each is computed from its first row on. */
function wholeWindows(scan: Message): ResolvedNode[] {
  const groups = tree.listOf(scan, 'functionGroupList').map(tree.messageOf);
  const items = groups.flatMap((group) => tree.listOf(group, 'analyticFunctionList'));
  const calls = items.flatMap((item) => tree.nodeOf(tree.messageOf(item)?.['expr']) ?? []);
  return calls.filter(({ message }) => {
    const { startExpr, endExpr } = tree.messageOf(message['windowFrame']) ?? {};
    const isWhole = [startExpr, endExpr].some((bound) =>
      String(tree.messageOf(bound)?.['boundaryType']).startsWith('UNBOUNDED'),
    );
    const called = tree.messageOf(tree.fieldOf(message, 'function'))?.['name'];
    return isWhole && !NAVIGATION.test(String(called));
  });
}

/** The offset of the OVER after an argument or, without one, after the first COUNT(*). */
function offsetOfOver(sql: string, from: number | undefined): number {
  const over = tokens(sql).find(
    (token, index, all) =>
      isWord(token, 'OVER') &&
      (from === undefined ? isSymbol(all[index - 2], '*') : token.start >= from),
  );
  return over?.start ?? 0;
}

/** The relative cost of a part for each pair of rows. */
const WEIGHTS: Readonly<Record<SlowPart['kind'], number>> = { subquery: 1, join: 1, window: 0.15 };
/** A lower cost takes less than a second. */
const COST_MIN = 100_000;

/** What takes most of the time, and what to write instead; undefined if no part of the query is known to be slow. */
export function slowestPart(
  { slowParts: parts, source }: Pick<Analysis, 'slowParts' | 'source'>,
  rowsIn: (table: string) => number,
): string | undefined {
  const largest = ({ tables }: RowSource) =>
    tables
      .map((table) => ({ table, rows: rowsIn(table) }))
      .reduce((most, one) => (one.rows > most.rows ? one : most));
  const [slowest] = parts
    .map((part) => ({ part, rows: largest(part.rows), others: largest(part.others) }))
    .map((one) => ({ ...one, cost: one.rows.rows * one.others.rows * WEIGHTS[one.part.kind] }))
    .filter(({ cost }) => cost >= COST_MIN)
    .sort((a, b) => b.cost - a.cost);
  if (slowest === undefined) return undefined;
  const { part, rows, others } = slowest;
  const place = placeOfOrigin(source, part.offset);
  const each = rowsText(rows, part.rows);
  return {
    subquery: `the correlated subquery at ${place} is evaluated for each of ${each}: write it as a join, or aggregate first`,
    window: `the window at ${place} is computed again for each of ${each} in a partition: aggregate first`,
    join: `the join at ${place} compares each of ${each} with each of ${rowsText(others, part.others)}: join by an equality, or aggregate first`,
  }[part.kind];
}

function rowsText({ table, rows }: { table: string; rows: number }, { isPart }: RowSource): string {
  const name = table.split('.').at(-1) ?? table;
  return `${isPart ? 'up to ' : ''}${rows.toLocaleString('en-US')} rows of \`${name}\``;
}
