// Generates warm.sql from a query: the rows of many parameter sets in one job.
import type { Endpoint, WarmingDefinition } from '../../functions/endpoints/endpoint.ts';
import { applyEdits, isSymbol, isWord, tokens } from '../lexer/sql-tokens.ts';
import type { Edit, Token, Tokens } from '../lexer/sql-tokens.ts';
import { isScalarType } from '../../functions/core/parameter-type.ts';
import { partitionColumn } from '../local-bigquery/index.ts';
import type { Source } from '../sources/read-sources.ts';
import type { QueryFacts } from './draft-definition.ts';

/** The most keys that the service accepts. */
const KEYS_MAX = 1000;

/** The query with a join of `@keys`, and `key` in its clauses. Throws one sentence if keys cannot differ in a job. */
export function warmQuery(
  endpoint: Endpoint,
  text: string,
  facts: QueryFacts,
  sources: readonly Source[],
) {
  const batchOver = chooseBatch(facts, sources);
  if (batchOver.length === 0) {
    throw new Error(
      '--warm needs a parameter that is compared with a column without bounding the partitions; omit --warm.',
    );
  }
  if (Object.hasOwn(endpoint.row, 'key')) {
    throw new Error('--warm reserves the column name key; rename the column.');
  }
  const sql = joined(text, batchOver);
  return {
    warming: { batchOver, maxKeys: KEYS_MAX } satisfies WarmingDefinition,
    sql: sql ?? '',
    /** Whether `sql` is correct by construction; its tests confirm it. */
    isComplete: sql !== undefined && (facts.origins.groups?.length ?? 1) > 0,
    /** A template to complete, which fails when it runs. */
    unfinished: unfinished(endpoint, batchOver),
  };
}

/** The parameters by which callers differ: compared for equality, else any; never in LIMIT or as a bound of partitions. */
function chooseBatch({ types, uses, analysis }: QueryFacts, sources: readonly Source[]): string[] {
  if (analysis.tables.length === 0) return [];
  const comparisonsOf = (name: string) =>
    uses.comparisons.filter(({ parameter }) => parameter === name);
  const isOfPartitions = ({ origin }: (typeof uses.comparisons)[number]): boolean => {
    const source = sources.find(({ name }) => name === origin.table);
    return source !== undefined && partitionColumn(source)?.name === origin.path.join('.');
  };
  const possible = [...types.keys()].filter((name) => {
    const comparisons = comparisonsOf(name);
    return comparisons.length > 0 && !uses.limits.has(name) && !comparisons.some(isOfPartitions);
  });
  const isEqual = (name: string) => comparisonsOf(name).some(({ kind }) => kind === 'equal');
  const equal = possible.filter(isEqual);
  return equal.length > 0 ? equal : possible;
}

/** Words that make the rows of a key depend on rows of other keys, or that hide the columns of `@keys`. */
const NOT_JOINED =
  /^(?:WITH|UNION|INTERSECT|EXCEPT|DISTINCT|OVER|QUALIFY|WINDOW|ROLLUP|CUBE|SETS|RIGHT|FULL|OFFSET|CREATE|PIVOT|UNPIVOT|TABLESAMPLE)$/i;

