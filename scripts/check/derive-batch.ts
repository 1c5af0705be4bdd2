// Derives the query of a batch from query.sql: many values of the parameters in `warming.batchOver` in one job.
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { InspectedQuery } from '../compile/inspect-endpoint.ts';
import { closingBracket, separated } from '../lexer/brackets.ts';
import { clausesAround, isPipe } from '../lexer/query-clauses.ts';
import {
  type Edit,
  type Token,
  type Tokens,
  applyEdits,
  isSymbol,
  isWord,
  nameOf,
  tokens,
} from '../lexer/sql-tokens.ts';
import { type ResolvedNode, originOf, tree } from '../local-bigquery/index.ts';
import type { AnalysedQuery } from './analysed-query.ts';
import { timeColumn } from './partitioned-scans.ts';

/** The message is the end of a sentence that says why there is no batch. */
export class Underivable extends Error {}

interface Derived {
  /** Reads all rows of the window. */
  whole: string;
  /** Takes the time from `@now`, and reads the rows from `@since` on; the reason if that cannot be derived. */
  changed: string | Underivable;
}

/** A condition of WHERE on a batched parameter, in place of which the rows are joined with the keys. */
interface Condition {
  node: ResolvedNode;
  column: ResolvedNode;
  name: string;
  /** The value of the parameter that stands for all rows: a literal, or `$is_null`; undefined if none does. */
  any?: ResolvedNode | undefined;
}

/** Texts that are equal if the values of an optional parameter are; a column of another type than the parameter is refused. */
const TEXTS: Readonly<Record<string, (value: string) => string>> = {
  BOOL: (value) => `IF(${value}, '=t', '=f')`,
  DATE: (value) => `FORMAT_DATE('=%F', ${value})`,
  INT64: (value) => `FORMAT('=%d', ${value})`,
  TIMESTAMP: (value) => `FORMAT('=%d', UNIX_MICROS(${value}))`,
};

/**
 * The text without the routines. The keys are joined by equality, so that BigQuery does not pair each of them with each row: with
 * an optional parameter, each row is listed under its value, and under the one for all rows. Throws `Underivable`.
 */
export function deriveBatch(
  endpoint: Pick<Endpoint, 'parameters' | 'bucket'>,
  batchOver: readonly string[],
  { sql, parts }: InspectedQuery,
  analysed: AnalysedQuery,
): Derived {
  const text = parts.at(-1)?.text ?? '';
  const all = tokens(text).filter((token) => !isSymbol(token, ';'));
  const clauses = clausesAround(all, 0);
  const clauseOf = (name: string): Tokens => {
    const { at, end } = clauses.get(name) ?? { at: 0, end: 0 };
    return all.slice(at, end);
  };
  refuseOthers(all, clauses, analysed);
  const where = clauseOf('WHERE');
  const placeOf = placesIn(analysed, sql.length - text.length);
  const textOf = (node: ResolvedNode): string => {
    const { start, end } = placeOf(node);
    return text.slice(start, end);
  };
  const filter = tree.allNodes([analysed.resolved]).find((node) => {
    const condition = tree.childOf(node.message, 'filterExpr');
    const { start } = condition ? placeOf(condition) : { start: -1 };
    return start > (where[0]?.start ?? Infinity) && start < (where.at(-1)?.end ?? 0);
  });
  const required = tree.conjunctsOf(tree.childOf(filter?.message, 'filterExpr'));
  const conditions = required.flatMap((node) => conditionOf(node, batchOver));
  for (const name of batchOver) refuseOtherUses(name, all, conditions);
  const behind = all.filter(({ start }) => start > (where.at(-1)?.start ?? 0));
  if (behind.some((token, at) => nameOf(token) === 'key' && !isSymbol(behind[at - 1], '.'))) {
    throw new Underivable(
      'key would be the key of a batch in GROUP BY, HAVING and ORDER BY: write the table before it',
    );
  }

  const batch = freeName('batch', all);
  const field = (name: string): string => `${batch}.${batch}_${name}`;
  const edits: Edit[] = [];
  const append = (token: Token | undefined, added: string): void =>
    void (token && edits.push({ start: token.end, end: token.end, text: added }));
  append(
    /^(?:DISTINCT|ALL)$/i.test(all[1]?.text ?? '') ? all[1] : all[0],
    ` ${field('key')} AS key,`,
  );
  const fields = new Map([['key', 'key']]);
  const listed: string[] = [];
  const equalities: string[] = [];
  for (const { node, column, name, any } of conditions) {
    const path = textOf(column);
    const write = any?.kind === 'FunctionCall' ? textsOf(endpoint, name) : undefined;
    const own = write === undefined ? name : `${name}_text`;
    const value = `\`${name}\``;
    fields.set(own, write ? `IF(${value} IS NULL, '', ${write(value)})` : value);
    let joined = path;
    if (any !== undefined) {
      joined = `${batch}_row_${listed.length + 1}`;
      const ofAll = write ? "''" : textOf(any);
      const isOther = write ? `${path} IS NOT NULL` : `${path} != ${ofAll}`;
      const values = `IF(${isOther}, [${ofAll}, ${write?.(path) ?? path}], [${ofAll}])`;
      listed.push(`\nCROSS JOIN UNNEST(${values}) AS ${joined}`);
    }
    equalities.push(`${joined} = ${field(own)}`);
    edits.push(withoutCondition(where, placeOf(node)));
  }
  const keys = [...fields].map(([name, value]) => `${value} AS ${batch}_${name}`).join(', ');
  append(
    clauseOf('FROM').at(-1),
    `${listed.join('')}
INNER JOIN (SELECT ${keys} FROM UNNEST(@keys)) AS ${batch}
  ON ${equalities.join(' AND ')}`,
  );
  const [group, order] = [clauseOf('GROUP'), clauseOf('ORDER')];
  if (!isWord(group[2], 'ALL')) append(group[1], ` ${field('key')},`);
  if (order.length > 0) append(order[1], ' key,');
  else append(all.at(-1), '\nORDER BY key');
  for (const [first, second] of [group.slice(2), order.slice(2)].flatMap(separated)) {
    // The place of a column: the first one is now key.
    if (first?.kind !== 'number' || second?.kind === 'symbol') continue;
    edits.push({ start: first.start, end: first.end, text: String(Number(first.text) + 1) });
  }
  const written = (...added: Edit[]): string =>
    applyEdits(text.slice(0, all.at(-1)?.end), [...edits, ...added]).slice(all[0]?.start);
  const time = boundOf(endpoint, required, analysed);
  if (time instanceof Underivable) return { whole: written(), changed: time };
  const last = where.at(-1)?.end ?? 0;
  const since = { start: last, end: last, text: `\n  AND ${textOf(time)} >= @since` };
  return { whole: written(), changed: written(...clocksIn(all), since) };
}

