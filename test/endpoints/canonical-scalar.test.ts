// Tests of the canonical spelling: the same for all spellings of a value, and a fault for what is not a value of its type.
import fc from 'fast-check';
import {
  collectRows,
  createLocalQueryRunner,
  startLocalBigQuery,
} from '../support/bigquery/local-bigquery.ts';
import type { ScalarType } from '../../functions/core/parameter-type.ts';
import { canonicalScalar } from '../../functions/endpoints/canonical-scalar.ts';
import { casesBeside } from '../support/cases.ts';
import { ControlledClock } from '../support/clock.ts';
import { EDGES, SPELT_VALUES } from '../support/sql/spellings.ts';
import { cpuMs } from '../support/process.ts';

const cases = casesBeside(import.meta.filename);

/** A row for each text of a type, with what is expected of it. */
function rowsOf(name: string) {
  return cases<[type: ScalarType, expected: string, ...texts: string[]]>(name).flatMap(
    ([type, expected, ...texts]) => texts.map((text) => [type, text, expected] as const),
  );
}

describe('the canonical spelling', () => {
  it.each(rowsOf('canonical'))('of the %s %j is %j', (type, text, canonical) => {
    expect(canonicalScalar(type, text)).toEqual({ text: canonical });
    expect(canonicalScalar(type, canonical)).toEqual({ text: canonical });
  });

  it.each(rowsOf('invalid'))('does not exist for the invalid %s %j', (type, text, fault) => {
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
    const startedMs = cpuMs();
    for (const type of types) canonicalScalar(type, text);
    expect(cpuMs() - startedMs).toBeLessThan(200);
  });
});

it.each(SPELT_VALUES)(
  "GoogleSQL's own casts read %s as the bound value, and treat two spellings as equal exactly if their canonical texts are equal",
  async (type, value, spell) => {
    const bigquery = await startLocalBigQuery({ tables: [] });
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
        columns: ['are_equal', 'is_bound', 'is_canonical'].map((name) => ({
          name,
          type: 'BOOL',
        })),
        rowCountMax: pairs.length,
        deadlineMs: clock.nowMs() + 60_000,
      });
    }

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
    const wrong = pairs.filter((_pair, index) => String(cells[index]) !== String(expected[index]));
    expect(wrong).toEqual([]);
    expect(cells).toEqual(expected);
    const equal = cells.filter(([areEqual]) => areEqual === 'true').length;
    expect(equal).toBeGreaterThan(50);
    expect(equal).toBeLessThan(pairs.length - 50);
  },
);
