// Writes warm.sql for a query that groups the rows of one table by time bucket: many keys in one job, and only what has changed.
import type { AnalysedQueries } from '../check/analysed-query.ts';
import { incrementalSources } from '../check/incremental.ts';
import { CLOCKS } from '../check/read-values.ts';
import { INCREMENTAL_DEFAULTS, type InspectedQuery } from '../compile/inspect-endpoint.ts';
import { durationMs } from '../../functions/endpoints/bucket-span.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { separated } from '../lexer/brackets.ts';
import { aliasAfter, clausesAround, selectItems } from '../lexer/query-clauses.ts';
import { type Token, type Tokens, tokens } from '../lexer/sql-tokens.ts';
import { isName, isSymbol, isWord, nameOf } from '../lexer/sql-tokens.ts';
import type { Analysis, ResolvedNode } from '../local-bigquery/index.ts';
import { originOf, partOf, tree } from '../local-bigquery/index.ts';
import { STEPS } from './infer-bucket.ts';

/** The most that endpoint.schema.json allows. */
const KEYS_MAX = 1000;

/** The text, and the fields of endpoint.json that go with it. Throws one sentence if the query is of another form. */
export function warmQuery(endpoint: Endpoint, query: InspectedQuery, queries: AnalysedQueries) {
  const analysed = queries.get('query.sql');
  if (analysed === undefined || !('analysis' in analysed)) throw refusal(analysed?.message ?? '');
  const text = query.parts.at(-1)?.text ?? '';
  const all = tokens(text).filter((token) => !isSymbol(token, ';'));
  if (!isWord(all[0], 'SELECT') || all.filter((token) => isWord(token, 'SELECT')).length > 1) {
    throw refusal('the query must be one SELECT, without WITH, subqueries and set operations');
  }
  const [statement] = tree.nodesIn({ resolved: analysed.resolved });
  const inputs = inputsOf(tree.childOf(statement?.message, 'query'));
  const table = inputs.at(-1);
  if (table?.kind !== 'TableScan') throw refusal('the query must read one table, without a join');
  const bucket = bucketOf(endpoint);
  const { fields = [], definition } = analysed.references[0]?.table.source ?? {};
  const field = definition?.partitioning?.field ?? '';
  if (fields.find(({ name }) => name === field)?.type !== 'TIMESTAMP') {
    throw refusal('the table must be partitioned by a TIMESTAMP column');
  }
  const [grouping, ...others] = inputs.filter(({ kind }) => kind === 'AggregateScan');
  const filter = inputsOf(grouping).find(({ kind }) => kind === 'FilterScan');
  const conditions = tree.conjunctsOf(tree.childOf(filter?.message, 'filterExpr'));
  const isTime = (node: ResolvedNode | undefined): boolean =>
    tree.columnOf(node?.message['column'])?.name.toLowerCase() === field.toLowerCase();

  const [bound] = conditions.flatMap((condition) => {
    const [column, from] = tree.argumentsOf(condition);
    if (tree.functionOf(condition) !== '$greater_or_equal' || !column || !isTime(column)) return [];
    const window = windowOf(from, bucket.step);
    return window === undefined ? [] : [{ column, window }];
  });
  if (bound === undefined) {
    const shape = `${field} >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL n UNIT), STEP)`;
    throw refusal(
      `WHERE must have ${shape}, with the step of the bucket, so that no bucket is cut`,
    );
  }
  const described = { ...bucket, window: bound.window, whole: true };
  requireSound({ ...endpoint, bucket: described }, query, queries);
  if (others.length > 0) throw refusal('the query must group its rows once: remove DISTINCT');
  const clocks = analysed.analysis.uses.filter(({ name }) => CLOCKS.test(name));
  if (clocks.length > 1) {
    throw refusal(`the query may use the current time only in the lower bound of ${field}`);
  }
  const comparisons = conditions.flatMap((condition) => {
    const sides = tree.argumentsOf(condition);
    const parameter = sides.find(({ kind }) => kind === 'Parameter');
    const column = sides.find((side) => side.kind === 'ColumnRef' && !isTime(side));
    if (tree.functionOf(condition) !== '$equal' || !parameter || !column) return [];
    return [{ condition, column, name: String(tree.fieldOf(parameter.message, 'name')) }];
  });
  const batchOver = Object.keys(endpoint.parameters).filter((parameter) => {
    const uses = all.filter((token) => token.text === `@${parameter}`);
    const own = comparisons.filter(({ name }) => name === parameter);
    return own.length > 0 && own.length === uses.length;
  });
  if (batchOver.length === 0) {
    throw refusal('WHERE must have AND shop = @shop, not in OR, with a parameter used only there');
  }
  const compared = comparisons.filter(({ name }) => batchOver.includes(name));
  const keyed = compared.map(({ condition }) => condition);

  // The text of the routines is in front.
  const routines = query.sql.length - text.length;
  const tokensOf = tokenFinder(analysed.analysis, routines, all);
  const path = tokensOf(table);
  const last = all.findIndex((token) => token === path.at(-1));
  const aliasAt = aliasAfter(all, last) ?? last;
  const alias = all[aliasAt]?.text.replaceAll('`', '').split('.').at(-1) ?? '';
  const known = conditions.flatMap(tokensOf);
  const isOther = (token: Token) => !/^(?:AND|[()])$/i.test(token.text) && !known.includes(token);
  if (clauseOf(all, 'WHERE').slice(1).some(isOther)) throw refusal('WHERE cannot be split at AND');
  const ownTokens = keyed.flatMap(tokensOf);
  const bare = all.find((token, at) => {
    const isField = isName(token) && ['key', ...batchOver].includes(nameOf(token));
    return isField && !isSymbol(all[at - 1], '.') && !ownTokens.includes(token);
  })?.text;
  if (bare !== undefined) {
    throw refusal(`write ${alias}.${bare}, and no alias ${bare}: @keys has a field of that name`);
  }
  const [group, order] = [clauseOf(all, 'GROUP').slice(2), clauseOf(all, 'ORDER').slice(2)];
  const changed = new Map<Token, string>();
  for (const [first] of [group, order].flatMap(separated)) {
    // The place of a column: the first one is now key.
    if (first?.kind === 'number') changed.set(first, String(Number(first.text) + 1));
  }
  const clock = all.findIndex(({ start }) => start + routines === clocks[0]?.offset);
  all.slice(clock, isSymbol(all[clock + 1], '(') ? clock + 3 : clock + 1).forEach((token, at) => {
    changed.set(token, at === 0 ? '@now' : '');
  });
  const copy = (part: Tokens): string =>
    part.reduce((before, token, at) => {
      const gap = text.slice(part[at - 1]?.end ?? token.start, token.start);
      return before + gap + (changed.get(token) ?? token.text);
    }, '');
  const copyOf = (node: ResolvedNode): string =>
    tree.functionOf(node) === '$or' ? `(${copy(tokensOf(node))})` : copy(tokensOf(node));
  const columnText = (node: ResolvedNode): string =>
    tokensOf(node).length === 1 ? `${alias}.${copyOf(node)}` : copyOf(node);
  const time = columnText(bound.column);
  const shared = conditions.filter((one) => !keyed.includes(one)).map(copyOf);

  const read = `FROM ${copy(all.slice(last + 1 - path.length, aliasAt + 1))}`;
  const on = compared.map(({ column, name }) => `${columnText(column)} = keys.${name}`);
  const items = selectItems(all, clausesAround(all, 0).get('SELECT') ?? { at: 0, end: 0 });
  const having = clauseOf(all, 'HAVING');
  const parts = [
    `-- query.sql for many keys in one job: the rows that it has for each ${batchOver.join(' and ')} of @keys,
-- from @since on. By key, then in the order of query.sql.
-- A key without rows has no row. The two files change together.
-- Cost: scans the partitions of these times once for all keys.`,
    `SELECT\n  ${['keys.key', ...items.map((item) => copy(item))].join(',\n  ')}`,
    read,
    `INNER JOIN UNNEST(@keys) AS keys${on.length > 1 ? '\n ' : ''} ON ${on.join(' AND ')}`,
    `WHERE\n  ${[...shared, `${time} >= @since`].join('\n  AND ')}`,
    isWord(group[0], 'ALL') ? 'GROUP BY ALL' : `GROUP BY keys.key, ${copy(group)}`,
    ...(having.length > 0 ? [copy(having)] : []),
    `ORDER BY key, ${copy(order)}`,
  ];
  const warming = { batchOver, maxKeys: KEYS_MAX, incremental: INCREMENTAL_DEFAULTS };
  return {
    sql: `${parts.join('\n')}\n`,
    fields: { warming, bucket: described },
  };
}

