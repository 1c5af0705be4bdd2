// Makes the OpenAPI 3.1 document of the endpoints (https://spec.openapis.org/oas/v3.1.1).
import type { ColumnDescription, EndpointDescription } from '../endpoints/description.ts';
import { FORMAT_PARAMETER, ROW_FORMATS } from '../endpoints/requested-format.ts';
import { ERROR_DOMAIN, REASONS, isReason } from '../core/errors.ts';
import { errorExample, rowsExamples } from './examples.ts';
import { openApiParameter } from './openapi-parameter.ts';
import type { Json } from './parameter-schema.ts';

/** Of paths, headers, formats and errors. A changed endpoint does not change it. */
const WIRE_VERSION = '1.0.0';

/** One GET operation per endpoint, under the name of the endpoint. `serverUrl` has no final slash. */
export function openApiDocument(
  endpoints: readonly EndpointDescription[],
  serverUrl: string,
): string {
  const groups = [...new Set(endpoints.map(groupOf))];
  return JSON.stringify({
    openapi: '3.1.1',
    info: {
      title: 'Saved query endpoints',
      description:
        'Analytics queries over logs as cached HTTP endpoints. Answers come from a cache and are ' +
        'never older than the caching time of their endpoint; `Age` and `Cache-Status` state their age and origin.',
      version: WIRE_VERSION,
    },
    servers: [{ url: serverUrl === '' ? '/' : serverUrl }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: groups.map((name) => ({ name })),
    paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, { get: get(endpoint) }])),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: {
        ...Object.fromEntries(endpoints.map((endpoint) => [rowName(endpoint), row(endpoint)])),
        error: ERROR_SCHEMA,
      },
      parameters: { format: FORMAT },
      headers: HEADERS,
      responses: {
        notModified: {
          description: 'The client already has these rows (If-None-Match).',
          headers: headerReferences(['Age', 'Cache-Control', 'Cache-Status', 'ETag']),
        },
        ...Object.fromEntries(ERROR_CODES.map((code) => [`error${code}`, errorResponse(code)])),
      },
    },
  });
}

function get(endpoint: EndpointDescription): Json {
  const examples = rowsExamples(endpoint.row);
  return {
    operationId: endpoint.name,
    summary: endpoint.name,
    description: endpoint.description,
    tags: [groupOf(endpoint)],
    parameters: [
      ...endpoint.parameters.map(openApiParameter),
      { $ref: '#/components/parameters/format' },
    ],
    responses: {
      200: {
        description: `At most ${endpoint.maxRows} rows, never older than ${endpoint.cachingSeconds} seconds.`,
        headers: headerReferences(Object.keys(HEADERS).filter((name) => name !== 'Retry-After')),
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['result'],
              properties: {
                result: {
                  type: 'array',
                  maxItems: endpoint.maxRows,
                  items: { $ref: `#/components/schemas/${rowName(endpoint)}` },
                },
              },
            },
            example: examples.json,
          },
          'text/csv': {
            schema: { type: 'string', description: 'RFC 4180 with a header line of the columns.' },
            example: examples.csv,
          },
          'application/x-ndjson': {
            schema: { type: 'string', description: 'One row per line, as a JSON object.' },
            example: examples.ndjson,
          },
        },
      },
      304: { $ref: '#/components/responses/notModified' },
      ...Object.fromEntries(
        ERROR_CODES.map((code) => [code, { $ref: `#/components/responses/error${code}` }]),
      ),
    },
    'x-saved-query': {
      id: endpoint.id,
      maxRows: endpoint.maxRows,
      cachingSeconds: endpoint.cachingSeconds,
      cacheWarmingSeconds: endpoint.cacheWarmingSeconds,
    },
  };
}

const FORMAT: Json = {
  name: FORMAT_PARAMETER,
  in: 'query',
  description: 'The format of the rows; it wins over the header Accept.',
  required: false,
  schema: { type: 'string', enum: ROW_FORMATS },
};

function row({ row }: EndpointDescription): Json {
  return {
    type: 'object',
    required: row.map(({ name }) => name),
    properties: Object.fromEntries(row.map((column) => [column.name, columnSchema(column)])),
  };
}

/** The values as `results/encode.ts` writes them; a REPEATED column is never null and has no null elements. */
function columnSchema({ type, mode, description }: ColumnDescription): Json {
  const value = valueSchema(type);
  if (mode === 'REPEATED') return { type: 'array', items: value, description };
  if (mode === 'REQUIRED') return { ...value, description };
  if ('oneOf' in value) return { oneOf: [...value.oneOf, { type: 'null' }], description };
  if ('type' in value) return { ...value, type: [value.type, 'null'], description };
  return { ...value, description };
}