/** Takes a condition out, with its brackets and the AND before it; the first one of a list becomes TRUE. */
function withoutCondition(where: Tokens, { start, end }: Pick<Edit, 'start' | 'end'>): Edit {
  let first = where.findIndex((token) => token.start >= start);
  let last = where.findLastIndex((token) => token.end <= end);
  for (; isSymbol(where[first - 1], '(') && isSymbol(where[last + 1], ')'); last += 1) first -= 1;
  const isBehind = isWord(where[first - 1], 'AND');
  const from = isBehind ? where[first - 2]?.end : where[first]?.start;
  return { start: from ?? start, end: where[last]?.end ?? end, text: isBehind ? '' : 'TRUE' };
}

/** The column that WHERE bounds; `@since` is one more bound. Whether that is sound, incremental.ts proves. */
function boundOf(
  { bucket }: Pick<Endpoint, 'bucket'>,
  required: readonly ResolvedNode[],
  { references }: AnalysedQuery,
) {
  if (bucket === undefined) return new Underivable('endpoint.json has no bucket');
  if (bucket.window === undefined || bucket.whole !== true) {
    return new Underivable('bucket has no window, or its first bucket is not whole');
  }
  const times = references.flatMap(({ table }) => timeColumn(table.source)?.toLowerCase() ?? []);
  for (const node of required) {
    const [first] = tree.argumentsOf(node);
    const column = first?.kind === 'ColumnRef' ? tree.columnOf(first.message['column']) : undefined;
    const isLower = /^\$(?:greater|greater_or_equal|between)$/.test(tree.functionOf(node) ?? '');
    if (first && isLower && times.includes(column?.name.toLowerCase() ?? '')) return first;
  }
  return new Underivable(
    'WHERE bounds no TIMESTAMP by which a table is partitioned, by >= or BETWEEN',
  );
}

/** The current time, in place of which a run passes its own. */
function clocksIn(all: Tokens): Edit[] {
  return all.flatMap((token, at) => {
    const close = isSymbol(all[at + 1], '(') ? (closingBracket(all, at + 1) ?? at) : at;
    const isDate = isWord(token, 'CURRENT_DATE');
    const isClock = isDate || isWord(token, 'CURRENT_TIMESTAMP');
    // With a time zone, it stays and is refused.
    if (!isClock || (close !== at && close !== at + 2)) return [];
    const text = isDate ? 'DATE(@now)' : '@now';
    return [{ start: token.start, end: all[close]?.end ?? token.end, text }];
  });
}

