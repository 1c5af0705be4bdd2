// Derives the query of a batch from query.sql: many values of the parameters in `warming.batchOver` in one job.
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { InspectedQuery } from '../../compile/inspect-endpoint.ts';
import { separated } from '../../lexer/brackets.ts';
import { clausesOf, isPipe, withoutOrder } from '../../lexer/query-clauses.ts';
import {
  type Edit,
  type Token,
  type Tokens,
  applyEdits,
  isSymbol,
  isWord,
  nameOf,
  tokens,
} from '../../lexer/sql-tokens.ts';
import { type ResolvedNode, originOf, tree } from '../../local-bigquery/index.ts';
import type { AnalysedQuery } from '../analysed-query.ts';
import { scansOf } from './partitioned-scans.ts';

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
  /** The node, or the one in it that compares the column with the parameter. */
  equal: ResolvedNode;
  name: string;
  /** The value of the parameter that stands for all rows: a literal, or `$is_null`; undefined if none does. */
  any?: ResolvedNode | undefined;
}

/** Types whose values are equal if their texts are, of which none is empty; a column of another type than the parameter is refused. */
const WITH_TEXTS = ['BOOL', 'DATE', 'INT64', 'TIMESTAMP'];

/** What a run passes in place of the current time. */
const TIMES: Record<string, string> = { current_date: 'DATE(@now)', current_timestamp: '@now' };

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
  const clauses = clausesOf(all);
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
  const nodes = tree.allNodes([analysed.resolved]);
  const filter = nodes.find((node) => {
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
  const select = all[/^(?:DISTINCT|ALL)$/i.test(all[1]?.text ?? '') ? 1 : 0];
  append(select, ` ${field('key')} AS key,`);
  const listed: string[] = [];
  const equalities: string[] = [];
  for (const { node, equal, name, any } of conditions) {
    const { start, end } = placeOf(equal);
    // By its text, because the tree has no place of an element of UNNEST.
    const column = all.filter(
      (one) => one.start >= start && one.end <= end && !/^[()=@]/.test(one.text),
    );
    const path = text.slice(column[0]?.start, column.at(-1)?.end);
    let [ofRow, ofKey] = [path, field(name)];
    if (any !== undefined) {
      let values = `${textOf(any)}, NULLIF(${path}, ${textOf(any)})`;
      if (any.kind === 'FunctionCall') {
        requireTexts(endpoint, name);
        values = `'', CAST(${path} AS STRING)`;
        ofKey = `IFNULL(CAST(${ofKey} AS STRING), '')`;
      }
      // NULL is the value of no key.
      ofRow = `${batch}_row_${listed.length + 1}`;
      listed.push(`\nCROSS JOIN UNNEST([${values}]) AS ${ofRow}`);
    }
    equalities.push(`${ofRow} = ${ofKey}`);
    edits.push(withoutCondition(where, placeOf(node)));
  }
  const keys = ['key', ...batchOver].map((name) => `\`${name}\` AS ${batch}_${name}`);
  append(
    clauseOf('FROM').at(-1),
    `${listed.join('')}
INNER JOIN (SELECT ${keys.join(', ')} FROM UNNEST(@keys)) AS ${batch}
  ON ${equalities.join(' AND ')}`,
  );
  const [group, order] = [clauseOf('GROUP'), clauseOf('ORDER')];
  if (!isWord(group[2], 'ALL')) append(group[1], ` ${field('key')},`);
  if (order.length > 0) append(order[1], ' key,');
  else append(all.at(-1), '\nORDER BY key');
  for (const place of [group.slice(2), order.slice(2)].flatMap(separated).flatMap(placesOf)) {
    edits.push({ start: place.start, end: place.end, text: String(Number(place.text) + 1) });
  }
  const written = (...added: Edit[]): string =>
    applyEdits(text.slice(0, all.at(-1)?.end), [...edits, ...added]).slice(all[0]?.start);
  const time = boundOf(endpoint, required, analysed);
  if (time instanceof Underivable) return { whole: written(), changed: time };
  const last = where.at(-1)?.end ?? 0;
  const since = { start: last, end: last, text: `\n  AND ${textOf(time)} >= @since` };
  return { whole: written(), changed: written(...clocksIn(nodes, text, placeOf), since) };
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

/** The column in a condition, for which `@since` is one more bound. Whether that is sound, incremental.ts proves. */
function boundOf(
  { bucket }: Pick<Endpoint, 'bucket'>,
  required: readonly ResolvedNode[],
  analysed: AnalysedQuery,
) {
  if (bucket === undefined) return new Underivable('endpoint.json has no bucket');
  if (bucket.window === undefined || bucket.whole !== true) {
    return new Underivable('bucket has no window, or its first bucket is not whole');
  }
  const { times } = scansOf(analysed);
  const nodes = required.flatMap(tree.withNodesBelow);
  const time = nodes.find((node) => times.has(tree.columnIdOf(node)));
  const reason = 'WHERE has no condition on the TIMESTAMP column by which a table is partitioned';
  return time ?? new Underivable(reason);
}

type PlaceOf = ReturnType<typeof placesIn>;

/** Not those with a time zone, and in routines: they stay, and are refused. */
function clocksIn(nodes: ResolvedNode[], sql: string, placeOf: PlaceOf): Edit[] {
  const edits = nodes.flatMap((node): Edit[] => {
    const text = TIMES[tree.functionOf(node) ?? ''];
    const isClock = text !== undefined && tree.argumentsOf(node).length === 0;
    const place = placeOf(node);
    const isWritten = /^CURRENT_[A-Z]+\s*(?:\(|$)/i.test(sql.slice(place.start, place.end));
    // The place of a node in a routine is before the text.
    return isClock && isWritten && place.start > 0 ? [{ ...place, text }] : [];
  });
  return [...new Map(edits.map((edit) => [edit.start, edit])).values()];
}

/** The number of a column, which may be in brackets: the first column is now key. */
function placesOf(item: Tokens): Token[] {
  const bare = withoutOrder(item).filter(({ text }) => !/^[()]$/.test(text));
  const isPlace = bare[0]?.kind === 'number' && (!bare[1] || isWord(bare[1], 'COLLATE'));
  return isPlace ? bare.slice(0, 1) : [];
}

/** The query is one SELECT whose rows each belong to one key, whatever the other keys are. */
function refuseOthers(
  all: Tokens,
  clauses: ReturnType<typeof clausesOf>,
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
  const list = all.slice(0, clauses.get('FROM')?.at);
  const isAll = ({ text, depth }: Token, at: number): boolean =>
    text === '*' && depth === 0 && /^(?:,|SELECT|DISTINCT|ALL)$/i.test(list[at - 1]?.text ?? '');
  if (list.some(isAll)) {
    throw new Underivable(
      'SELECT * would return the columns of the keys too: write its columns, or the table before the asterisk',
    );
  }
  const { at = 0, end = 0 } = clauses.get('GROUP') ?? {};
  const [, , sets] = all.slice(at, end);
  if (/^(?:ROLLUP|CUBE|GROUPING)$/i.test(sets?.text ?? '')) {
    throw new Underivable(`GROUP BY ${sets?.text} would group the rows of several keys together`);
  }
  const grouped = tree.allNodes([resolved]).filter(({ kind }) => kind === 'AggregateScan');
  if (grouped.some(({ message }) => tree.listOf(message, 'groupByList').length === 0)) {
    throw new Underivable(
      'without a value in GROUP BY the query has a row also where there is nothing to count, and a batch has none',
    );
  }
}

function refuseOtherUses(name: string, all: Tokens, conditions: readonly Condition[]): void {
  const uses = all.filter(({ kind, text }) => kind === 'parameter' && isSame(text, `@${name}`));
  const nodes = conditions.flatMap(({ node }) => tree.withNodesBelow(node));
  if (nodes.filter((node) => isParameter(node, name)).length === uses.length) return;
  throw new Underivable(
    `@${name} is used in another way than WHERE column = @${name}, or (@${name} = '' OR column = @${name}), with a column of its type, joined to other conditions by AND (for other types than STRING, IS NULL in place of = '')`,
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
    if (node && column?.kind === 'ColumnRef' && name !== undefined) return { equal: node, name };
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

function requireTexts({ parameters }: Pick<Endpoint, 'parameters'>, name: string): void {
  const { type = 'STRING' } = parameters[name] ?? {};
  if (WITH_TEXTS.includes(type)) return;
  const isText = type === 'STRING';
  const instead = isText ? `an absent STRING is '': write @${name} = ''` : 'give it a default';
  throw new Underivable(`@${name} IS NULL cannot be joined by equality for ${type}; ${instead}`);
}

/** A name that the query does not use. */
function freeName(name: string, all: Tokens): string {
  const isTaken = all.some((token) => nameOf(token).startsWith(name));
  return isTaken ? freeName(`${name}_`, all) : name;
}
