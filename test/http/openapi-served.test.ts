// Tests of the OpenAPI document as a client reads it over HTTP: the address of the service, and examples that fit.
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { Test } from 'supertest';
import { REASONS } from '../../functions/core/errors.ts';
import { FakeSqlTree, parameter } from '../support/sql/fake-sql-tree.ts';
import { createQueryServer, type QueryServer } from '../support/bigquery/query-server.ts';

interface MediaType {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface OpenApi {
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, { get: { responses: { 200: { content: Record<string, MediaType> } } } }>;
  components: {
    schemas: Record<string, { properties?: object }>;
    responses: Record<string, { content?: Record<string, MediaType> }>;
  };
}

const TYPES = [
  ...['BIGNUMERIC', 'BOOL', 'BYTES', 'DATE', 'DATETIME', 'FLOAT64', 'INT64', 'JSON', 'NUMERIC'],
  ...['RECORD', 'STRING', 'TIME', 'TIMESTAMP'],
];

let service: QueryServer;

beforeEach(() => {
  service = createQueryServer();
});

const get = (headers: Record<string, string> = {}): Test =>
  service.get('/api/endpoints/openapi.json').set(headers);

async function openApiOf(headers: Record<string, string> = {}): Promise<OpenApi> {
  const answer = await get(headers);
  expect(answer.status).toBe(200);
  return answer.body as OpenApi;
}

/** An endpoint with a column of every type and mode. */
function serveEveryType(): void {
  const columns = TYPES.flatMap((type) =>
    ['REQUIRED', 'NULLABLE', 'REPEATED'].map((mode) => [
      `${type}_${mode}`,
      { type, mode, description: 'A column.' },
    ]),
  );
  const row = Object.fromEntries(columns) as object;
  const tree = new FakeSqlTree().endpoint({ row, parameters: { any: parameter() } });
  service = createQueryServer({ catalogue: tree.catalogue() });
}

describe('the server URL of the document', () => {
  it.each([
    ['a name', { Host: 'queries.example.com' }, 'http://queries.example.com'],
    ['a port', { Host: 'localhost:8080' }, 'http://localhost:8080'],
    ['an IPv4 address', { Host: '127.0.0.1:8080' }, 'http://127.0.0.1:8080'],
    ['an IPv6 address', { Host: '[::1]:8080' }, 'http://[::1]:8080'],
    ['capitals', { Host: 'Queries.Example.COM' }, 'http://queries.example.com'],
    [
      'the scheme that Cloud Run states',
      { Host: 'query-x.a.run.app', 'X-Forwarded-Proto': 'https' },
      'https://query-x.a.run.app',
    ],
    [
      'the port of the scheme',
      { Host: 'queries.example.com:443', 'X-Forwarded-Proto': 'https' },
      'https://queries.example.com',
    ],
    [
      'the host that a proxy states',
      {
        Host: 'query-x.a.run.app',
        'X-Forwarded-Host': 'queries.example.com',
        'X-Forwarded-Proto': 'https',
      },
      'https://queries.example.com',
    ],
  ])('is the origin of the request: %s', async (_name, headers, expected) => {
    const document = await openApiOf(headers);
    expect(document.servers).toEqual([{ url: expected }]);
    expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  });

  it.each([
    ['an empty host', { Host: '' }],
    ['quotes', { Host: 'a"},{"url":"https://evil.example' }],
    ['a path', { Host: 'evil.example/path' }],
    ['credentials', { Host: 'queries.example.com@evil.example' }],
    ['a query string', { Host: 'evil.example?' }],
    ['a fragment', { Host: 'evil.example#' }],
    ['a template of OpenAPI', { Host: '{host}.example' }],
    ['markup', { Host: '<script>evil()</script>' }],
    ['a space', { Host: 'queries.example.com evil.example' }],
    ['percent-encoding', { Host: 'queries%2eexample.com' }],
    ['an invalid port', { Host: 'queries.example.com:99999' }],
    ['a broken IPv6 address', { Host: '[::1' }],
    ['a broken IPv6 address in brackets', { Host: '[1:2]' }],
    ['a host of more than 253 characters', { Host: 'a'.repeat(254) }],
    ['two hosts of proxies', { Host: 'a.example', 'X-Forwarded-Host': 'b.example, c.example' }],
    ['a path from a proxy', { Host: 'a.example', 'X-Forwarded-Host': 'evil.example/' }],
    ['another scheme', { Host: 'a.example', 'X-Forwarded-Proto': 'javascript' }],
    ['two schemes', { Host: 'a.example', 'X-Forwarded-Proto': 'https, http' }],
  ])('is / if the request does not determine the origin: %s', async (_name, headers) => {
    const answer = await get(headers);
    expect((answer.body as OpenApi).servers).toEqual([{ url: '/' }]);
    expect(answer.text.includes('evil')).toBe(false);
  });

  it('changes the tag of the document, and needs no header in Vary', async () => {
    const [one, same, other] = [
      await get({ Host: 'a.example' }),
      await get({ Host: 'a.example' }),
      await get({ Host: 'b.example' }),
    ];
    expect(one.headers.etag).toBe(same.headers.etag);
    expect(one.headers.etag).not.toBe(other.headers.etag);
    expect(one.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'Accept, Accept-Encoding, Authorization, Origin, X-API-KEY',
    });
  });
});

