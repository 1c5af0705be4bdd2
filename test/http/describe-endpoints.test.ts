// Tests of the catalogue over HTTP, where each key sees what it can call, and of the headers that the OpenAPI document has too.
import type { Endpoint, EndpointDescription } from '../../functions/endpoints/endpoint.ts';
import { FakeSqlTree, parameter } from '../support/sql/fake-sql-tree.ts';
import { type QueryServer, createQueryServer } from '../support/world.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { testCatalogue } from '../support/sql/test-sql.ts';
import { loadTypedEndpoints } from '../support/sql/typed-endpoints.ts';

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));

async function endpointsOf(service: QueryServer, key?: string): Promise<EndpointDescription[]> {
  const answer = await service.get('/api/endpoints', key).set('Host', 'queries.example.com');
  return (answer.body as { endpoints: EndpointDescription[] }).endpoints;
}

it('the catalogue has all that a caller needs of an endpoint, in the order and with every keyword of its definition', async () => {
  const minutes = parameter({
    ...{ type: 'ARRAY<INT64>', example: ['1', '60'], enum: ['1', '60'] },
    ...{ aliases: { hour: '60' }, otherwise: '1', default: '60', minItems: 1, maxItems: 2 },
  });
  const amount = parameter({ type: 'NUMERIC', example: '1', minimum: 0, maximum: 10 });
  const span = parameter({ type: 'STRING', required: true, enum: ['hour'], example: 'hour' });
  const path = parameter({
    ...{ type: 'STRING', format: 're2', pattern: '^a', minLength: 1, maxLength: 9 },
  });
  const step = { parameter: 'span', values: { hour: 'PT1H' } };
  const bucket = { column: 'at', step, missing: 'zero' };
  const described = { mode: 'REQUIRED', description: 'A column.' };
  const at = { ...described, type: 'TIMESTAMP' };
  const size = { ...described, type: 'INT64', unit: 'bytes' };
  const parameters = { minutes, amount, span, path };
  const tree = new FakeSqlTree().endpoint({ parameters, row: { at, size }, bucket });
  const service = createQueryServer({ catalogue: tree.catalogue() });
  expect(await endpointsOf(service)).toEqual([
    {
      id: '11111111-2222-4333-8444-555555555555',
      name: 'group.example',
      description: 'An example.',
      path: '/api/endpoints/query/group.example',
      parameters: [
        { name: 'minutes', ...minutes },
        { name: 'amount', ...amount },
        { name: 'span', ...span },
        { name: 'path', ...path },
      ],
      row: [
        { name: 'at', ...at },
        { name: 'size', ...size },
      ],
      bucket,
      ...{ maxRows: 1000, cachingSeconds: 900, cacheWarmingSeconds: 300 },
      // 10 GiB at US$6.25 per TiB.
      cost: { maxBytesBilled: 10_737_418_240, maxUsd: 0.06103515625 },
    },
  ]);
});

it('the catalogue says what the last run took, what one may read at most, and what both cost', async () => {
  const [stats, counts] = testCatalogue().endpoints as [Endpoint, Endpoint];
  const endpoints = [stats, { ...counts, maxBytesBilled: 2 ** 30 }];
  const catalogue = { ...testCatalogue(), endpoints };
  const service = createQueryServer({ catalogue, pricePerTib: 1024 });
  const costs = async (to = service) => (await endpointsOf(to)).map(({ cost }) => cost);
  const bound = { maxBytesBilled: 2 ** 30, maxUsd: 1 };
  const others = { maxBytesBilled: 10 * 2 ** 30, maxUsd: 10 };
  expect(await costs()).toEqual([others, bound]);
  service.queryRunner.answerWith(() => {
    service.clock.advance(1500);
    return queryResult({ bytesProcessed: 2 ** 29 });
  });
  await service.ask('tasks.run-stats?project=a');
  const lastRun = {
    ...{ at: '2026-11-20T10:00:00.000Z', seconds: 1.5 },
    ...{ bytesProcessed: 2 ** 29, usd: 0.5 },
  };
  expect(await costs()).toEqual([{ ...others, lastRun }, bound]);
  // Another instance learns of it with the stored rows, which are no run of their own.
  const other = createQueryServer({ shared: service, catalogue, pricePerTib: 1024 });
  expect(await costs(other)).toEqual([others, bound]);
  await other.ask('tasks.run-stats?project=a');
  expect(await costs(other)).toEqual([{ ...others, lastRun }, bound]);
  // An instance that reads the rows of a later run first, and then those, has that of the later one.
  service.clock.advance(58_500);
  await service.ask('tasks.run-stats?project=b');
  const third = createQueryServer({ shared: service, catalogue, pricePerTib: 1024 });
  for (const project of ['b', 'a']) await third.ask(`tasks.run-stats?project=${project}`);
  const later = { ...lastRun, at: '2026-11-20T10:01:00.000Z' };
  expect(await costs(third)).toEqual([{ ...others, lastRun: later }, bound]);
});

it.each([
  ['values in canonical spelling, each once', 'listed', ['02', '2', '3'], ['2', '3'], '2'],
  ['no values of another type, or unlisted', 'listed', ['x', '9', '1'], ['1'], '1'],
  ['the listed value of an alias', 'listed', ['two', 'one'], ['2', '1'], '1'],
  ['values within bounds', 'bounded', ['2.0', '2.1', '-1.5'], ['2', '-1.5'], '2'],
  ['as many examples of an ARRAY', 'two_or_three', ['false'], ['false'], ['false', 'false']],
  ['an empty array', 'given_list', [''], [''], ''],
  ['an empty array, and no example of it', 'given_list', ['', '07'], ['', '7'], '7'],
  ['no empty value for a parameter with a default', 'given', [''], undefined, undefined],
])(
  'the catalogue shows a restricted key %s',
  async (_name, name, given, allowedValues, example) => {
    const service = createQueryServer({ catalogue: loadTypedEndpoints() });
    const parameters = { [name]: given };
    service.keyStore.add('sqk_restricted', { endpoints: ['types.keywords'], parameters });
    const [endpoint] = await endpointsOf(service, 'sqk_restricted');
    const described = endpoint?.parameters.find((one) => one.name === name);
    expect([described?.allowedValues, described?.example]).toEqual([allowedValues, example]);
  },
);
