// Writes warm.sql for a query that groups the rows of one table by time bucket: many keys in one job, and only what has changed.
import type { AnalysedQueries, AnalysedQuery } from '../check/analysed-query.ts';
import { CLOCKS, incrementalSources } from '../check/incremental.ts';
import type { InspectedQuery } from '../compile/inspect-endpoint.ts';
import { durationMs } from '../../functions/endpoints/bucket-span.ts';
import type { EndpointDefinition, Endpoint } from '../../functions/endpoints/endpoint.ts';
import { placeOf, separated } from '../lexer/brackets.ts';
import { aliasAfter, clausesAround, selectItems } from '../lexer/query-clauses.ts';
import { type Edit, type Token, type Tokens, applyEdits, tokens } from '../lexer/sql-tokens.ts';
import { isName, isSymbol, isWord, nameOf } from '../lexer/sql-tokens.ts';
import { type ResolvedNode, originOf, partOf, tree } from '../local-bigquery/index.ts';

/** The text, and the fields of endpoint.json that go with it. */
interface WarmQuery {
  sql: string;
  fields: Pick<EndpointDefinition, 'warming' | 'bucket'>;
}

/** The defaults of endpoint.schema.json, written out. */
const INCREMENTAL = { settleSeconds: 3600, fullEverySeconds: 21_600 };
const KEYS_MAX = 1000;

