// Tests of batches over parameters of every type: a batch gives the bodies of the single queries, byte for byte.
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import request from 'supertest';
import {
  type ParameterType,
  type ParameterValue,
  absentValue,
  isScalarType,
  scalarTypeOf,
} from '../../functions/core/parameter-type.ts';
import type { Entry, LiveEntry } from '../../functions/core/result-store.ts';
import { canonicalScalar } from '../../functions/endpoints/canonical-scalar.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { computeEntries, computeEntry } from '../../functions/results/compute-entry.ts';
import {
  type LocalBigQuery,
  createLocalBigQuery,
} from '../../scripts/local-bigquery/rest/server.ts';
import { ControlledClock } from '../support/fakes/controlled-clock.ts';
import { connectFirestore } from '../support/service/firestore-emulators.ts';
import { createLocalQueryRunner } from '../support/bigquery/local-query-runner.ts';
import {
  API_KEY,
  createTestService,
  createTestWarm,
  storeKey,
} from '../support/service/service.ts';
import { SPELT_VALUES } from '../support/sql/spellings.ts';
import {
  PARAMETER_TYPES,
  SAMPLES_FIELDS,
  loadTypedEndpoints,
  nameOf,
} from '../support/sql/typed-endpoints.ts';
import { sharedEngine } from '../support/bigquery/shared-engine.ts';

const NOW = '2026-11-20T10:00:00Z';
const catalogue = loadTypedEndpoints();
const endpoint = catalogue.resolve('types.matches') as Endpoint;

const engine = await sharedEngine();

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
    Object.fromEntries(from.map(({ type, values }) => [nameOf(type), fc.constantFrom(...values)])),
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

async function bigQueryWith(
  rows: readonly CanonicalParameters[],
  clock: ControlledClock,
): Promise<LocalBigQuery> {
  const numbered = rows.map((row, id) => ({ id, ...row }));
  const tables = [{ name: 'samples', fields: SAMPLES_FIELDS, rows: numbered }];
  return createLocalBigQuery({ engine, tables, clock });
}

const textOf = ({ body }: Entry): string => gunzipSync(body).toString();

it('a batch has the rows of the single query for every parameter set, including NULLs and arrays', async () => {
  let matched = 0;
  const compare = async ({ rows, keys }: Run): Promise<void> => {
    const clock = new ControlledClock(NOW);
    const bigquery = await bigQueryWith(rows, clock);
    const queryRunner = createLocalQueryRunner(bigquery.url, clock);
    const deadlineMs = clock.nowMs() + 60_000;
    // A batch shares the parameters that are not fields of `@keys`.
    const sets = keys.map((key) => ({ ...key, first_id: null, ids: [] }));
    const entries = sets.map((parameters, index): LiveEntry => ({
      cacheKey: String(index),
      endpointId: endpoint.id,
      endpoint: endpoint.name,
      resultDigest: endpoint.resultDigest,
      parameters,
      readers: [],
      version: undefined,
      computedAtMs: 0,
      freshUntilMs: 0,
      lastReadAtMs: 0,
    }));
    const batch = new Map<string, string>();
    const computing = { queryRunner, storeClock: clock, endpoint, deadlineMs, maxResultMib: 16 };
    await computeEntries({
      ...computing,
      entries,
      onEntry: ({ cacheKey }, entry) => {
        batch.set(cacheKey, textOf(entry));
        return Promise.resolve();
      },
      onBytes: () => undefined,
    });
    for (const { cacheKey, parameters } of entries) {
      const single = await computeEntry({ ...computing, parameters, readers: [] });
      expect([parameters, batch.get(cacheKey)]).toEqual([parameters, textOf(single)]);
      matched += single.rowCount;
    }
    await bigquery.close();
  };
  await fc.assert(fc.asyncProperty(runs, compare), { numRuns: 5, endOnFailure: true });
  // 16 types, 200 parameter sets, and a third of the rows each.
  expect(matched).toBeGreaterThan(2000);
});

it('a warming run refreshes read entries by batches, one job for each value of the other parameters', async () => {
  const clock = new ControlledClock(NOW);
  const [{ rows, keys } = { rows: [], keys: [] }] = fc.sample(runs, { numRuns: 1, seed: 7 });
  const bigquery = await bigQueryWith(rows, clock);
  const firestore = connectFirestore(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  await storeKey(firestore);
  const common = { clock, firestore, bigQueryUrl: bigquery.url, catalogue };
  const { server } = createTestService({ ...common, memoryCacheSeconds: 0 });
  const { server: warmServer } = createTestWarm(common);
  const shared: CanonicalParameters[] = [
    { first_id: null, ids: [] },
    { first_id: '2', ids: [] },
    { first_id: null, ids: ['0', '1', '2'] },
  ];
  const queryStrings = keys.map((key, index) => queryStringOf({ ...key, ...shared[index % 3] }));
  const different = new Set(queryStrings).size;

  const ask = async (queryString: string): Promise<[string, string]> => {
    const answer = await request(server)
      .get(`/api/endpoints/query/types.matches?${queryString}`)
      .set('X-API-KEY', API_KEY);
    expect([answer.status, answer.headers.age]).toEqual([200, '0']);
    return [String(answer.headers['cache-status']).split('; ')[1] ?? '', answer.text];
  };
  const before: string[] = [];
  for (const queryString of queryStrings) before.push((await ask(queryString))[1]);
  clock.advance(301_000);
  const report = await request(warmServer).post('/').send({});
  expect(report.body).toMatchObject({
    live: different,
    unreadable: 0,
    refreshed: different,
    failed: [],
    leftOver: 0,
    jobs: 3,
  });
  for (const [index, queryString] of queryStrings.entries()) {
    expect(await ask(queryString)).toEqual(['hit', before[index]]);
  }
  expect(new Set(before).size).toBeGreaterThan(20);
  await firestore.terminate();
  await bigquery.close();
});

function queryStringOf(parameters: CanonicalParameters): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) =>
      [value ?? ''].flat().map((text) => `${name}=${encodeURIComponent(text)}`),
    )
    .join('&');
}