function refusal(reason: string): Error {
  return new Error(
    `--warm cannot write warm.sql: ${reason}; see docs/reference/incremental.md, or omit --warm.`,
  );
}

function bucketOf({ bucket }: Endpoint) {
  if (typeof bucket?.step !== 'string') {
    throw refusal('no column is the start of a bucket, such as TIMESTAMP_TRUNC(at, HOUR)');
  }
  return { ...bucket, step: bucket.step };
}

/** Throws what npm run check would say of the query. */
function requireSound(endpoint: Endpoint, query: InspectedQuery, queries: AnalysedQueries): void {
  const warming = { batchOver: [], maxKeys: KEYS_MAX, sql: '', incremental: INCREMENTAL_DEFAULTS };
  const asked = { ...endpoint, warming };
  const [fault] = incrementalSources(asked, [query], queries).faults;
  if (fault === undefined) return;
  const reason = fault.message.replace(/^warming\.incremental:? /, '');
  throw refusal(reason.replace(/^(?:has|groups|joins|must|needs|reads)\b/, 'the query $&'));
}

/** Gives the tokens of a node from the first to the last one; the places of some nodes leave out an operand or a bracket. */
function tokenFinder({ source }: Analysis, routines: number, all: Tokens) {
  const bytes = Buffer.from(source.text);
  return (node: ResolvedNode): Tokens => {
    const places = tree.withNodesBelow(node).flatMap((one) => tree.textPlaceOf(one, bytes) ?? []);
    const own = (offset: number): number => originOf(source, offset) - routines;
    const start = own(Math.min(...places.map((place) => place.start)));
    const end = own(Math.max(...places.map((place) => place.end)));
    let first = all.findIndex((token) => token.end > start);
    let last = all.findLastIndex((token) => token.start < end);
    const depth = Math.min(...all.slice(first, last + 1).map((token) => token.depth));
    while ((all[first]?.depth ?? depth) > depth) first--;
    while ((all[last]?.depth ?? depth) > depth) last++;
    return all.slice(first, last + 1);
  };
}

