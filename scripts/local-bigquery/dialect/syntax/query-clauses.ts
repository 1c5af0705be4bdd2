// Finds the clauses of a query in its tokens.
import { closingBracket, isSymbol, isWord } from '../../../lexer/sql-tokens.ts';
import type { Token } from '../../../lexer/sql-tokens.ts';
import { separated } from './call-arguments.ts';

/** Indexes into the tokens, `end` exclusive. */
export interface Clause {
  /** Of the first keyword. */
  at: number;
  end: number;
}

const CLAUSES = [
  'SELECT',
  'FROM',
  'WHERE',
  'GROUP',
  'HAVING',
  'QUALIFY',
  'WINDOW',
  'ORDER',
  'LIMIT',
];
const SET_OPERATIONS = ['UNION', 'INTERSECT', 'EXCEPT'];

/** The clauses of the query in whose brackets a token is, by their first keyword; none outside of a SELECT. */
export function clausesAround(all: readonly Token[], index: number): ReadonlyMap<string, Clause> {
  const starts: { name: string; at: number }[] = [];
  const first = selectBefore(all, index);
  if (first === undefined) return new Map();
  let end = first;
  for (; end < all.length; end++) {
    const token = all[end];
    if (isSymbol(token, '(') || isSymbol(token, '[')) end = closingBracket(all, end) ?? all.length;
    if (isSymbol(token, ')') || isSymbol(token, ']') || isSymbol(token, ';')) break;
    if (isPipe(all, end) || isSetOperation(all, end)) break;
    const name = token?.kind === 'word' ? token.text.toUpperCase() : '';
    const isComparison = name === 'FROM' && isWord(all[end - 1], 'DISTINCT');
    if (CLAUSES.includes(name) && !isComparison) starts.push({ name, at: end });
  }
  return new Map(
    starts.map(({ name, at }, position) => [name, { at, end: starts[position + 1]?.at ?? end }]),
  );
}

/** `|>` */
export function isPipe(all: readonly Token[], index: number): boolean {
  const [bar, greater] = [all[index], all[index + 1]];
  return isSymbol(bar, '|') && isSymbol(greater, '>') && bar?.end === greater?.start;
}

function selectBefore(all: readonly Token[], index: number): number | undefined {
  let depth = 0;
  for (let at = index; at >= 0; at--) {
    if (isSymbol(all[at], ')') || isSymbol(all[at], ']')) depth++;
    if (isSymbol(all[at], '(') || isSymbol(all[at], '[')) depth--;
    if (depth < 0) return undefined;
    if (depth === 0 && isWord(all[at], 'SELECT')) return at;
  }
  return undefined;
}

/** `SELECT * EXCEPT (a)` is none. */
function isSetOperation(all: readonly Token[], index: number): boolean {
  if (isSymbol(all[index - 1], '*')) return false;
  return SET_OPERATIONS.some((word) => isWord(all[index], word));
}

/** The expressions of a SELECT clause with their aliases. */
export function selectItems(all: readonly Token[], { at, end }: Clause): Token[][] {
  let first = at + 1;
  if (isWord(all[first], 'DISTINCT') || isWord(all[first], 'ALL')) first++;
  if (isWord(all[first], 'AS')) first += 2;
  const items = separated(all.slice(first, end));
  // A comma may follow the last one.
  return items.at(-1)?.length === 0 ? items.slice(0, -1) : items;
}

/** The words of a FROM clause that may be names of tables: the last of each path, but those in ON. */
export function tableNames(from: readonly Token[]): Set<string> {
  const names = new Set<string>();
  let isCondition = false;
  for (let index = 0; index < from.length; index++) {
    const token = from[index];
    if (isSymbol(token, '(') || isSymbol(token, '[')) {
      index = closingBracket(from, index) ?? from.length;
      continue;
    }
    if (isWord(token, 'ON')) isCondition = true;
    if (isWord(token, 'JOIN') || isSymbol(token, ',')) isCondition = false;
    const isLast = token && token.kind !== 'symbol' && !isSymbol(from[index + 1], '.');
    if (isLast && !isCondition)
      names.add(token.text.replaceAll('`', '').toLowerCase().split('.').at(-1) ?? '');
  }
  return names;
}

const AGGREGATES = new Set(
  (
    'ANY_VALUE APPROX_COUNT_DISTINCT APPROX_QUANTILES APPROX_TOP_COUNT APPROX_TOP_SUM ARRAY_AGG ARRAY_CONCAT_AGG ' +
    'AVG BIT_AND BIT_OR BIT_XOR CORR COUNT COUNTIF COVAR_POP COVAR_SAMP GROUPING LOGICAL_AND LOGICAL_OR MAX MAX_BY ' +
    'MIN MIN_BY STDDEV STDDEV_POP STDDEV_SAMP STRING_AGG SUM VARIANCE VAR_POP VAR_SAMP'
  ).split(' '),
);
const SKETCH_AGGREGATES = new Set(['INIT', 'MERGE', 'MERGE_PARTIAL']);

/** Whether a token is the name in a call of an aggregate function; `own` are those of the query, in upper case. */
export function isAggregateCall(
  all: readonly Token[],
  index: number,
  own: ReadonlySet<string> = new Set(),
): boolean {
  const token = all[index];
  if (!token || token.kind === 'symbol' || !isSymbol(all[index + 1], '(')) return false;
  const name = token.text.replaceAll('`', '').toUpperCase();
  if (isSymbol(all[index - 1], '.') && !isWord(all[index - 2], 'SAFE')) {
    return isWord(all[index - 2], 'HLL_COUNT') && SKETCH_AGGREGATES.has(name);
  }
  return AGGREGATES.has(name) || own.has(name);
}

/** The names, in upper case, of the aggregate functions that a text defines. */
export function ownAggregates(all: readonly Token[]): Set<string> {
  return new Set(
    all.flatMap((token, index) => {
      if (!isWord(token, 'AGGREGATE') || !isWord(all[index + 1], 'FUNCTION')) return [];
      const open = all.findIndex((later, at) => at > index && isSymbol(later, '('));
      return all[open - 1]?.text.replaceAll('`', '').toUpperCase() ?? [];
    }),
  );
}