/** The query is one SELECT whose rows each belong to one key, whatever the other keys are. */
function refuseOthers(
  all: Tokens,
  clauses: ReturnType<typeof clausesAround>,
  { resolved }: AnalysedQuery,
): void {
  const isOne = all.filter((token) => isWord(token, 'SELECT')).length === 1;
  if (!isWord(all[0], 'SELECT') || !isOne || all.some((_, at) => isPipe(all, at))) {
    throw new Underivable(
      'the query is not one SELECT, without WITH, subqueries, set operations and pipes',
    );
  }
  if (!clauses.has('FROM')) throw new Underivable('the query reads no table');
  if (clauses.has('LIMIT')) throw new Underivable('LIMIT would cut the rows of all keys together');
  if (all.some((token, at) => isWord(token, 'OVER') && !isSymbol(all[at - 1], '.'))) {
    throw new Underivable('a window function would see the rows of all keys');
  }
  const isStar = (at: number): boolean =>
    isSymbol(all[at], '*') && all[at]?.depth === 0 && !isSymbol(all[at - 1], '.');
  const from = clauses.get('FROM')?.at ?? 0;
  const list = all.slice(0, from);
  if (
    list.some((_, at) => isStar(at) && /^(?:,|SELECT|DISTINCT|ALL)$/i.test(all[at - 1]?.text ?? ''))
  ) {
    throw new Underivable(
      'SELECT * would return the columns of the keys too: write its columns, or the table before the asterisk',
    );
  }
  const group = clauses.get('GROUP');
  const groupBy = group === undefined ? [] : all.slice(group.at, group.end);
  if (/^(?:ROLLUP|CUBE|GROUPING)$/i.test(groupBy[2]?.text ?? '')) {
    throw new Underivable(
      `GROUP BY ${groupBy[2]?.text} would group the rows of several keys together`,
    );
  }
  const scans = tree
    .withNodesBelow(tree.nodesIn({ resolved })[0])
    .filter(({ kind }) => kind === 'AggregateScan');
  // One that makes rows distinct has a row for each key.
  if (group === undefined && scans.length > (isWord(all[1], 'DISTINCT') ? 1 : 0)) {
    throw new Underivable(
      'without GROUP BY the query has a row also where there is nothing to count, and a batch has none',
    );
  }
}

function refuseOtherUses(name: string, all: Tokens, conditions: readonly Condition[]): void {
  const uses = all.filter(({ kind, text }) => kind === 'parameter' && isSame(text, `@${name}`));
  const nodes = conditions.flatMap(({ node }) => tree.withNodesBelow(node));
  if (nodes.filter((node) => isParameter(node, name)).length === uses.length) return;
  throw new Underivable(
    `@${name} is used in another way than WHERE column = @${name}, or (@${name} = '' OR column = @${name}), with a column of its type, joined to other conditions by AND`,
  );
}

/** The condition, if it is one on a batched parameter that a batch may have. */
function conditionOf(node: ResolvedNode, batchOver: readonly string[]): Condition[] {
  const equal = equalityIn(node, batchOver);
  if (equal !== undefined) return [{ node, ...equal }];
  const sides = tree.functionOf(node) === '$or' ? tree.argumentsOf(node) : [];
  if (sides.length !== 2) return [];
  return [sides, sides.toReversed()].flatMap(([first, second]) => {
    const compared = equalityIn(second, batchOver);
    const any = compared && anyIn(first, compared.name);
    return compared && any ? [{ node, ...compared, any }] : [];
  });
}

/** `column = @name`, or the other way round; a column of another type would be in a CAST. */
function equalityIn(node: ResolvedNode | undefined, batchOver: readonly string[]) {
  const sides = tree.functionOf(node) === '$equal' ? tree.argumentsOf(node) : [];
  for (const [column, parameter] of [sides, sides.toReversed()]) {
    const name = batchOver.find((one) => isParameter(parameter, one));
    if (column?.kind === 'ColumnRef' && name !== undefined) return { column, name };
  }
  return undefined;
}

/** The literal of `@name = 'literal'`, or the whole of `@name IS NULL`. */
function anyIn(node: ResolvedNode | undefined, name: string): ResolvedNode | undefined {
  const [first, second] = tree.argumentsOf(node);
  if (tree.functionOf(node) === '$is_null' && isParameter(first, name)) return node;
  if (tree.functionOf(node) !== '$equal') return undefined;
  const literal = isParameter(first, name) ? second : isParameter(second, name) ? first : undefined;
  return literal?.kind === 'Literal' ? literal : undefined;
}

function isParameter(node: ResolvedNode | undefined, name: string): boolean {
  return node?.kind === 'Parameter' && isSame(String(node.message['name']), name);
}

function isSame(one: string, other: string): boolean {
  return one.replaceAll('`', '').toLowerCase() === other.toLowerCase();
}

/** Where nodes are in the text behind the routines. */
function placesIn({ analysis: { source } }: AnalysedQuery, textStart: number) {
  const bytes = Buffer.from(source.text);
  return (node: ResolvedNode) => {
    const { start, end } = tree.textPlaceOf(node, bytes) ?? { start: 0, end: 0 };
    const at = originOf(source, start) - textStart;
    return { start: at, end: Math.max(at, originOf(source, end - 1) - textStart + 1) };
  };
}

function textsOf({ parameters }: Pick<Endpoint, 'parameters'>, name: string) {
  const type = parameters[name]?.type ?? 'STRING';
  const write = TEXTS[type];
  if (write !== undefined) return write;
  const isText = type === 'STRING';
  const instead = isText ? `an absent STRING is '': write @${name} = ''` : 'give it a default';
  throw new Underivable(`@${name} IS NULL cannot be joined by equality for ${type}; ${instead}`);
}

/** A name that the query does not use. */
function freeName(name: string, all: Tokens): string {
  const isTaken = all.some((token) => nameOf(token).startsWith(name));
  return isTaken ? freeName(`${name}_`, all) : name;
}
