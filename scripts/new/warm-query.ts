// Writes warm.sql for a query that groups the rows of one table by time bucket: many keys in one job, and only what has changed.
import type { AnalysedQueries } from '../check/analysed-query.ts';
import { incrementalSources } from '../check/incremental.ts';
import { CLOCKS } from '../check/read-values.ts';
import { INCREMENTAL_DEFAULTS, type InspectedQuery } from '../compile/inspect-endpoint.ts';
import { durationMs } from '../../functions/endpoints/bucket-span.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { separated } from '../lexer/brackets.ts';
import { clausesAround } from '../lexer/query-clauses.ts';
import { type Edit, type Token, type Tokens, applyEdits, tokens } from '../lexer/sql-tokens.ts';
import { isName, isSymbol, isWord, nameOf } from '../lexer/sql-tokens.ts';
import { STEPS } from './infer-bucket.ts';

/** The most that endpoint.schema.json allows. */
const KEYS_MAX = 1000;

/**
 * The text, and the fields of endpoint.json that go with it. Throws one sentence if the query is of another form. The text is
 * the query with `@keys` joined to its table, each parameter of `batchOver` replaced by its field there, and the bound by `@since`.
 */
export function warmQuery(endpoint: Endpoint, query: InspectedQuery, queries: AnalysedQueries) {
  const analysed = queries.get('query.sql');
  if (analysed === undefined || !('analysis' in analysed)) throw refusal(analysed?.message ?? '');
  const text = query.parts.at(-1)?.text ?? '';
  const all = tokens(text).filter((token) => !isSymbol(token, ';'));
  if (!isWord(all[0], 'SELECT') || all.filter((token) => isWord(token, 'SELECT')).length > 1) {
    throw refusal('the query must be one SELECT, without WITH, subqueries and set operations');
  }
  const clauses = clausesAround(all, 0);
  const clauseOf = (name: string): Tokens => {
    const { at, end } = clauses.get(name) ?? { at: 0, end: 0 };
    return all.slice(at, end);
  };
  const [from, where] = [clauseOf('FROM'), clauseOf('WHERE')] as const;
  const [group, order] = [clauseOf('GROUP'), clauseOf('ORDER')] as const;
  const alias = aliasIn(from);
  const bucket = bucketOf(endpoint);
  const { fields = [], definition } = analysed.references[0]?.table.source ?? {};
  const field = definition?.partitioning?.field ?? '';
  if (fields.find(({ name }) => name === field)?.type !== 'TIMESTAMP') {
    throw refusal('the table must be partitioned by a TIMESTAMP column');
  }
  const bound = boundIn(where, field, bucket.step);
  if (bound === undefined) {
    const shape = `${field} >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL n UNIT), STEP)`;
    throw refusal(
      `WHERE must have ${shape}, with the step of the bucket, so that no bucket is cut`,
    );
  }
  const described = { ...bucket, window: bound.window, whole: true };
  requireSound({ ...endpoint, bucket: described }, query, queries);
  if (isWord(all[1], 'DISTINCT')) {
    throw refusal('the query must group its rows once: remove DISTINCT');
  }
  if (group.length === 0) throw refusal('GROUP BY must contain the bucket');
  if (analysed.analysis.uses.filter(({ name }) => CLOCKS.test(name)).length > 1) {
    throw refusal(`the query may use the current time only in the lower bound of ${field}`);
  }
  const comparisons = where.flatMap((token, at) => comparisonOf(where, token, at));
  const batchOver = Object.keys(endpoint.parameters).filter((name) => {
    const uses = all.filter(({ text }) => text === `@${name}`);
    return uses.length > 0 && uses.every((use) => comparisons.some(({ token }) => token === use));
  });
  if (batchOver.length === 0) {
    throw refusal('WHERE must have AND shop = @shop, not in OR, with a parameter used only there');
  }
  const keyed = comparisons.filter(({ token }) => batchOver.includes(token.text.slice(1)));
  const bare = all.find((token, at) => {
    const isField = isName(token) && ['key', ...batchOver].includes(nameOf(token));
    return isField && !isSymbol(all[at - 1], '.') && !keyed.some((one) => one.column === token);
  })?.text;
  if (bare !== undefined) {
    throw refusal(`write ${alias}.${bare}, and no alias ${bare}: @keys has a field of that name`);
  }

  const edits: Edit[] = [];
  const replace = ({ start, end }: Token, by: string): void =>
    void edits.push({ start, end, text: by });
  const append = (token: Token | undefined, added: string): void =>
    void (token && replace(token, token.text + added));
  append(all[0], ' keys.key,');
  append(from.at(-1), '\nCROSS JOIN UNNEST(@keys) AS keys');
  for (const { token, column, isBare } of keyed) {
    replace(token, `keys.${token.text.slice(1)}`);
    if (isBare) replace(column, `${alias}.${column.text}`);
  }
  bound.clock.forEach((token, at) => replace(token, at === 0 ? '@now' : ''));
  append(bound.last, `\n  AND ${alias}.${bound.column.text} >= @since`);
  if (!isWord(group[2], 'ALL')) append(group[1], ' keys.key,');
  append(order[1], ' key,');
  for (const [first] of [group.slice(2), order.slice(2)].flatMap(separated)) {
    // The place of a column: the first one is now key.
    if (first?.kind === 'number') replace(first, String(Number(first.text) + 1));
  }
  const comment = `-- query.sql for many keys in one job: the rows that it has for each ${batchOver.join(' and ')} of @keys,
-- from @since on. By key, then in the order of query.sql.
-- A key without rows has no row. The two files change together.
-- Cost: scans the partitions of these times once for all keys.`;
  const end = all.at(-1)?.end;
  const written = applyEdits(text.slice(0, end), edits).slice(all[0]?.start);
  const warming = { batchOver, maxKeys: KEYS_MAX, incremental: INCREMENTAL_DEFAULTS };
  return { sql: `${comment}\n${written}\n`, fields: { warming, bucket: described } };
}

