// Functions of BigQuery that the engine does not know, in the SQL that it has; finds the calls of these and of the replaced ones.
import { placeOf } from '../../../lexer/brackets.ts';
import { type Token, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { REPLACED_FUNCTIONS } from './replaced-functions.ts';
import { type SqlFunction, aggregate, define } from '../../values/sql-function.ts';
import { type EngineType, arrayOf } from '../../values/table-schema.ts';

/** The functions that the text calls and the engine does not know, but for those that the query defines. */
export function missingFunctions(sql: string, defined: readonly SqlFunction[]): SqlFunction[] {
  const called = new Set(calls(tokens(sql)).map(({ name }) => name));
  const own = new Set(defined.map(({ name }) => name.toUpperCase()));
  const found = MISSING_FUNCTIONS.filter(({ name }) => called.has(name) && !own.has(name));
  const bodies = found.map(({ body }) => body).join();
  return [...MISSING_FUNCTION_PARTS.filter(({ name }) => bodies.includes(name)), ...found];
}

/**
 * The calls of functions that the engine does not run, by the offsets of their names, with the function to call in the
 * place of each, and those that it calls.
 */
export function replacedCalls(
  all: readonly Token[],
): { functions: readonly SqlFunction[]; start: number; end: number }[] {
  return calls(all).flatMap(({ name, start, end }) => {
    const functions = REPLACED_FUNCTIONS.get(name);
    return functions ? { functions, start, end } : [];
  });
}

/** The called functions, with their upper-case names; `HLL_COUNT.INIT` is one. */
function calls(all: readonly Token[]): { name: string; start: number; end: number }[] {
  return all.flatMap((token, index) => {
    if (!isSymbol(all[index + 1], '(') || token.kind !== 'word') return [];
    const outer = isSymbol(all[index - 1], '.') ? all[index - 2] : undefined;
    const path = outer && !isWord(outer, 'SAFE') ? [outer, token] : [token];
    return { name: path.map(({ text }) => text.toUpperCase()).join('.'), ...placeOf(path) };
  });
}

const JSON_TYPE: EngineType = { typeKind: 'TYPE_JSON' };
const STRING: EngineType = { typeKind: 'TYPE_STRING' };
const INT64: EngineType = { typeKind: 'TYPE_INT64' };
const FLOATS: EngineType = arrayOf({ typeKind: 'TYPE_DOUBLE' });

/** `INT64_ARRAY(json)` and `LAX_INT64_ARRAY(json)`, and so for the other types. */
const jsonArrays = ['BOOL', 'FLOAT64', 'INT64', 'STRING'].flatMap((type) =>
  ['', 'LAX_'].map((prefix) =>
    define(
      `${prefix}${type}_ARRAY`,
      { items: JSON_TYPE },
      `IF(
        items IS NULL${prefix && ` OR JSON_TYPE(items) != 'array'`},
        CAST(NULL AS ARRAY<${type}>),
        ARRAY(
          SELECT ${prefix}${type}(item)
          FROM UNNEST(JSON_QUERY_ARRAY(IF(
            JSON_TYPE(items) = 'array',
            items,
            PARSE_JSON(CAST(ERROR('The provided JSON input is not an array') AS STRING))))) AS item WITH OFFSET AS place
          ORDER BY place
        ))`,
    ),
  ),
);

const distance = (name: string, body: string) =>
  define(
    name,
    { a: FLOATS, b: FLOATS },
    `IF(ARRAY_LENGTH(a) != ARRAY_LENGTH(b), ERROR('Array arguments must have the same length'),
      (SELECT ${body} FROM UNNEST(a) AS x WITH OFFSET AS place JOIN UNNEST(b) AS y WITH OFFSET AS other ON place = other))`,
  );

/** A query may define its own by the same name. */
const MISSING_FUNCTIONS: readonly SqlFunction[] = [
  aggregate('MAX_BY', { x: undefined, y: undefined }, 'ANY_VALUE(x HAVING MAX y)'),
  aggregate('MIN_BY', { x: undefined, y: undefined }, 'ANY_VALUE(x HAVING MIN y)'),
  define(
    'CONTAINS_SUBSTR',
    { expression: undefined, search_value_literal: STRING },
    `IF(expression IS NULL, NULL, STRPOS(NORMALIZE_AND_CASEFOLD(FORMAT('%t', expression), NFKC), NORMALIZE_AND_CASEFOLD(search_value_literal, NFKC)) > 0)`,
  ),
  distance('COSINE_DISTANCE', '1 - SUM(x * y) / SQRT(SUM(x * x) * SUM(y * y))'),
  distance('EUCLIDEAN_DISTANCE', 'SQRT(SUM((x - y) * (x - y)))'),
  ...jsonArrays,
  define(
    'JSON_KEYS',
    { json_expr: JSON_TYPE, max_depth: INT64, mode: STRING },
    `local_json_paths(
      local_json_keys(REGEXP_EXTRACT_ALL(TO_JSON_STRING(json_expr), r'"(?:[^"\\\\]|\\\\.)*":?|[{}\\[\\]]')),
      IF(json_expr IS NULL, NULL, max_depth),
      mode)`,
    { returnType: arrayOf(STRING), ifAbsent: { max_depth: '1000', mode: "'strict'" } },
  ),
];

/** What those above call. */
const MISSING_FUNCTION_PARTS: readonly SqlFunction[] = [
  // Each key with the number of objects and of arrays around it.
  define(
    'local_json_keys',
    { parts: arrayOf(STRING) },
    String.raw`ARRAY(
      SELECT AS STRUCT place, level, lists, REGEXP_REPLACE(part, r'^"(\w+)":$|^(".*"):$', r'\1\2') AS name
      FROM (
        SELECT place, part,
          COUNTIF(part = '{') OVER before_it - COUNTIF(part = '}') OVER before_it AS level,
          COUNTIF(part = '[') OVER before_it - COUNTIF(part = ']') OVER before_it AS lists
        FROM UNNEST(parts) AS part WITH OFFSET AS place
        WINDOW before_it AS (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
      )
      WHERE ENDS_WITH(part, '":')
    )`,
  ),
  define(
    'local_json_paths',
    { keys: undefined, depth: INT64, mode: STRING },
    `IF(depth IS NULL, NULL, ARRAY(
      SELECT DISTINCT (
        SELECT STRING_AGG(name, '.' ORDER BY level)
        FROM (
          SELECT outer_key.level, ARRAY_AGG(outer_key.name ORDER BY outer_key.place DESC LIMIT 1)[OFFSET(0)] AS name
          FROM UNNEST(keys) AS outer_key
          WHERE outer_key.place <= inner_key.place AND outer_key.level <= inner_key.level
          GROUP BY outer_key.level
        )
      ) AS path
      FROM UNNEST(keys) AS inner_key
      WHERE inner_key.level <= depth
        AND CASE mode WHEN 'strict' THEN inner_key.lists = 0 WHEN 'lax' THEN inner_key.lists <= inner_key.level ELSE TRUE END
      ORDER BY path
    ))`,
  ),
];