/** `query` is that of the endpoint, which has no fault. Throws one sentence if it is of another form. */
export function warmQuery(
  endpoint: Endpoint,
  query: InspectedQuery,
  queries: AnalysedQueries,
): WarmQuery {
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
  const bucket = soundBucket(endpoint, query, queries);
  const [grouping, ...others] = inputs.filter(({ kind }) => kind === 'AggregateScan');
  if (others.length > 0) throw refusal('the query must group its rows once: remove DISTINCT');
  const filter = inputsOf(grouping).find(({ kind }) => kind === 'FilterScan');
  const conditions = conjuncts(tree.childOf(filter?.message, 'filterExpr'));
  const field = analysed.references[0]?.table.source.definition?.partitioning?.field ?? '';
  const isTime = (node: ResolvedNode | undefined): boolean =>
    tree.columnOf(node?.message['column'])?.name.toLowerCase() === field.toLowerCase();

  const [bound] = conditions.flatMap((condition) => {
    const [column, from] = tree.argumentsOf(condition);
    if (tree.functionOf(condition) !== '$greater_or_equal' || !column || !isTime(column)) return [];
    const found = windowOf(from, bucket.step);
    return found === undefined ? [] : [{ column, ...found }];
  });
  if (bound === undefined) {
    const shape = `${field} >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL n UNIT)`;
    throw refusal(`WHERE must have ${shape}, as it is or truncated to the step of the bucket`);
  }
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
    throw refusal(
      'WHERE must compare a column with a parameter, such as AND shop = @shop, outside of OR, and the parameter may be used nowhere else',
    );
  }
  const compared = comparisons.filter(({ name }) => batchOver.includes(name));
  const keyed = compared.map(({ condition }) => condition);

  const { placeIn, copy } = copies(query, analysed, all, clocks[0]?.offset);
  const { end } = placeIn(table);
  const last = all.findIndex((token) => token.end === end);
  const aliasAt = aliasAfter(all, last) ?? last;
  const alias = all[aliasAt]?.text.replaceAll('`', '').split('.').at(-1) ?? '';
  const isIn = (token: Token, nodes: readonly ResolvedNode[]): boolean =>
    nodes.map(placeIn).some(({ start, end }) => token.start >= start && token.end <= end);
  const isOther = (token: Token) => !/^(?:AND|[()])$/i.test(token.text) && !isIn(token, conditions);
  if (clauseOf(all, 'WHERE').slice(1).some(isOther)) throw refusal('WHERE cannot be split at AND');
  const bare = all.find(
    (token, at) =>
      isName(token) &&
      ['key', ...batchOver].includes(nameOf(token)) &&
      !isSymbol(all[at - 1], '.') &&
      !isIn(token, keyed),
  )?.text;
  if (bare !== undefined) {
    throw refusal(
      `@keys has a field ${bare}: write ${alias}.${bare} for the column, and no alias ${bare}`,
    );
  }
  const copyOf = (node: ResolvedNode): string =>
    tree.functionOf(node) === '$or' ? `(${copy(placeIn(node))})` : copy(placeIn(node));
  const columnText = (node: ResolvedNode): string =>
    tokens(copyOf(node)).length === 1 ? `${alias}.${copyOf(node)}` : copyOf(node);
  const { isWhole, window } = bound;
  const time = columnText(bound.column);
  const shared = conditions.filter((one) => !keyed.includes(one)).map(copyOf);
  const read = `FROM ${copy({ start: placeIn(table).start, end: all[aliasAt]?.end ?? end })}`;
  const where = (...times: string[]) => `WHERE\n  ${[...shared, ...times].join('\n  AND ')}`;
  const columns = tree.columnsOf(table).map(({ name }) => `${alias}.${name}`);
  const scan = (...times: string[]) => `${select(columns)}\n${read}\n${where(...times)}`;
  // A string of several lines would get spaces.
  const isLong = all.some((token) => token.kind === 'string' && token.text.includes('\n'));
  const scans = `${scan(`${time} >= @since`)}\nUNION ALL\n${scan(`${time} < @until`, `${time} < @since`)}`;
  const rows = isLong ? scans : scans.replaceAll(/^/gm, '    ');
  const on = compared.map(({ column, name }) => `${columnText(column)} = keys.${name}`);
  const items = selectItems(all, clausesAround(all, 0).get('SELECT') ?? { at: 0, end: 0 });
  const [group, having] = [clauseOf(all, 'GROUP').slice(2), clauseOf(all, 'HAVING')];
  const parts = [
    `-- query.sql for many keys in one job: the rows that it has for each ${batchOver.join(' and ')} of @keys,`,
    `-- from @since on${isWhole ? '' : ', and those before @until'}. By key, then in the order of query.sql; a key without rows has no row.`,
    '-- The two files change together.',
    `-- Cost: scans the partitions of these times once for all keys.`,
    ...(isWhole ? [] : [`WITH\n  rows_read AS (\n${rows}\n  )`]),
    select(['keys.key', ...items.map((item) => copy(placeOf(item)))]),
    isWhole ? read : `FROM rows_read AS ${alias}`,
    `INNER JOIN UNNEST(@keys) AS keys\n  ON ${on.join(' AND ')}`,
    ...(isWhole ? [where(`${time} >= @since`)] : []),
    isWord(group[0], 'ALL') ? 'GROUP BY ALL' : `GROUP BY keys.key, ${copy(placeOf(group))}`,
    ...(having.length > 0 ? [copy(placeOf(having))] : []),
    `ORDER BY key, ${copy(placeOf(clauseOf(all, 'ORDER').slice(2)))}`,
  ];
  const warming = { batchOver, maxKeys: KEYS_MAX, incremental: INCREMENTAL };
  return {
    sql: `${parts.join('\n')}\n`,
    fields: { warming, bucket: { ...bucket, window, ...(isWhole && { whole: true }) } },
  };
}

const select = (items: readonly string[]): string => `SELECT\n  ${items.join(',\n  ')}`;

function refusal(reason: string): Error {
  const remedy = 'see sql/README.md, or leave out --warm';
  return new Error(`--warm cannot write warm.sql: ${reason}; ${remedy}.`);
}

/** The bucket, if npm run check accepts the query for warming.incremental. */
function soundBucket(endpoint: Endpoint, query: InspectedQuery, queries: AnalysedQueries) {
  const { bucket } = endpoint;
  if (typeof bucket?.step !== 'string') {
    throw refusal('no column is the start of a bucket, such as TIMESTAMP_TRUNC(at, HOUR)');
  }
  // The real window is not known yet.
  const warming = { batchOver: [], maxKeys: KEYS_MAX, sql: '', incremental: INCREMENTAL };
  const asked = { ...endpoint, bucket: { ...bucket, window: 'P1D' }, warming };
  const [fault] = incrementalSources(asked, [query], queries).faults;
  if (fault === undefined) return { ...bucket, step: bucket.step };
  const reason = fault.message.replace(/^warming\.incremental:? /, '');
  throw refusal(reason.replace(/^(?:has|groups|joins|must|needs|reads)\b/, 'the query $&'));
}