function refusal(reason: string): Error {
  return new Error(
    `--warm cannot write warm.sql: ${reason}; see docs/reference/incremental.md, or omit --warm.`,
  );
}

/** The name that the columns of the only table in FROM have. */
function aliasIn([, ...table]: Tokens): string {
  const [before, last] = [table.at(-2), table.at(-1)];
  const named = isWord(before, 'AS') ? 2 : isName(before) ? 1 : 0;
  const path = table.slice(0, table.length - named);
  const isPath = path.every(({ kind, text }, at) =>
    at % 2 === 0 ? kind !== 'symbol' : /^[.-]$/.test(text),
  );
  if (path.length % 2 === 1 && isPath)
    return last?.text.replaceAll('`', '').split('.').at(-1) ?? '';
  throw refusal('the query must read one table, without a join');
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

/** The parameter at an index with the column to which it must be equal; nothing for one in another condition, or in OR. */
function comparisonOf(all: Tokens, token: Token, at: number) {
  const isFirst = isSymbol(all[at + 1], '=');
  const sideAt = isFirst ? at + 2 : at - 2;
  const isBare = !isSymbol(all[isFirst ? sideAt + 1 : sideAt - 1], '.');
  const columnAt = isFirst && !isBare ? sideAt + 2 : sideAt;
  const before = all[isFirst ? at - 1 : isBare ? columnAt - 1 : columnAt - 3];
  const after = all[isFirst ? columnAt + 1 : at + 1];
  const isCondition =
    /^(?:WHERE|AND|\()$/i.test(before?.text ?? '') && /^(?:AND|\)|)$/i.test(after?.text ?? '');
  const isEqual = isFirst || isSymbol(all[at - 1], '=');
  const column = all[columnAt];
  if (token.kind !== 'parameter' || !isEqual || !isCondition || !isName(column)) return [];
  return [{ token, column, isBare }];
}

const START =
  /^> = TIMESTAMP_TRUNC \( TIMESTAMP_SUB \( CURRENT_TIMESTAMP(?: \( \))? , INTERVAL (\d+) (\w+) \) , (\w+) \)/;

/** The first bound of the field by `>= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), DAY)`. */
function boundIn(where: Tokens, field: string, step: string) {
  for (const [at, column] of where.entries()) {
    const rest = where.slice(at + 1);
    const words = rest.map(({ text }) => text.toUpperCase()).join(' ');
    const [found, count = '', unit = '', cut = ''] = START.exec(words) ?? [];
    const window = STEPS[unit]?.replace('1', count) ?? '';
    if (nameOf(column) !== field.toLowerCase() || STEPS[cut] !== step || !durationMs(window))
      continue;
    const clockAt = rest.findIndex((token) => isWord(token, 'CURRENT_TIMESTAMP'));
    const clock = rest.slice(clockAt, isSymbol(rest[clockAt + 1], '(') ? clockAt + 3 : clockAt + 1);
    return { column, window, clock, last: rest[(found?.split(' ').length ?? 0) - 1] };
  }
  return undefined;
}
