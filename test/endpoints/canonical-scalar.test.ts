// Tests of the canonical spelling: the same for all spellings of a value, and a fault for what is not a value of its type.
import fc from 'fast-check';
import { collectRows } from '../support/bigquery/collect-rows.ts';
import type { ScalarType } from '../../functions/core/parameter-type.ts';
import { canonicalScalar } from '../../functions/endpoints/canonical-scalar.ts';
import type { LocalBigQuery } from '../../scripts/local-bigquery/rest/server.ts';
import { ControlledClock } from '../support/fakes/controlled-clock.ts';
import { startLocalBigQuery } from '../support/bigquery/local-bigquery.ts';
import { createLocalQueryRunner } from '../support/bigquery/local-query-runner.ts';
import { EDGES, SPELT_VALUES, VALUE_FAULTS } from '../support/sql/spellings.ts';

const { INT64, FLOAT64, NUMERIC, BOOL, DATE, DATETIME, TIMESTAMP } = VALUE_FAULTS;
const INT64_RANGE = 'must be from -9223372036854775808 to 9223372036854775807 (INT64)';
const FLOAT64_RANGE = 'is beyond the range of FLOAT64';
const NUMERIC_WHOLE = 'must have at most 29 digits before the point (NUMERIC)';
const NUMERIC_FRACTION = 'must have at most 9 digits after the point (NUMERIC)';
const TIMESTAMP_YEARS = 'must be in the years 1 to 9999 in UTC (TIMESTAMP)';
const TOO_FINE = "must have at most 6 digits of a second's fraction";

/** A row for each text of a type, with what is expected of it. */
function rowsOf(...groups: [type: ScalarType, expected: string, ...texts: string[]][]) {
  return groups.flatMap(([type, expected, ...texts]) =>
    texts.map((text) => [type, text, expected] as const),
  );
}