function clauseOf(all: Tokens, name: string): Tokens {
  const { at, end } = clausesAround(all, 0).get(name) ?? { at: 0, end: 0 };
  return all.slice(at, end);
}

/** A scan and those that it takes its rows from. */
function inputsOf(scan: ResolvedNode | undefined): ResolvedNode[] {
  return scan === undefined ? [] : [scan, ...inputsOf(tree.childOf(scan.message, 'inputScan'))];
}

/** Of `TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), DAY)`; the current time may be truncated instead. */
function windowOf(node: ResolvedNode | undefined, step: string): string | undefined {
  const isCut = (cut: ResolvedNode | undefined): boolean => {
    const [, part, zone] = tree.argumentsOf(cut);
    const isOfStep = zone === undefined && STEPS[partOf(part) ?? ''] === step;
    return tree.functionOf(cut) === 'timestamp_trunc' && isOfStep;
  };
  const inner = isCut(node) ? tree.argumentsOf(node)[0] : node;
  const [first, second, third] = tree.argumentsOf(inner);
  const count = String(tree.literalOf(second, 'int64Value'));
  const window = STEPS[partOf(third) ?? '']?.replace('1', count) ?? '';
  const windowMs = durationMs(window);
  if (tree.functionOf(inner) !== 'timestamp_sub' || !windowMs) return undefined;
  const isMultiple = windowMs % (durationMs(step) ?? 1) === 0;
  const [now] = inner === node && isCut(first) && isMultiple ? tree.argumentsOf(first) : [first];
  const isWhole = inner !== node || now !== first;
  return isWhole && tree.functionOf(now) === 'current_timestamp' ? window : undefined;
}
