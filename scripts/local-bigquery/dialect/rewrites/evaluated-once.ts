// Extracts the parts of a query that do not depend on its rows: the engine has no optimiser and would repeat them.
import { closingBracket, textOf } from '../../../lexer/brackets.ts';
import { applyEdits, isSymbol, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
import type { Edit } from '../../../lexer/sql-tokens.ts';
import hashes from './hashes.json' with { type: 'json' };
import * as tree from '../../analysis/resolved-tree.ts';
import type { ResolvedNode } from '../../analysis/resolved-tree.ts';
import { withClauseAt } from '../../../lexer/query-clauses.ts';
import { GoogleSqlError } from '../../engine/error.ts';
import type { EngineValue } from '../../values/engine-values.ts';
import type { EngineParameter } from '../../values/query-parameters.ts';
import { type EngineType, arrayOf } from '../../values/table-schema.ts';

/**
 * The query in stages: the value of each becomes a parameter of the later ones and of the query. `statement` is the
 * resolved tree of the text; without a stage the text is the same.
 * - `(SELECT MAX(b) FROM u)`, EXISTS and ARRAY that refer to nothing outside are parameters.
 * - `a IN (SELECT b FROM u)` looks into the part of the values that has the hash of `a`.
 */
export function evaluatedOnce(sql: string, statement: unknown) {
  const bytes = Buffer.from(sql);
  const all = tokens(sql);
  const withQueries = withClauseAt(all, 0)?.queries ?? [];
  const stages = new Map<string, Stage>();
  const edits: Edit[] = [];

  function textAt(node: ResolvedNode | undefined): Edit | undefined {
    const place = tree.textPlaceOf(node, bytes);
    return place && { ...place, text: sql.slice(place.start, place.end) };
  }

  function stage(kind: string, query: string, valueOf: (rows: EngineRows) => StageValue): string {
    const key = `${kind} ${query}`;
    const name = stages.get(key)?.name ?? `local_once_${stages.size}`;
    stages.set(key, { name, sql: query, parameter: (rows) => ({ name, ...valueOf(rows) }) });
    return `@${name}`;
  }

  /** The WITH queries before a place; undefined if a node needs others. */
  function withBefore(place: number, node: ResolvedNode): string | undefined {
    const before = withQueries.filter(({ close }) => (all[close]?.end ?? 0) <= place);
    const names = new Set(before.map(({ name }) => nameOf(name)));
    if (!withNames(node).every((name) => names.has(name.toLowerCase()))) return undefined;
    const last = before.at(-1);
    return last ? `${textOf(sql, all.slice(0, last.close + 1))} ` : '';
  }

  function replaceSubquery(node: ResolvedNode): boolean {
    const kind = String(node.message['subqueryType']);
    const place = textAt(node);
    const subquery = tree.childOf(node.message, 'subquery');
    if (!place || !subquery || tree.listOf(node.message, 'parameterList').length > 0) return false;
    const prefix = withBefore(place.start, subquery);
    if (prefix === undefined || isOfItsRow(subquery)) return false;
    if (kind !== 'IN') {
      const inner = place.text.slice(place.text.indexOf('(') + 1, place.text.lastIndexOf(')'));
      const query = `${prefix}${inner}\n`;
      edits.push({ ...place, text: stage(kind, query, (rows) => valueOfRows(kind, rows)) });
      return true;
    }
    const operand = tree.childOf(node.message, 'inExpr');
    const asked = textAt(operand);
    const type = tree.typeOf(operand)?.typeKind;
    const [column] = tree.columnsOf(subquery);
    const open = all.findLastIndex((token) => token.end <= place.start && isSymbol(token, '('));
    const close = closingBracket(all, open);
    if (!operand || !asked || close === undefined || isOfItsRow(operand)) return false;
    // A cast that the text does not have would not be in the rewritten text either.
    const isCast = operand.kind === 'Cast' && !/^(?:SAFE_)?CAST\b/i.test(asked.text);
    const isNested = tree.withNodesBelow(operand).some((one) => one.kind === 'SubqueryExpr');
    if (isCast || isNested) return false;
    if (!type || type !== column?.type.typeKind) return false;
    const query = `${prefix}${place.text}\n`;
    const list = stage('ARRAY', query, (rows) => valueOfRows('ARRAY', rows));
    const hash = hashOf('local_value', type);
    const buckets = `SELECT local_bucket, ARRAY_AGG(local_value IGNORE NULLS) FROM (SELECT DISTINCT local_value, ${hash} AS local_bucket FROM UNNEST(${list}) AS local_value) GROUP BY local_bucket`;
    const name = stage('IN', buckets, bucketsOfRows);
    const text = `UNNEST(${name}[OFFSET(${hashOf(asked.text, type)})].local_items)`;
    edits.push({ start: all[open]?.start ?? 0, end: all[close]?.end ?? 0, text });
    return true;
  }

  function visit(node: ResolvedNode): void {
    if (node.kind === 'SubqueryExpr' && replaceSubquery(node)) return;
    tree.nodesIn(node.message).forEach(visit);
  }

  const root = tree.nodeOf(statement);
  if (root) visit(root);
  return { stages: [...stages.values()], sql: applyEdits(sql, edits) };
}

/** From 1 to 512, the same for equal values; 0 for NULL. */
function hashOf(value: string, type: string): string {
  const number = (HASHES[type] ?? 'IF({} IS NULL, NULL, 0)').replace('{}', () => `(${value})`);
  return `IFNULL(1 + MOD(MOD(${number}, 512) + 512, 512), 0)`;
}

/** Expressions of a number for each type that is compared by its hash; `{}` is the value. */
const HASHES: Readonly<Record<string, string>> = hashes;

/** Whether it may have another value each time: by chance, by the clock, or as a part of a recursion. */
function isOfItsRow(node: ResolvedNode): boolean {
  return tree.withNodesBelow(node).some((one) => {
    if (one.kind === 'RecursiveRefScan' || one.kind === 'SampleScan') return true;
    if (one.kind !== 'FunctionCall') return false;
    const name = tree.functionOf(one);
    return name === undefined || /^(?:rand|generate_uuid|current_\w+)$/.test(name);
  });
}

/** The WITH queries that it reads and does not define. */
function withNames(node: ResolvedNode): string[] {
  const nodes = tree.withNodesBelow(node);
  const own = nodes.flatMap(({ message }) => tree.withQueriesOf(message).map(([name]) => name));
  const references = nodes.filter(({ kind }) => kind === 'WithRefScan');
  const read = references.map(({ message }) => String(tree.fieldOf(message, 'withQueryName')));
  return read.filter((name) => !own.includes(name));
}

interface Stage {
  name: string;
  sql: string;
  parameter(found: EngineRows): EngineParameter;
}

export interface EngineRows {
  columns: { name?: string; type: EngineType }[];
  rows: EngineValue[][];
}

type StageValue = Omit<EngineParameter, 'name'>;

/** The value of a subquery of the kind SCALAR, EXISTS or ARRAY. */
function valueOfRows(kind: string, { rows, columns: [column] }: EngineRows): StageValue {
  const type = column?.type ?? { typeKind: 'TYPE_INT64' };
  const values = rows.map(([value = {}]) => value);
  if (kind === 'EXISTS') {
    return { type: { typeKind: 'TYPE_BOOL' }, value: { boolValue: rows.length > 0 } };
  }
  if (kind === 'ARRAY') return { type: arrayOf(type), value: { arrayValue: { element: values } } };
  if (values.length > 1) throw new GoogleSqlError('runtime', 'more than one element');
  return { type, value: values[0] ?? {} };
}

const BUCKETS = 513;

/**
 * Lists by their hash, from rows of a hash and a list. IN finds NULL as in the whole list: in each part of a list that
 * contains NULL, and for a NULL in a list that is not empty.
 */
function bucketsOfRows({ rows, columns: [, column] }: EngineRows): StageValue {
  const list = column?.type ?? arrayOf({ typeKind: 'TYPE_INT64' });
  const buckets: EngineValue[][] = Array.from({ length: BUCKETS }, () => []);
  for (const [hash, items] of rows) {
    buckets[Number(hash?.int64Value)] = [...(items?.arrayValue?.element ?? [])];
  }
  const hasNull = rows.some(([hash]) => hash?.int64Value === '0');
  if (hasNull) for (const bucket of buckets) bucket.push({});
  else if (rows.length > 0) buckets[0] = [{}];
  const field = [{ fieldName: 'local_items', fieldType: list }];
  const type = arrayOf({ typeKind: 'TYPE_STRUCT', structType: { field } });
  const element = buckets.map((items) => ({
    structValue: { field: [{ arrayValue: { element: items } }] },
  }));
  return { type, value: { arrayValue: { element } } };
}
