// Functions that the engine analyses and does not run, in the SQL that it runs.
import { type SqlFunction, aggregate, define } from '../../values/sql-function.ts';
import type { EngineType } from '../../values/table-schema.ts';

const STRING: EngineType = { typeKind: 'TYPE_STRING' };
const BYTES: EngineType = { typeKind: 'TYPE_BYTES' };
const INT64: EngineType = { typeKind: 'TYPE_INT64' };

const hllNumber = define(
  'local_hll_number',
  { sketches: STRING },
  `IF(sketches IS NULL, 0, (SELECT COUNT(DISTINCT digest) FROM UNNEST(SPLIT(sketches, ',')) AS digest))`,
);
const hllUnion = define(
  'local_hll_union',
  { sketches: STRING },
  `IF(sketches IS NULL, NULL, (
    SELECT CAST(STRING_AGG(digest, ',' ORDER BY digest) AS BYTES)
    FROM (SELECT DISTINCT digest FROM UNNEST(SPLIT(sketches, ',')) AS digest)
  ))`,
);

/** By the name in a query: the function to call in its place, and those that it calls. */
export const REPLACED_FUNCTIONS: ReadonlyMap<string, readonly SqlFunction[]> = new Map(
  Object.entries({
    APPROX_TOP_COUNT: approxTop('count', 'COUNT(*)', {}),
    APPROX_TOP_SUM: approxTop('sum', 'SUM(element.weight)', { weight: undefined }),
    GENERATE_UUID: [
      define(
        'local_generate_uuid',
        {},
        String.raw`REGEXP_REPLACE(
          TO_HEX(MD5(CONCAT(CAST(RAND() AS STRING), '/', CAST(RAND() AS STRING)))),
          r'^(.{8})(.{4}).(.{3}).(.{3})(.{12})$',
          r'\1-\2-4\3-a\4-\5')`,
      ),
    ],
    CBRT: [
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
    SESSION_USER: [define('local_session_user', {}, `'local@example.com'`)],
    RANGE_CONTAINS: [
      define(
        'local_range_contains',
        { r: undefined, v: undefined },
        `IF(r IS NULL OR v IS NULL, NULL,
          COALESCE(RANGE_START(r) <= v, TRUE) AND COALESCE(v < RANGE_END(r), TRUE))`,
      ),
    ],
    // Its name in an analysed query, where its second argument is a range.
    LOCAL_RANGE_CONTAINS_RANGE: [
      define(
        'local_range_contains_range',
        { r: undefined, v: undefined },
        `IF(r IS NULL OR v IS NULL, NULL,
          (RANGE_START(r) IS NULL OR COALESCE(RANGE_START(r) <= RANGE_START(v), FALSE))
          AND (RANGE_END(r) IS NULL OR COALESCE(RANGE_END(v) <= RANGE_END(r), FALSE)))`,
      ),
    ],
    // A sketch is the list of its distinct values, so that every count is exact.
    'HLL_COUNT.INIT': [
      aggregate(
        'local_hll_count_init',
        { input: undefined, precision: INT64 },
        `local_hll_union(STRING_AGG(
          IF(input IS NULL, NULL, FORMAT('%x', FARM_FINGERPRINT(TO_JSON_STRING(input)))), ','))`,
        { constants: ['precision'], ifAbsent: { precision: '15' } },
      ),
      hllUnion,
    ],
    'HLL_COUNT.MERGE': [
      aggregate(
        'local_hll_count_merge',
        { sketch: BYTES },
        "local_hll_number(STRING_AGG(CAST(sketch AS STRING), ','))",
      ),
      hllNumber,
    ],
    'HLL_COUNT.MERGE_PARTIAL': [
      aggregate(
        'local_hll_count_merge_partial',
        { sketch: BYTES },
        "local_hll_union(STRING_AGG(CAST(sketch AS STRING), ','))",
      ),
      hllUnion,
    ],
    'HLL_COUNT.EXTRACT': [
      define(
        'local_hll_count_extract',
        { sketch: BYTES },
        'local_hll_number(CAST(sketch AS STRING))',
      ),
      hllNumber,
    ],
  }),
);

/** The items with the largest numbers, first ones first; an argument `weight` is a field of each. */
function approxTop(field: string, number: string, weight: { weight?: undefined }): SqlFunction[] {
  const item = ['expression AS item', ...Object.keys(weight).map((name) => `${name} AS ${name}`)];
  return [
    aggregate(
      `local_approx_top_${field}`,
      { expression: undefined, ...weight, number: INT64 },
      `local_top_${field}s(ARRAY_AGG(STRUCT(${item.join(', ')})), number)`,
      { constants: ['number'] },
    ),
    define(
      `local_top_${field}s`,
      { items: undefined, number: INT64 },
      `ARRAY(
        SELECT AS STRUCT value, ${field}
        FROM (
          SELECT element.item AS value, ${number} AS ${field},
            ROW_NUMBER() OVER (ORDER BY ${number} DESC, MIN(place)) AS rank
          FROM UNNEST(items) AS element WITH OFFSET AS place
          GROUP BY value
        )
        WHERE rank <= number
        ORDER BY rank
      )`,
    ),
  ];
}