/** A type, a choice of types, or any JSON. */
type ValueSchema =
  | {
      type: string;
      format?: string;
      pattern?: string;
      contentEncoding?: string;
      additionalProperties?: boolean;
    }
  | { oneOf: Json[] }
  | Record<string, never>;

function valueSchema(type: string): ValueSchema {
  switch (type) {
    case 'INT64':
      return {
        oneOf: [
          { type: 'integer', format: 'int64' },
          {
            type: 'string',
            pattern: '^-?[0-9]+$',
            description: 'An integer beyond 2^53, with all digits.',
          },
        ],
      };
    case 'FLOAT64':
      return {
        oneOf: [
          { type: 'number', format: 'double' },
          { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] },
        ],
      };
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$' };
    case 'BOOL':
      return { type: 'boolean' };
    case 'BYTES':
      return { type: 'string', contentEncoding: 'base64' };
    case 'TIMESTAMP':
      return { type: 'string', format: 'date-time' };
    case 'DATE':
      return { type: 'string', format: 'date' };
    case 'DATETIME':
      // Without an offset, so not a date-time of RFC 3339.
      return {
        type: 'string',
        pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?$',
      };
    case 'TIME':
      return { type: 'string', pattern: '^[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?$' };
    case 'RECORD':
      return { type: 'object', additionalProperties: true };
    case 'JSON':
      return {};
    default:
      return { type: 'string' };
  }
}

const HEADERS: Json = {
  Age: { description: 'Seconds since the rows were computed.', schema: { type: 'integer' } },
  'Cache-Control': {
    description: 'The time until there can be newer rows.',
    schema: { type: 'string' },
  },
  'Cache-Status': {
    description: 'Where the rows came from and how long they may still be served (RFC 9211).',
    schema: { type: 'string' },
  },
  ETag: { description: 'Tag of these rows, for If-None-Match.', schema: { type: 'string' } },
  'X-Result-Truncated': {
    description: 'Present if the query had more rows than the endpoint returns.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer' },
  },
};

function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
}

const ERROR_CODES = [...new Set(Object.values(REASONS).map(({ code }) => code))];

function errorResponse(code: number): Json {
  const reasons = Object.keys(REASONS)
    .filter(isReason)
    .filter((reason) => REASONS[reason].code === code);
  const canRetry = reasons.some((reason) => 'retryAfterSeconds' in REASONS[reason]);
  return {
    description: reasons.map((reason) => `${REASONS[reason].status}: ${reason}`).join('; '),
    ...(canRetry ? { headers: headerReferences(['Retry-After']) } : {}),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/error' },
        examples: Object.fromEntries(
          reasons.map((reason) => [reason, { value: errorExample(reason) }]),
        ),
      },
    },
  };
}

/** https://google.aip.dev/193 */
const ERROR_SCHEMA: Json = {
  type: 'object',
  description: 'The shape of every error.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'status', 'message', 'details'],
      properties: {
        code: { type: 'integer', description: 'The HTTP status code.', enum: ERROR_CODES },
        status: {
          type: 'string',
          enum: [...new Set(Object.values(REASONS).map(({ status }) => status))],
        },
        message: { type: 'string', description: 'What is wrong, for people.' },
        details: {
          type: 'array',
          items: {
            oneOf: [
              detail('ErrorInfo', {
                reason: { type: 'string', enum: Object.keys(REASONS) },
                domain: { type: 'string', const: ERROR_DOMAIN },
                metadata: { type: 'object', additionalProperties: { type: 'string' } },
              }),
              detail('BadRequest', {
                fieldViolations: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['field', 'description'],
                    properties: { field: { type: 'string' }, description: { type: 'string' } },
                  },
                },
              }),
              detail('RetryInfo', { retryDelay: { type: 'string', examples: ['5s'] } }),
            ],
          },
        },
      },
    },
  },
};

function detail(name: string, properties: Json): Json {
  return {
    type: 'object',
    required: ['@type', ...Object.keys(properties)],
    properties: {
      '@type': { type: 'string', const: `type.googleapis.com/google.rpc.${name}` },
      ...properties,
    },
  };
}

function rowName({ name }: EndpointDescription): string {
  return `${name}.row`;
}

function groupOf({ name }: EndpointDescription): string {
  return name.slice(0, name.indexOf('.'));
}
