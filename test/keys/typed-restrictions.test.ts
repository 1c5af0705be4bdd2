// Tests of keys that are restricted on typed parameters: no way of asking reaches the rows of other values.
import request, { type Test } from 'supertest';
import type { EndpointDescription } from '../../functions/endpoints/description.ts';
import { createQueryServer } from '../support/bigquery/query-server.ts';
import { loadTypedEndpoints } from '../support/sql/typed-endpoints.ts';

const catalogue = loadTypedEndpoints();
const RESTRICTED = 'a-key-that-is-restricted';

interface Restriction {
  parameters: Record<string, string[]>;
  /** Query strings that are 403. */
  refused: string[];
  /** Query strings that are allowed and malformed: 400. */
  malformed?: string[];
  /** Query strings that are 200. */
  allowed?: string[];
}

const NAME_VARIANTS = 'INT64 Int64 int64[] int64%5B%5D int64%00 %20int64 int64+'.split(' ');

const OF_ECHO: Record<string, Restriction> = {
  'an INT64': {
    parameters: { int64: ['1'] },
    refused: [
      ...['', 'int64', 'int64=', 'int64=2', 'int64=-1', 'int64=%2D1', 'int64=10', 'int64=%31%30'],
      ...['int64=2&int64=1', 'int64=&int64=1', 'int64=&int64=', 'int64=1,2', 'int64=1;int64=2'],
      ...['int64=1%26int64=2', 'int64=%201', 'int64=1%20', 'int64=1%00', 'int64=1%0A', 'int64=1.0'],
      ...['int64=0x1', 'int64=1e0', 'int64=true', 'int64=null', 'int64=NULL', 'int64=%EF%BC%91'],
      // Modulo 2^64 and 2^32 these are 1.
      ...['int64=18446744073709551617', 'int64=4294967297', 'int64=1%20OR%20TRUE', 'int64=.*'],
      ...['int64_list=1', 'string=1', ...NAME_VARIANTS.map((name) => `${name}=1`)],
    ],
    malformed: [
      ...['int64=1&int64=2', 'int64=1&int64=1', 'int64=1&int64=', 'int64=1&string=%'],
      ...['%=1&int64=1', 'int64=1&INT64=2', 'int64[]=2&int64=1'],
    ],
    allowed: [
      ...['int64=1', 'int64=01', 'int64=%2B1', 'int64=%31', '%69nt64=1', 'int64=1&x=2'],
      ...['&int64=1&', 'int64=1&int64_list=2&string=b'],
    ],
  },
  'an ARRAY<INT64>': {
    parameters: { int64_list: ['1', '02'] },
    refused: [
      ...['', 'int64_list', 'int64_list=', 'int64_list=3', 'int64_list=1&int64_list=3'],
      ...['int64_list=3&int64_list=1', 'int64_list=1&int64_list=', 'int64_list=&int64_list=1'],
      ...['int64_list=&int64_list=', 'int64_list=1,2', 'int64_list=%5B1,2%5D', 'int64_list=1%2C2'],
      ...['int64_list=1.0', 'int64_list=1&int64_list=2&int64_list=12', 'int64_list[]=1'],
      ...['int64_list%5B0%5D=1', 'int64_list.0=1', 'INT64_LIST=1', 'int64=1', 'int64_list=1%202'],
    ],
    malformed: ['int64_list=1&'.repeat(101), 'int64_list=1&'.repeat(1001)],
    allowed: [
      ...['int64_list=1', 'int64_list=2', 'int64_list=2&int64_list=1', 'int64_list=1&int64_list=1'],
      ...['int64_list=01&int64_list=%2B2', 'int64_list=1&'.repeat(100)],
    ],
  },
  'a STRING': {
    parameters: { string: ['a', '01'] },
    refused: [
      ...['', 'string=', 'string=A', 'string=b', 'string=a%20', 'string=%20a', 'string=a+'],
      ...['string=a%00', 'string=%00a', 'string=.*', 'string=a%7Cb', 'string=%25', 'string=1'],
      // With an accent of its own, and in full width.
      ...['string=a%CC%81', 'string=%EF%BD%81', 'String=a', 'string[]=a', 'string_list=a'],
    ],
    malformed: ['string=a&string=b', 'string=a&string=a', 'string=%', 'string=%E1'],
    allowed: ['string=a', 'string=%61', 'string=01'],
  },
  'a FLOAT64': {
    parameters: { float64: ['0.1'] },
    refused: [
      ...['', 'float64=0.2', 'float64=-0.1', 'float64=0.10000000000000002', 'float64=1'],
      ...['float64=NaN', 'float64=1e999'],
    ],
    malformed: ['float64=0.1&float64=0.1'],
    allowed: ['float64=0.1', 'float64=.1', 'float64=1e-1', 'float64=00.100'],
  },
  'a TIMESTAMP': {
    parameters: { timestamp: ['2026-11-20T11:00:00+01:00'] },
    refused: [
      ...['', 'timestamp=2026-11-20T11:00:00Z', 'timestamp=2026-11-20T10:00:00-01:00'],
      ...['timestamp=2026-11-20T10:00:00.000001Z', 'timestamp=2026-11-20T11:00:00+01:00'],
      ...['timestamp=2026-11-20T10:00:00', 'timestamp=1795168800'],
    ],
    allowed: ['timestamp=2026-11-20T10:00:00Z', 'timestamp=2026-11-20T11:00:00.000%2B01:00'],
  },
  'two parameters': {
    parameters: { int64: ['1'], bool: ['true'] },
    refused: ['', 'int64=1', 'bool=true', 'int64=1&bool=false', 'int64=2&bool=true'],
    allowed: ['int64=01&bool=true'],
  },
  'a parameter to no value': {
    parameters: { int64: [] },
    refused: ['', 'int64=', 'int64=0', 'int64=1'],
  },
  'a parameter to a text that is not of its type': {
    parameters: { int64: ['one'] },
    refused: ['', 'int64=1', 'int64=0', 'int64=ONE'],
    malformed: ['int64=one'],
  },
  'a parameter that there is not': {
    parameters: { tenant: ['1'] },
    refused: ['', 'tenant=1', 'int64=1'],
  },
  'a parameter with the name of an inherited property': {
    parameters: { constructor: ['1'] },
    refused: ['', 'constructor=1', 'toString=1'],
  },
  'an INT64 to none': {
    parameters: { int64: [''] },
    refused: ['int64=0', 'int64=1', 'int64=null', 'int64=%20'],
    malformed: ['int64=&int64=1', 'int64=&int64='],
    allowed: ['', 'int64', 'int64=', 'string=b'],
  },
  'an ARRAY<INT64> to none': {
    parameters: { int64_list: [''] },
    refused: ['int64_list=0', 'int64_list=&int64_list=1', 'int64_list=1&int64_list='],
    malformed: ['int64_list=&int64_list='],
    allowed: ['', 'int64_list='],
  },
};