describe('the canonical spelling', () => {
  it.each(
    rowsOf(
      ['STRING', ' a ', ' a '],
      // The same character to a reader, and not to BigQuery.
      ['STRING', 'e\u0301', 'e\u0301'],
      ['INT64', '9223372036854775807', `${'0'.repeat(100)}9223372036854775807`],
      ['INT64', '0', '-0', '000'],
      ['INT64', '1', '01', '+1'],
      ['INT64', '-7', '-007'],
      ['FLOAT64', '0', '-0', '-0.0e5', '1e-400'],
      ['FLOAT64', '5', '5.'],
      ['FLOAT64', '100', '1E+2'],
      ['FLOAT64', '1.7976931348623157e+308', '1.7976931348623157e308'],
      ['FLOAT64', '0.1', '0.1000000000000000055'],
      ['NUMERIC', '1', '1', '1.0'],
      ['NUMERIC', '0', '-0.0', '0e99999999999999999999'],
      ['NUMERIC', '10000000000000000000000000000', '1e28'],
      ['DATE', '2024-02-29', '2024-02-29'],
      ['DATETIME', '2026-11-20T10:00:00', '2026-11-20T10:00:00', '2026-11-20 10:00:00.000'],
      ['DATETIME', '2026-11-20T10:00:00', '2026-11-20T10:00'],
      ['DATETIME', '2026-11-20T10:00:00.12', '2026-11-20t10:00:00.120'],
      ['DATETIME', '2026-11-20T10:00:00.123456', '2026-11-20T10:00:00.1234560'],
      ['TIMESTAMP', '2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z', '2026-11-20t10:00:00z'],
      ['TIMESTAMP', '2026-11-20T10:00:00Z', '2026-11-20 10:00:00UTC', '2026-11-20 10:00:00 UTC'],
      ['TIMESTAMP', '2026-11-20T10:00:00Z', '2026-11-20T10:00Z', '2026-11-20T11:30:00+0130'],
      ['TIMESTAMP', '2026-11-20T10:00:00Z', '2026-11-20T11:00:00+01', '2026-11-21T00:00:00+14:00'],
      ['TIMESTAMP', '2026-11-20T10:00:00.5Z', '2026-11-20T11:30:00.500+01:30'],
      ['TIMESTAMP', '2026-11-20T00:00:00Z', '2026-11-20T23:59:00+23:59'],
      ['TIMESTAMP', '0001-01-01T01:00:00Z', '0001-01-01T00:00:00-01:00'],
    ),
  )('of the %s %j is %j', (type, text, canonical) => {
    expect(canonicalScalar(type, text)).toEqual({ text: canonical });
    expect(canonicalScalar(type, canonical)).toEqual({ text: canonical });
  });

  it.each(
    rowsOf(
      ['STRING', 'must not contain a NUL character', 'a\0'],
      ['STRING', 'must not contain half a surrogate pair', '\ud83d', 'a\ude00b'],
      ['INT64', INT64, '', ' 1', '1\n', '1.0', '1e3', '0x1f', '1_000', '--1', '+', '\u0661'],
      ['INT64', INT64_RANGE, '9223372036854775808', '-9223372036854775809'],
      ['INT64', INT64_RANGE, '99999999999999999999999'],
      ['FLOAT64', FLOAT64_RANGE, '1e309', '-1e99999999999'],
      ['FLOAT64', FLOAT64, 'NaN', 'inf', '-Infinity', '0x1p3', '1_000', '1e', '.', '1 ', '1,5'],
      ['NUMERIC', NUMERIC_FRACTION, '0.1234567891', '1e-10', '1e-99999999999999999999'],
      ['NUMERIC', NUMERIC_WHOLE, '1e29', '100000000000000000000000000000'],
      ['NUMERIC', NUMERIC_WHOLE, '1e99999999999999999999'],
      ['NUMERIC', NUMERIC, 'NaN', '1/2'],
      ['BOOL', BOOL, 'TRUE', '1', 'yes', 'true '],
      ['DATE', DATE, '2023-02-29', '1900-02-29', '2026-04-31', '0000-12-31', '10000-01-01'],
      ['DATE', DATE, '-0001-01-01', '2026-1-2', '2026-11-20T00:00:00', ' 2026-11-20'],
      ['DATETIME', DATETIME, '2026-11-20', '2026-11-20T10:00:00Z', '2026-11-20T24:00:00'],
      ['DATETIME', DATETIME, '2026-11-20T10:00:60', '2026-11-20T10:60:00', '2026-11-20T10:00:00.'],
      ['DATETIME', DATETIME, '2023-02-29T10:00:00', '0000-01-01T00:00:00'],
      ['DATETIME', TOO_FINE, '2026-11-20T10:00:00.1234567'],
      ['TIMESTAMP', TIMESTAMP, '2026-11-20T10:00:00', '2026-11-20', '1763632800'],
      ['TIMESTAMP', TIMESTAMP, '2026-11-20T10:00:60Z', '2026-11-20T10:00:00+24:00'],
      ['TIMESTAMP', TIMESTAMP, '2026-11-20T10:00:00+01:60', '2026-11-20T10:00:00 Europe/Berlin'],
      ['TIMESTAMP', TIMESTAMP, '2026-11-20T10:00:00Z ', '0000-12-31T23:00:00-14:00'],
      ['TIMESTAMP', `${TIMESTAMP}; write + as %2B in a URL`, '2026-11-20T10:00:00 01:00'],
      ['TIMESTAMP', `${TIMESTAMP}; write + as %2B in a URL`, '2026-11-20T10:00:00.5 0100'],
      ['TIMESTAMP', TOO_FINE, '2026-11-20T10:00:00.1234567Z'],
      ['TIMESTAMP', TIMESTAMP_YEARS, '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-00:01'],
    ),
  )('does not exist for the invalid %s %j', (type, text, fault) => {
    expect(canonicalScalar(type, text)).toEqual({ fault });
  });

  // A text that is tried in two ways at each character would take minutes.
  it.each<[string, string]>([
    ['digits', '9'.repeat(16_000)],
    ['zeros', '0'.repeat(16_000)],
    ['zeros before a letter', `${'0'.repeat(16_000)}x`],
    ['zeros between digits', `1.${'0'.repeat(16_000)}1`],
    ['zeros of a fraction before a letter', `1.${'0'.repeat(16_000)}x`],
    ['zeros of an exponent before a letter', `1e${'0'.repeat(16_000)}x`],
    ['a date with a long fraction', `2026-11-20T10:00:00.${'0'.repeat(16_000)}`],
    ['a date with a long fraction before a letter', `2026-11-20T10:00:00.${'0'.repeat(16_000)}x`],
    ['blanks', ' '.repeat(16_000)],
    ['signs', '+'.repeat(16_000)],
  ])('is computed in linear time for 16,000 %s', (_name, text) => {
    const types = SPELT_VALUES.map(([type]) => type);
    const startedMs = performance.now();
    for (const type of types) canonicalScalar(type, text);
    expect(performance.now() - startedMs).toBeLessThan(200);
  });
});

