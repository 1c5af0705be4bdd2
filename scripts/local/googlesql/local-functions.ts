// Functions of BigQuery that the engine lacks, written in the SQL that it has.
import { isSymbol, tokens } from '../../../functions/endpoints/sql-tokens.ts';
import type { Token } from '../../../functions/endpoints/sql-tokens.ts';
import type { SqlFunction } from './sql-script.ts';
import { arrayOf } from './table-schema.ts';
import type { EngineType } from './table-schema.ts';

const JSON_TYPE: EngineType = { typeKind: 'TYPE_JSON' };
const STRING: EngineType = { typeKind: 'TYPE_STRING' };
const BYTES: EngineType = { typeKind: 'TYPE_BYTES' };
const INT64: EngineType = { typeKind: 'TYPE_INT64' };
const FLOATS: EngineType = arrayOf({ typeKind: 'TYPE_DOUBLE' });

/** Arguments are named in the order of the call; one without a type takes any. */
type Arguments = Readonly<Record<string, EngineType | undefined>>;

function define(
  name: string,
  types: Arguments,
  body: string,
  { constants = [], returnType, ifAbsent = {} }: Options = {},
): SqlFunction {
  return {
    name,
    arguments: Object.entries(types).map(([argument, type]) => ({
      name: argument,
      ...(type ? { type } : {}),
      ...(constants.includes(argument) ? { isNotAggregate: true } : {}),
      ...(ifAbsent[argument] === undefined ? {} : { ifAbsent: ifAbsent[argument] }),
    })),
    ...(returnType ? { returnType } : {}),
    body,
  };
}

interface Options {
  /** The arguments of an aggregate function that have one value for all rows. */
  constants?: readonly string[];
  returnType?: EngineType;
  /** By argument, the value of one that a call may leave out. */
  ifAbsent?: Readonly<Record<string, string>>;
}

function aggregate(
  name: string,
  types: Arguments,
  body: string,
  options: Options = {},
): SqlFunction {
  return { ...define(name, types, body, options), isAggregate: true };
}

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

/** Functions that the engine does not know. A query may define its own by the same name. */
const missing: readonly SqlFunction[] = [
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
    {
      returnType: arrayOf(STRING),
      ifAbsent: { max_depth: '1000', mode: "'strict'" },
    },
  ),
];