/** Undefined for a query of another form than one SELECT of tables. */
function joined(text: string, batchOver: readonly string[]): string | undefined {
  const all = tokens(text).filter((token) => !isSymbol(token, ';'));
  const isRefused = all.some(({ kind, text }) => kind === 'word' && NOT_JOINED.test(text));
  if (isRefused || all.filter((token) => isWord(token, 'SELECT')).length !== 1) return undefined;
  const clause = (name: string): Token | undefined =>
    all.find((token) => token.depth === 0 && isWord(token, name));
  const [select, from, limit] = [clause('SELECT'), clause('FROM'), clause('LIMIT')];
  if (select === undefined || from === undefined) return undefined;
  const [start, end] = [select.start, all.at(-1)?.end ?? text.length];
  const edited = (until: number): string => {
    const before = edits.filter((edit) => edit.end <= until);
    return applyEdits(text.slice(0, until), before).slice(start);
  };
  const edits: Edit[] = [
    insert(select.end, ' keys.key AS key,'),
    // As one column, so that country stays the column of a table and is not keys.country too.
    insert(from.end, ' (SELECT keys FROM UNNEST(@keys) AS keys) CROSS JOIN'),
    ...all.flatMap((token) => {
      const name = token.kind === 'parameter' ? token.text.slice(1).replaceAll('`', '') : '';
      if (!batchOver.includes(name)) return [];
      return [{ start: token.start, end: token.end, text: `keys.${name}` }];
    }),
  ];
  const group = afterBy(all, clause('GROUP'));
  if (group && !isWord(group, 'ALL')) edits.push(insert(group.start, 'keys.key, '));
  const order = afterBy(all, clause('ORDER'));
  const orderEnd = limit?.start ?? end;
  const orderText = order ? text.slice(order.start, orderEnd).trimEnd() : '';
  // Places of columns count from one, and key is now the first.
  for (const [first, until] of [
    [group, clause('HAVING')?.start ?? clause('ORDER')?.start ?? orderEnd],
    [order, orderEnd],
  ] as const) {
    if (first) edits.push(...shiftedPlaces(all, first, until));
  }
  if (limit === undefined) {
    edits.push(order ? insert(order.start, 'key, ') : insert(end, '\nORDER BY key'));
    return `${HEAD}${edited(end)}\n`;
  }
  if (order === undefined || /\b\d+\b/.test(orderText)) return undefined;
  // The limit applies to each key.
  const count = text.slice(limit.end, end).trim();
  const orderAt = clause('ORDER')?.start ?? end;
  return `${HEAD}WITH rows_of_keys AS (
${edited(orderAt).trimEnd()}
)
SELECT *
FROM rows_of_keys
WHERE TRUE
QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY ${orderText}) <= ${count}
ORDER BY key, ${orderText}
`;
}

const HEAD =
  '-- warm.sql: query.sql for many keys in one job. The first column is key; rows are ordered by it, then as in query.sql.\n';

function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

function afterBy(all: Tokens, clause: Token | undefined): Token | undefined {
  return clause && all[all.indexOf(clause) + 2];
}

/** `GROUP BY 1, 2` as `GROUP BY 2, 3`. */
function shiftedPlaces(all: Tokens, first: Token, until: number): Edit[] {
  return all.flatMap((token, index) => {
    if (token.start < first.start || token.start >= until || token.kind !== 'number') return [];
    const isItem = token === first || isSymbol(all[index - 1], ',');
    const next = all[index + 1];
    const isAlone =
      next === undefined || next.start >= until || /^(?:,|ASC|DESC)$/i.test(next.text);
    if (!isItem || !isAlone) return [];
    return [{ start: token.start, end: token.end, text: String(Number(token.text) + 1) }];
  });
}

/** A template with the right columns and parameters, which fails when it runs. */
function unfinished({ parameters, row }: Endpoint, batchOver: readonly string[]): string {
  const fields = ['key', ...batchOver].map((name) => `keys.${name}`).join(', ');
  const shared = Object.keys(parameters).filter((name) => !batchOver.includes(name));
  const columns = Object.entries(row).map(([name, { type, mode }]) => {
    const of = mode === 'REPEATED' ? `ARRAY<${type}>` : type;
    return `  CAST(ERROR('warm.sql is not complete') AS ${of}) AS ${name}`;
  });
  const isUsed = shared.map((name) =>
    isScalarType(parameters[name]?.type ?? 'STRING')
      ? `(@${name} IS NULL OR TRUE)`
      : `ARRAY_LENGTH(@${name}) >= 0`,
  );
  return `-- warm.sql: query.sql for many keys in one job. Complete this template; it fails until then.
-- 1. Join the tables of query.sql with UNNEST(@keys) AS keys, on the columns that its parameters are compared with.
--    The fields are ${fields}; ${shared.length === 0 ? 'there are no other parameters' : `the other parameters are ${shared.map((name) => `@${name}`).join(', ')}`}.
-- 2. Compute what query.sql computes for each key: key in GROUP BY and in PARTITION BY. A key without rows has no row.
-- 3. The first column is key, then come those of query.sql. Rows are ordered by key, then as in query.sql.
SELECT
  keys.key AS key,
${columns.join(',\n')}
FROM UNNEST(@keys) AS keys
${isUsed.length === 0 ? '' : `WHERE ${isUsed.join(' AND ')}\n`}ORDER BY key
`;
}