const OF_KEYWORDS: Record<string, Restriction> = {
  'an INT64 to an alias': {
    parameters: { listed: ['one'] },
    refused: ['', 'listed=two', 'listed=2', 'listed=02', 'listed=4', 'listed=ONE', 'listed=one%20'],
    allowed: ['listed=one', 'listed=1', 'listed=01'],
  },
  'an INT64 that has aliases': {
    parameters: { listed: ['2'] },
    refused: ['', 'listed=one', 'listed=1', 'listed=3'],
    allowed: ['listed=two', 'listed=2', 'listed=02'],
  },
  'an ARRAY<NUMERIC> that has aliases': {
    parameters: { listed_list: ['half'] },
    refused: ['', 'listed_list=1', 'listed_list=half&listed_list=1', 'listed_list=HALF'],
    allowed: ['listed_list=half&listed_list=2.5&listed_list=2.50'],
  },
  'a DATE that unlisted values are read as': {
    parameters: { replaced: ['2026-11-20'] },
    refused: ['', 'replaced=', 'replaced=2026-11-21'],
    allowed: ['replaced=2026-11-20', 'replaced=2026-11-22', 'replaced=tomorrow'],
  },
  'an INT64 that unlisted values are not read as': {
    parameters: { rounded: ['05'] },
    refused: ['', 'rounded=', 'rounded=7', 'rounded=10', 'rounded=five', 'rounded=5.0'],
    allowed: ['rounded=5', 'rounded=005', 'rounded=%2B5'],
  },
  'a DATE to an unlisted value': {
    parameters: { replaced: ['2026-11-22', 'tomorrow'] },
    refused: ['', 'replaced=2026-11-22', 'replaced=tomorrow', 'replaced=2026-11-20'],
  },
  'an ARRAY<STRING> whose unlisted elements are read as another': {
    parameters: { replaced_list: ['a'] },
    refused: ['', 'replaced_list=x', 'replaced_list=a&replaced_list=x', 'replaced_list=b'],
    allowed: ['replaced_list=a'],
  },
  'a TIMESTAMP to its default': {
    parameters: { given: ['2026-11-20T10:00:00Z'] },
    refused: ['given=2026-11-20T10:00:01Z'],
    allowed: ['', 'given=', 'given=2026-11-20T11:00:00%2B01:00'],
  },
  'a TIMESTAMP to another value than its default': {
    parameters: { given: ['2026-11-21T10:00:00Z'] },
    refused: ['', 'given=', 'given', 'given=2026-11-20T10:00:00Z'],
    allowed: ['given=2026-11-21T10:00:00Z'],
  },
  'a TIMESTAMP with a default to none': {
    parameters: { given: [''] },
    refused: ['', 'given=', 'given=2026-11-20T10:00:00Z'],
  },
  'an ARRAY<INT64> to its default': {
    parameters: { given_list: ['7', '8'] },
    refused: ['given_list=', 'given_list=9', 'given_list=7&given_list=9'],
    allowed: ['', 'given_list=8', 'given_list=08&given_list=7'],
  },
  'an ARRAY<INT64> to a part of its default': {
    parameters: { given_list: ['7'] },
    refused: ['', 'given_list=', 'given_list=8', 'given_list=7&given_list=8'],
    allowed: ['given_list=7'],
  },
  'an ARRAY<INT64> with a default to none': {
    parameters: { given_list: [''] },
    refused: ['', 'given_list=7', 'given_list=8'],
    allowed: ['given_list='],
  },
};

const CASES = [
  ...Object.entries(OF_ECHO).map((one) => [...one, 'types.echo'] as const),
  ...Object.entries(OF_KEYWORDS).map((one) => [...one, 'types.keywords'] as const),
];

it.each(CASES)(
  'a key that is restricted on %s gets no other rows, by id or name, with GET or HEAD, cached or not',
  async (_, { parameters, refused, malformed = [], allowed = [] }, name) => {
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
  async (_, { parameters, allowed = [] }, name) => {
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