it('the document keeps its title and version when the endpoints change', async () => {
  const info = { title: 'Saved query endpoints', version: '1.0.0' };
  expect((await openApiOf()).info).toMatchObject(info);
  serveEveryType();
  expect((await openApiOf()).info).toMatchObject(info);
});

it('the document is valid for every column type and mode', async () => {
  serveEveryType();
  const document = await openApiOf();
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  expect(document.components.schemas['group.example.row']?.properties).toMatchObject({
    BIGNUMERIC_REQUIRED: { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$' },
    BOOL_NULLABLE: { type: ['boolean', 'null'] },
    BYTES_REQUIRED: { type: 'string', contentEncoding: 'base64' },
    DATE_REPEATED: { type: 'array', items: { type: 'string', format: 'date' } },
    FLOAT64_NULLABLE: {
      oneOf: [
        { type: 'number', format: 'double' },
        { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] },
        { type: 'null' },
      ],
    },
    INT64_REQUIRED: {
      oneOf: [
        { type: 'integer', format: 'int64' },
        { type: 'string', pattern: '^-?[0-9]+$' },
      ],
    },
    JSON_NULLABLE: { description: 'A column.' },
    RECORD_REPEATED: { type: 'array', items: { type: 'object', additionalProperties: true } },
    TIMESTAMP_REQUIRED: { type: 'string', format: 'date-time' },
  });
});

/** Every example with the place of its schema, as a JSON pointer. */
function examplesOf({ paths, components }: OpenApi): [pointer: string, example: unknown][] {
  const pointer = (...keys: string[]): string =>
    keys.map((key) => `/${encodeURIComponent(key.replaceAll('/', '~1'))}`).join('');
  const of = (at: string, content: Record<string, MediaType>): [string, unknown][] =>
    Object.entries(content).flatMap(([type, { example, examples = {} }]) =>
      [example, ...Object.values(examples).map(({ value }) => value)]
        .filter((value) => value !== undefined)
        .map((value): [string, unknown] => [`${at}${pointer('content', type, 'schema')}`, value]),
    );
  return [
    ...Object.entries(paths).flatMap(([path, { get: operation }]) =>
      of(pointer('paths', path, 'get', 'responses', '200'), operation.responses[200].content),
    ),
    ...Object.entries(components.responses).flatMap(([name, { content = {} }]) =>
      of(pointer('components', 'responses', name), content),
    ),
  ];
}

describe('an example in the document', () => {
  it('matches its schema, for every column type and mode and for every error', async () => {
    serveEveryType();
    const document = await openApiOf();
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    ajvFormats.default(ajv);
    ajv.addSchema(document, 'openapi');
    const examples = examplesOf(document);
    // Two errors are those of tools.
    expect(examples).toHaveLength(3 + Object.keys(REASONS).length - 2);
    for (const [pointer, example] of examples) {
      const validate = ajv.compile({ $ref: `openapi#${pointer}` });
      validate(example);
      expect([pointer, validate.errors]).toEqual([pointer, null]);
    }
  });

  it('has the rows of an endpoint in every format', async () => {
    const { paths } = await openApiOf();
    const { content } = paths['/api/endpoints/query/web.visit-counts']?.get.responses[200] ?? {};
    expect(content?.['application/json']?.example).toEqual({
      result: [{ timestamp: '2026-11-20T10:00:00', visits: 42, urls: 42 }],
    });
    expect(content?.['text/csv']?.example).toBe(
      'timestamp,visits,urls\r\n2026-11-20T10:00:00,42,42\r\n',
    );
    expect(content?.['application/x-ndjson']?.example).toBe(
      '{"timestamp":"2026-11-20T10:00:00","visits":42,"urls":42}\n',
    );
  });

  it('has the invalid parameters of a 400, and the retry delay of a 429', async () => {
    const { components } = await openApiOf();
    const examples = (code: number): Record<string, { value: unknown }> =>
      components.responses[`error${code}`]?.content?.['application/json']?.examples ?? {};
    expect(examples(400).INVALID_PARAMETERS?.value).toEqual({
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'Invalid parameters: format must be one of json, csv, ndjson.',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'INVALID_PARAMETERS',
            domain: 'saved-queries',
            metadata: {},
          },
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: 'format', description: 'must be one of json, csv, ndjson' }],
          },
        ],
      },
    });
    expect(Object.keys(examples(429))).toEqual([
      'KEY_LOOKUPS_EXHAUSTED',
      'RATE_LIMITED',
      'QUERY_QUOTA_EXHAUSTED',
    ]);
    expect(examples(429).QUERY_QUOTA_EXHAUSTED?.value).toMatchObject({
      error: { details: [{}, { retryDelay: '5s' }] },
    });
  });
});