describe("GoogleSQL's own casts", () => {
  let bigquery: LocalBigQuery;

  beforeAll(async () => void (bigquery = await startLocalBigQuery({ tables: [] })));

  /** Rows of three cells, `true` or `false`, one for each pair. */
  function castPairs(type: ScalarType, pairs: readonly (readonly [string, string])[]) {
    const clock = new ControlledClock('2026-11-20T10:00:00Z');
    return collectRows(createLocalQueryRunner(bigquery.url, clock), {
      endpoint: 'test.casts',
      sql: `SELECT
          CAST(a AS ${type}) IS NOT DISTINCT FROM CAST(b AS ${type}) AS are_equal,
          CAST(a AS ${type}) IS NOT DISTINCT FROM bound_a AS is_bound,
          CAST(canonical_a AS ${type}) IS NOT DISTINCT FROM bound_a AS is_canonical
        FROM UNNEST(@keys) ORDER BY CAST(key AS INT64)`,
      parameters: {},
      keys: pairs.map(([a, b], index) => {
        const canonical = canonicalScalar(type, a);
        if ('fault' in canonical) throw new Error(`${a} ${canonical.fault}`);
        const { text } = canonical;
        return { key: String(index), a, b, bound_a: text, canonical_a: text };
      }),
      types: { bound_a: type },
      columns: ['are_equal', 'is_bound', 'is_canonical'].map((name) => ({ name, type: 'BOOL' })),
      rowCountMax: pairs.length,
      deadlineMs: clock.nowMs() + 60_000,
    });
  }

  it.each(SPELT_VALUES)(
    'read %s as the bound value, and treat two spellings as equal exactly if their canonical texts are equal',
    async (type, value, spell) => {
      // From a few values, so that many pairs are equal.
      const pair = fc
        .uniqueArray(value, { minLength: 2, maxLength: 3 })
        .chain((few) => fc.tuple(fc.constantFrom(...few), fc.constantFrom(...few)))
        .chain(([a, b]) => fc.tuple(spell(a), spell(b)));
      const pairs = [
        ...fc.sample(pair, { numRuns: 400, seed: 1 }),
        ...EDGES[type].flatMap((a) => EDGES[type].map((b) => [a, b] as const)),
      ];
      const { rows } = await castPairs(type, pairs);
      const cells = rows.map(({ f }) => f.map(({ v }) => v));
      const expected = pairs.map(([a, b]) => {
        const [one, other] = [canonicalScalar(type, a), canonicalScalar(type, b)];
        if ('text' in one) expect(canonicalScalar(type, one.text)).toEqual(one);
        return [String(JSON.stringify(one) === JSON.stringify(other)), 'true', 'true'];
      });
      const wrong = pairs.filter(
        (_pair, index) => String(cells[index]) !== String(expected[index]),
      );
      expect(wrong).toEqual([]);
      expect(cells).toEqual(expected);
      const equal = cells.filter(([areEqual]) => areEqual === 'true').length;
      expect(equal).toBeGreaterThan(50);
      expect(equal).toBeLessThan(pairs.length - 50);
    },
  );
});
