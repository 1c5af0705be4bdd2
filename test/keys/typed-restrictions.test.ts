// Tests of keys that are restricted on typed parameters: no way of asking reaches the rows of other values.
import request, { type Test } from 'supertest';
import type { EndpointDescription } from '../../functions/endpoints/endpoint.ts';
import { createParameterRule } from '../../functions/endpoints/parameter-rule.ts';
import { authoriseParameters } from '../../functions/keys/access.ts';
import { casesBeside } from '../support/cases.ts';
import { createQueryServer } from '../support/world.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';
import { loadTypedEndpoints } from '../support/sql/typed-endpoints.ts';

const catalogue = loadTypedEndpoints();
const RESTRICTED = 'a-key-that-is-restricted';

const cases = casesBeside(import.meta.filename);

/** What each key may use, and the query strings that it gets each status for. */
const CASES = cases<[name: string, endpoint: string, parameters: Record<string, string[]>]>(
  'keys',
).map(([name, endpoint, parameters]) => {
  const lines = cases<[status: number, ...queryStrings: string[]]>(name);
  const queryStringsOf = (status: number) =>
    lines.flatMap(([of, ...queryStrings]) => (of === status ? queryStrings : []));
  return [name, endpoint, parameters, queryStringsOf] as const;
});

it.each(CASES)(
  'a key that is restricted on %s gets no other rows, by id or name, with GET or HEAD, cached or not',
  async (_, name, parameters, queryStringsOf) => {
    const [refused, malformed, allowed] = [403, 400, 200].map(queryStringsOf) as [
      string[],
      string[],
      string[],
    ];
    const service = createQueryServer({ catalogue });
    service.keyStore.add(RESTRICTED, { parameters });
    const id = catalogue.resolve(name)?.id.toUpperCase() ?? '';
    const ask = async (queryString: string, expected: number): Promise<void> => {
      for (const method of ['get', 'head'] as const) {
        for (const address of [name, id]) {
          const path = `/api/endpoints/query/${address}?${queryString}`;
          const answer = await request(service.server)[method](path).set('X-API-KEY', RESTRICTED);
          const beginning = queryString.slice(0, 80);
          expect([beginning, answer.status]).toEqual([beginning, expected]);
          if (expected !== 200) expect(answer.text ?? '').not.toContain('"result"');
        }
      }
    };
    const askAll = async (): Promise<void> => {
      for (const queryString of refused) await ask(queryString, 403);
      for (const queryString of malformed) await ask(queryString, 400);
    };
    await askAll();
    expect(service.queryRunner.requests).toEqual([]);
    // Another key reads the rows, so that they are in the memory of this instance.
    for (const queryString of [...refused, ...malformed]) {
      await service.get(`/api/endpoints/query/${name}?${queryString}`);
    }
    await askAll();
    for (const queryString of allowed) await ask(queryString, 200);
  },
);

it.each(CASES)(
  'a key that is restricted on %s is shown exactly the values that it may request',
  async (_, name, parameters, queryStringsOf) => {
    const allowed = queryStringsOf(200);
    const service = createQueryServer({ catalogue });
    service.keyStore.add(RESTRICTED, { endpoints: [name], parameters });
    const get = (path: string): Test => service.get(`/api/endpoints${path}`, RESTRICTED);
    const { endpoints } = (await get('')).body as { endpoints: EndpointDescription[] };
    expect(endpoints.map((endpoint) => endpoint.name)).toEqual(allowed.length > 0 ? [name] : []);
    const offered = endpoints.flatMap((endpoint) =>
      endpoint.parameters.filter((parameter) => parameter.allowedValues !== undefined),
    );
    // Of each restricted parameter; the values of one are tried with the first of each other.
    const queryStrings = offered.map(({ name: field, allowedValues = [], example }) => [
      ...allowedValues.map((value) => `${field}=${encodeURIComponent(value)}`),
      [example]
        .flat()
        .map((value) => `${field}=${encodeURIComponent(value)}`)
        .join('&'),
    ]);
    const [first = [], ...others] = queryStrings;
    for (const queryString of first) {
      const rest = others.map(([other = '']) => `&${other}`).join('');
      const answer = await get(`/query/${name}?${queryString}${rest}`);
      expect([queryString, answer.status]).toEqual([queryString, 200]);
    }
  },
);

it('canonicalises each allowed value once, whatever a caller requests and how often', () => {
  const definition = parameter({ type: 'ARRAY<INT64>', example: '1' });
  const rule = createParameterRule(definition, undefined);
  const canonical = jest.fn((text: string) => rule.canonical(text));
  const endpoint = { rules: new Map([['p', { ...rule, canonical }]]) };
  const allowed = Array.from({ length: 1000 }, (_, index) => `0${index}`);
  const restricted = { name: 'test', endpoints: ['*'], parameters: { p: allowed } };
  const ask = (text: string) => (): void =>
    authoriseParameters(restricted, endpoint, { p: Array<string>(100).fill(text) });
  ask('999')();
  expect(ask('1000')).toThrow('may not use this value of the parameter p');
  ask('0')();
  expect(canonical).toHaveBeenCalledTimes(1000);
});
