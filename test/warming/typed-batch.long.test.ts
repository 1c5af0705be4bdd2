// Tests of batches over parameters of every type: a batch gives the bodies of the single queries, byte for byte.
import fc from 'fast-check';
import {
  type ParameterType,
  type ParameterValue,
  absentValue,
  isScalarType,
  scalarTypeOf,
} from '../../functions/core/parameter-type.ts';
import { canonicalScalar } from '../../functions/endpoints/canonical-scalar.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { startService } from '../support/world.ts';
import { SPELT_VALUES } from '../support/sql/spellings.ts';
import {
  PARAMETER_TYPES,
  SAMPLES_FIELDS,
  loadTypedEndpoints,
  nameOf,
} from '../support/sql/typed-endpoints.ts';

it('a warming run refreshes every type by batches, with the rows of the single queries, including NULLs and arrays', async () => {
  const catalogue = loadTypedEndpoints();

  /** Few values of each type, so that rows and parameters often have the same. */
  interface Pool {
    type: ParameterType;
    values: ParameterValue[];
  }

  const pools: fc.Arbitrary<Pool[]> = fc.tuple(
    ...PARAMETER_TYPES.map((type) => {
      const [, value, spell] = SPELT_VALUES.find(([of]) => of === scalarTypeOf(type)) ?? [];
      const scalar = (value ?? fc.constant('')).chain((text) => spell?.(text) ?? fc.constant(text));
      const canonical = scalar.map((text) => {
        const spelled = canonicalScalar(scalarTypeOf(type), text);
        return 'text' in spelled ? spelled.text : '';
      });
      const own: fc.Arbitrary<ParameterValue> = isScalarType(type)
        ? canonical
        : fc.array(canonical, { minLength: 1, maxLength: 3 });
      return fc
        .array(own, { minLength: 2, maxLength: 3 })
        .map((values): Pool => ({ type, values: [...values, absentValue(type)] }));
    }),
  );

  /** A value of each pool. */
  function valuesOf(from: readonly Pool[]): fc.Arbitrary<CanonicalParameters> {
    return fc.record(
      Object.fromEntries(
        from.map(({ type, values }) => [nameOf(type), fc.constantFrom(...values)]),
      ),
    );
  }

  interface Run {
    rows: CanonicalParameters[];
    keys: CanonicalParameters[];
  }

  const runs: fc.Arbitrary<Run> = pools.chain((from) =>
    fc.record({
      rows: fc.array(valuesOf(from), { minLength: 5, maxLength: 10 }),
      keys: fc.array(valuesOf(from), { minLength: 40, maxLength: 40 }),
    }),
  );

  /** Asks for the results of all keys, refreshes them and asks again; returns the number of their rows. */
  async function warm({ rows, keys }: Run): Promise<number> {
    const numbered = rows.map((row, id) => ({ id, ...row }));
    const tables = [{ name: 'samples', fields: SAMPLES_FIELDS, rows: numbered }];
    const service = await startService({ tables, catalogue, memoryCacheSeconds: 0 });
    // The parameters that are not batched: a job for each of their values.
    const shared: CanonicalParameters[] = [
      { first_id: null, ids: [] },
      { first_id: '2', ids: [] },
      { first_id: null, ids: ['0', '1', '2'] },
    ];
    const queryStrings = keys.map((key, index) => queryStringOf({ ...key, ...shared[index % 3] }));
    const different = new Set(queryStrings).size;

    const ask = async (queryString: string): Promise<[string, string]> => {
      const answer = await service.ask(`types.matches?${queryString}`);
      expect([answer.status, answer.headers.age]).toEqual([200, '0']);
      return [String(answer.headers['cache-status']).split('; ')[1] ?? '', answer.text];
    };
    const before: string[] = [];
    for (const queryString of queryStrings) before.push((await ask(queryString))[1]);
    service.clock.advance(301_000);
    expect(await service.warm.run()).toMatchObject({
      ...{ live: different, unreadable: 0, refreshed: different },
      ...{ failed: [], leftOver: 0, jobs: 3 },
    });
    for (const [index, queryString] of queryStrings.entries()) {
      expect([queryString, ...(await ask(queryString))]).toEqual([
        queryString,
        'hit',
        before[index],
      ]);
    }
    return before.flatMap((text) => (JSON.parse(text) as { result: object[] }).result).length;
  }

  function queryStringOf(parameters: CanonicalParameters): string {
    return Object.entries(parameters)
      .flatMap(([name, value]) =>
        [value ?? ''].flat().map((text) => `${name}=${encodeURIComponent(text)}`),
      )
      .join('&');
  }

  let matched = 0;
  await fc.assert(
    fc.asyncProperty(runs, async (run) => void (matched += await warm(run))),
    { numRuns: 2, endOnFailure: true },
  );
  // 16 types, 80 requests, and some of the rows each.
  expect(matched).toBeGreaterThan(600);
});