/** Functions that those above call. */
const helpers: readonly SqlFunction[] = [
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

/** Functions that the engine analyses and does not run, by the names that they have in a query. */
const replaced: ReadonlyMap<string, readonly SqlFunction[]> = new Map([
  [
    'APPROX_TOP_COUNT',
    [
      aggregate(
        'local_approx_top_count',
        { expression: undefined, number: INT64 },
        'local_top_counts(ARRAY_AGG(STRUCT(expression AS item)), number)',
        { constants: ['number'] },
      ),
      define(
        'local_top_counts',
        { items: undefined, number: INT64 },
        `ARRAY(
          SELECT AS STRUCT value, count
          FROM (
            SELECT element.item AS value, COUNT(*) AS count, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, MIN(place)) AS rank
            FROM UNNEST(items) AS element WITH OFFSET AS place
            GROUP BY value
          )
          WHERE rank <= number
          ORDER BY rank
        )`,
      ),
    ],
  ],
  [
    'APPROX_TOP_SUM',
    [
      aggregate(
        'local_approx_top_sum',
        { expression: undefined, weight: undefined, number: INT64 },
        'local_top_sums(ARRAY_AGG(STRUCT(expression AS item, weight AS weight)), number)',
        { constants: ['number'] },
      ),
      define(
        'local_top_sums',
        { items: undefined, number: INT64 },
        `ARRAY(
          SELECT AS STRUCT value, sum
          FROM (
            SELECT element.item AS value, SUM(element.weight) AS sum,
              ROW_NUMBER() OVER (ORDER BY SUM(element.weight) DESC, MIN(place)) AS rank
            FROM UNNEST(items) AS element WITH OFFSET AS place
            GROUP BY value
          )
          WHERE rank <= number
          ORDER BY rank
        )`,
      ),
    ],
  ],
  [
    'GENERATE_UUID',
    [
      define(
        'local_generate_uuid',
        {},
        String.raw`REGEXP_REPLACE(
          TO_HEX(MD5(CONCAT(CAST(RAND() AS STRING), '/', CAST(RAND() AS STRING)))),
          r'^(.{8})(.{4}).(.{3}).(.{3})(.{12})$',
          r'\1-\2-4\3-a\4-\5')`,
      ),
    ],
  ],
  [
    'CBRT',
    [
      // The engine's misses whole numbers by the last digit.
      define(
        'local_cbrt',
        { x: { typeKind: 'TYPE_DOUBLE' } },
        `SIGN(x) * IF(
          POW(ROUND(POW(ABS(x), 1 / 3)), 3) = ABS(x),
          ROUND(POW(ABS(x), 1 / 3)),
          POW(ABS(x), 1 / 3))`,
      ),
    ],
  ],
  ['SESSION_USER', [define('local_session_user', {}, `'local@example.com'`)]],
  [
    'RANGE_CONTAINS',
    [
      define(
        'local_range_contains',
        { r: undefined, v: undefined },
        `IF(r IS NULL OR v IS NULL, NULL,
          COALESCE(RANGE_START(r) <= v, TRUE) AND COALESCE(v < RANGE_END(r), TRUE))`,
      ),
    ],
  ],
  // Its name in an analysed query, where its second argument is a range.
  [
    'LOCAL_RANGE_CONTAINS_RANGE',
    [
      define(
        'local_range_contains_range',
        { r: undefined, v: undefined },
        `IF(r IS NULL OR v IS NULL, NULL,
          (RANGE_START(r) IS NULL OR COALESCE(RANGE_START(r) <= RANGE_START(v), FALSE))
          AND (RANGE_END(r) IS NULL OR COALESCE(RANGE_END(v) <= RANGE_END(r), FALSE)))`,
      ),
    ],
  ],
  // A sketch is the list of its distinct values, so that every count is exact.
  [
    'HLL_COUNT.INIT',
    [
      aggregate(
        'local_hll_count_init',
        { input: undefined, precision: INT64 },
        'local_hll_sketch(ARRAY_AGG(input IGNORE NULLS))',
        { constants: ['precision'], ifAbsent: { precision: '15' } },
      ),
      define(
        'local_hll_sketch',
        { items: undefined },
        `IF(items IS NULL, NULL, (
          SELECT CAST(STRING_AGG(digest, ',' ORDER BY digest) AS BYTES)
          FROM (SELECT DISTINCT FORMAT('%x', FARM_FINGERPRINT(TO_JSON_STRING(item))) AS digest FROM UNNEST(items) AS item)
        ))`,
      ),
    ],
  ],
  [
    'HLL_COUNT.MERGE',
    [
      aggregate(
        'local_hll_count_merge',
        { sketch: BYTES },
        "local_hll_number(STRING_AGG(CAST(sketch AS STRING), ','))",
      ),
      hllNumber(),
    ],
  ],
  [
    'HLL_COUNT.MERGE_PARTIAL',
    [
      aggregate(
        'local_hll_count_merge_partial',
        { sketch: BYTES },
        "local_hll_union(STRING_AGG(CAST(sketch AS STRING), ','))",
      ),
      define(
        'local_hll_union',
        { sketches: STRING },
        `IF(sketches IS NULL, NULL, (
          SELECT CAST(STRING_AGG(digest, ',' ORDER BY digest) AS BYTES)
          FROM (SELECT DISTINCT digest FROM UNNEST(SPLIT(sketches, ',')) AS digest)
        ))`,
      ),
    ],
  ],
  [
    'HLL_COUNT.EXTRACT',
    [
      define(
        'local_hll_count_extract',
        { sketch: BYTES },
        'local_hll_number(CAST(sketch AS STRING))',
      ),
      hllNumber(),
    ],
  ],
]);

function hllNumber(): SqlFunction {
  return define(
    'local_hll_number',
    { sketches: STRING },
    `IF(sketches IS NULL, 0, (SELECT COUNT(DISTINCT digest) FROM UNNEST(SPLIT(sketches, ',')) AS digest))`,
  );
}

/** The functions that the text calls and the engine does not know, but for those that the query defines. */
export function missingFunctions(sql: string, defined: readonly SqlFunction[]): SqlFunction[] {
  const called = new Set(calls(tokens(sql)).map(({ name }) => name));
  const own = new Set(defined.map(({ name }) => name.toUpperCase()));
  const found = missing.filter(({ name }) => called.has(name) && !own.has(name));
  const bodies = found.map(({ body }) => body).join();
  return [...helpers.filter(({ name }) => bodies.includes(name)), ...found];
}

/** The calls of functions that the engine does not run, with the functions to call in their place. */
export function replacedCalls(all: readonly Token[]): ReplacedCall[] {
  return calls(all).flatMap(({ name, start, end }) => {
    const functions = replaced.get(name);
    return functions ? { functions, start, end } : [];
  });
}

export interface ReplacedCall {
  /** The first is to be called; the others are called by it. */
  functions: readonly SqlFunction[];
  /** Offsets of the name. */
  start: number;
  end: number;
}

/** The called functions, with their upper-case names; `HLL_COUNT.INIT` is one. */
function calls(all: readonly Token[]): { name: string; start: number; end: number }[] {
  return all.flatMap((token, index) => {
    if (!isSymbol(all[index + 1], '(') || token.kind !== 'word') return [];
    const isQualified = isSymbol(all[index - 1], '.');
    const outer = isQualified ? all[index - 2] : undefined;
    const name = token.text.toUpperCase();
    if (!isQualified || outer?.text.toUpperCase() === 'SAFE') {
      return { name, start: token.start, end: token.end };
    }
    return outer
      ? { name: `${outer.text.toUpperCase()}.${name}`, start: outer.start, end: token.end }
      : [];
  });
}