/** Where the nodes of the query are in its text, and copies of parts of it, with `@now` and the places of columns after key. */
function copies({ sql, parts }: InspectedQuery, analysed: AnalysedQuery, all: Tokens, clock = -1) {
  const text = parts.at(-1)?.text ?? '';
  const { source } = analysed.analysis;
  const bytes = Buffer.from(source.text);
  const own = (offset: number): number => originOf(source, offset) - (sql.length - text.length);
  const lists = ['GROUP', 'ORDER'].flatMap((name) => separated(clauseOf(all, name).slice(2)));
  const firsts = new Set(lists.map(([first]) => first));
  const edits = all.flatMap((token, at): Edit[] => {
    const { kind, start, end } = token;
    const isPlace = kind === 'number' && firsts.has(token);
    if (isPlace) return [{ start, end, text: String(Number(token.text) + 1) }];
    const last = isSymbol(all[at + 1], '(') ? all[at + 2] : token;
    return start === clock - (sql.length - text.length)
      ? [{ start, end: last?.end ?? end, text: '@now' }]
      : [];
  });
  return {
    /** From the first to the last token of a node; some nodes leave out an operand or a bracket. */
    placeIn(node: ResolvedNode) {
      const nodes = tree.withNodesBelow(node).flatMap((one) => tree.textPlaceOf(one, bytes) ?? []);
      const start = own(Math.min(...nodes.map((one) => one.start)));
      const end = own(Math.max(...nodes.map((one) => one.end)));
      let first = all.findIndex((token) => token.end > start);
      let last = all.findLastIndex((token) => token.start < end);
      const depth = Math.min(...all.slice(first, last + 1).map((token) => token.depth));
      while ((all[first]?.depth ?? depth) > depth) first--;
      while ((all[last]?.depth ?? depth) > depth) last++;
      return placeOf(all.slice(first, last + 1));
    },
    copy({ start, end }: { start: number; end: number }): string {
      const inside = edits.filter((edit) => edit.start >= start && edit.end <= end);
      return applyEdits(
        text.slice(start, end),
        inside.map((one) => ({ ...one, start: one.start - start, end: one.end - start })),
      );
    },
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

function conjuncts(condition: ResolvedNode | undefined): ResolvedNode[] {
  if (condition === undefined) return [];
  const isAnd = tree.functionOf(condition) === '$and';
  return isAnd ? tree.argumentsOf(condition).flatMap(conjuncts) : [condition];
}

const UNITS: Readonly<Record<string, string>> = { SECOND: 'S', MINUTE: 'M', HOUR: 'H' };

function duration(count: string, unit = ''): string {
  return unit === 'DAY' ? `P${count}D` : `PT${count}${UNITS[unit]}`;
}

/** Of `TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY)`; whole if that, or the current time, is truncated to the step. */
function windowOf(
  node: ResolvedNode | undefined,
  step: string,
): { window: string; isWhole: boolean } | undefined {
  const isCut = (cut: ResolvedNode | undefined): boolean => {
    const [, part, zone] = tree.argumentsOf(cut);
    const isOfStep = zone === undefined && duration('1', partOf(part)) === step;
    return tree.functionOf(cut) === 'timestamp_trunc' && isOfStep;
  };
  const [first, second, third] = tree.argumentsOf(node);
  if (isCut(node)) {
    const inner = windowOf(first, step);
    return inner && { ...inner, isWhole: true };
  }
  const value = tree.messageOf(tree.messageOf(second?.message['value'])?.['value']);
  const window = duration(String(value?.['int64Value']), partOf(third));
  const windowMs = durationMs(window);
  if (tree.functionOf(node) !== 'timestamp_sub' || !windowMs) return undefined;
  const isWhole = isCut(first) && windowMs % (durationMs(step) ?? 1) === 0;
  const [now] = isWhole ? tree.argumentsOf(first) : [first];
  return tree.functionOf(now) === 'current_timestamp' ? { window, isWhole } : undefined;
}
