// Random conditions on a column of an instant or a day, in the forms by which BigQuery prunes partitions.
import fc from 'fast-check';

export type InstantType = 'TIMESTAMP' | 'DATETIME' | 'DATE';

const DAY_US = 86_400_000_000n;
const BASE_US = BigInt(Date.parse('2026-11-20T00:00:00Z')) * 1000n;

/** Microseconds since 1970, often on or beside the start of an hour, a day, a month or a year. */
export const instants: fc.Arbitrary<bigint> = fc
  .tuple(
    fc.constantFrom(-760n, -366n, -324n, -50n, -20n, -19n, -7n, -1n, 0n, 1n, 10n, 11n, 41n, 42n),
    fc.constantFrom(0n, 3_600_000_000n, 36_900_000_000n, 86_399_000_000n),
    fc.constantFrom(-1n, 0n, 0n, 0n, 1n, 999_999n),
  )
  .map(([days, ofDay, micros]) => BASE_US + days * DAY_US + ofDay + micros);

/** `2026-11-20 10:15:00.000001`, or the day alone. */
export function instantText(micros: bigint, type: InstantType): string {
  const text = new Date(Number(micros / 1000n)).toISOString();
  if (type === 'DATE') return text.slice(0, 10);
  return `${text.slice(0, 10)} ${text.slice(11, 23)}${String(micros % 1000n).padStart(3, '0')}`;
}

const OPERATORS = ['<', '<=', '=', '>=', '>'] as const;
const DATE_PARTS = ['DAY', 'WEEK', 'WEEK(WEDNESDAY)', 'ISOWEEK', 'MONTH', 'QUARTER', 'YEAR'];
const TIME_PARTS = ['MICROSECOND', 'MILLISECOND', 'SECOND', 'MINUTE', 'HOUR'];

/** Expressions of the column with values near its own, and their types. */
function expressions(
  column: string,
  type: InstantType,
): fc.Arbitrary<{ sql: string; type: InstantType }> {
  const truncations = fc
    .constantFrom(...DATE_PARTS, ...(type === 'DATE' ? [] : TIME_PARTS))
    .map((part) => ({ sql: `${type}_TRUNC(${column}, ${part})`, type }));
  const days = fc
    .constantFrom(`DATE(${column})`, `CAST(${column} AS DATE)`, `EXTRACT(DATE FROM ${column})`)
    .map((sql) => ({ sql, type: 'DATE' as const }));
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant({ sql: column, type }) },
    truncations,
    ...(type === 'DATE' ? [] : [days]),
  );
}

function literals(type: InstantType): fc.Arbitrary<string> {
  return instants.map((micros) => `${type} '${instantText(micros, type)}'`);
}

function comparisons(column: string, columnType: InstantType): fc.Arbitrary<string> {
  const outer = expressions(column, columnType).chain(({ sql, type }) =>
    fc.oneof(fc.constant({ sql, type }), expressions(sql, type)),
  );
  const ofInstants = outer.chain(({ sql, type }) =>
    fc.oneof(
      fc
        .tuple(fc.constantFrom(...OPERATORS), literals(type))
        .chain(([operator, literal]) =>
          fc.constantFrom(`${sql} ${operator} ${literal}`, `${literal} ${operator} ${sql}`),
        ),
      fc.tuple(literals(type), literals(type)).map((two) => `${sql} BETWEEN ${two.join(' AND ')}`),
      fc
        .array(literals(type), { minLength: 1, maxLength: 3 })
        .map((all) => `${sql} IN (${all.join()})`),
    ),
  );
  return fc.oneof({ weight: 8, arbitrary: ofInstants }, fc.constant(`${column} IS NULL`));
}

/** Conditions on the column alone, joined by AND and OR. */
export function timePredicates(column: string, type: InstantType): fc.Arbitrary<string> {
  const { predicate } = fc.letrec<{ predicate: string }>((tie) => ({
    predicate: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      comparisons(column, type),
      fc
        .tuple(tie('predicate'), fc.constantFrom('AND', 'OR'), tie('predicate'))
        .map(([one, operator, other]) => `(${one} ${operator} ${other})`),
    ),
  }));
  return predicate;
}
