// Builds the OpenAPI 3.1 document of the endpoints (https://spec.openapis.org/oas/v3.1.1).
import { ERROR_DOMAIN, REASONS, type Reason, ServiceError, errorBody } from '../core/errors.ts';
import { LIMIT_FIELDS } from '../keys/limits.ts';
import type { EndpointDescription } from '../endpoints/description.ts';
import { invalidParameters } from '../endpoints/parameters.ts';
import { FORMAT_PARAMETER, ROW_FORMATS } from '../endpoints/requested-format.ts';
import { columnSchema, exampleRow } from './column-schema.ts';
import { type Json, openApiParameter } from './parameter-schema.ts';
import { toCsv, toNdjson } from './row-formats.ts';

/** Version of the paths, headers, formats and errors. A changed endpoint does not change it. */
const WIRE_VERSION = '1.0.0';

/** One GET operation per endpoint, under the name of the endpoint. `serverUrl` has no final slash. */
export function openApiDocument(endpoints: readonly EndpointDescription[], serverUrl: string) {
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
      parameters: { format: FORMAT, prefer: PREFER },
      headers: HEADERS,
      responses: {
        notModified: {
          description: 'The client already has these rows (If-None-Match).',
          headers: references('headers', NOT_MODIFIED_HEADERS),
        },
        running: {
          // Without a schema: as one of a success, typed clients would take it for rows.
          description:
            'The query goes on: with Prefer, instead of 503 QUERY_RUNNING, and with the same body.',
          headers: references('headers', RUNNING_HEADERS),
        },
        ...Object.fromEntries(ERROR_CODES.map((code) => [`error${code}`, errorResponse(code)])),
      },
    },
  });
}

function get(endpoint: EndpointDescription): Json {
  const { id, row, maxRows, cachingSeconds, cacheWarmingSeconds } = endpoint;
  const example = { result: [exampleRow(row)] };
  const body = JSON.stringify(example);
  const columns = Object.fromEntries(row.map((column) => [column.name, column]));
  const items = reference('schemas', rowName(endpoint));
  const rows = { type: 'array', maxItems: maxRows, items };
  return {
    operationId: endpoint.name,
    summary: endpoint.name,
    description: endpoint.description,
    tags: [groupOf(endpoint)],
    parameters: [
      ...endpoint.parameters.map(openApiParameter),
      ...['format', 'prefer'].map((name) => reference('parameters', name)),
    ],
    responses: {
      200: {
        description: `At most ${maxRows} rows, never older than ${cachingSeconds} seconds.`,
        headers: references('headers', ROWS_HEADERS),
        content: {
          'application/json': { schema: object({ result: rows }), example },
          'text/csv': {
            schema: { type: 'string', description: 'RFC 4180 with a header line of the columns.' },
            example: toCsv(body, columns),
          },
          'application/x-ndjson': {
            schema: { type: 'string', description: 'One row per line, as a JSON object.' },
            example: toNdjson(body),
          },
        },
      },
      202: reference('responses', 'running'),
      304: reference('responses', 'notModified'),
      ...Object.fromEntries(
        ERROR_CODES.map((code) => [code, reference('responses', `error${code}`)]),
      ),
    },
    'x-saved-query': { id, maxRows, cachingSeconds, cacheWarmingSeconds },
    ...(endpoint.bucket && { 'x-bucket': endpoint.bucket }),
  };
}

const FORMAT: Json = {
  name: FORMAT_PARAMETER,
  in: 'query',
  description: 'The format of the rows; it overrides the header Accept.',
  required: false,
  schema: listed(ROW_FORMATS),
};

const PREFER: Json = {
  name: 'Prefer',
  in: 'header',
  description:
    'With respond-async or wait=N (seconds), a query that goes on is answered with 202 instead of 503 (RFC 7240).',
  required: false,
  schema: { type: 'string', examples: ['respond-async', 'wait=10'] },
};

function row({ row }: EndpointDescription): Json {
  return object(Object.fromEntries(row.map((column) => [column.name, columnSchema(column)])));
}

const INTEGER: Json = { type: 'integer' };
const HEADERS: Json = {
  Age: header('Seconds since the rows were computed, or found unchanged.', INTEGER),
  'Cache-Control': header('The time until there can be newer rows.'),
  'Cache-Status': header('Where the rows came from, and how long they may be served (RFC 9211).'),
  ETag: header('Tag of these rows, for If-None-Match.'),
  'X-Bytes-Processed': header('Bytes that BigQuery read, if this request ran the query.', INTEGER),
  'X-Result-Truncated': header(
    'Present if the query had more rows than maxRows.',
    listed(['true']),
  ),
  'X-Unknown-Parameters': header(
    'Present if the request has parameters that the endpoint does not declare: their names.',
  ),
  RateLimit: header(`${LIMIT_FIELDS.RateLimit} Only for a key that has limits.`),
  'RateLimit-Policy': header(`${LIMIT_FIELDS['RateLimit-Policy']} Only for a key that has limits.`),
  'Retry-After': header('Seconds after which to try again.', INTEGER),
  'Preference-Applied': header('What of the header Prefer was applied.'),
};

const LIMIT_NAMES = Object.keys(LIMIT_FIELDS);
const RUNNING_HEADERS = [
  'X-Unknown-Parameters',
  ...LIMIT_NAMES,
  'Retry-After',
  'Preference-Applied',
];
const ROWS_HEADERS = Object.keys(HEADERS).filter((name) => !/^(?:Retry|Preference)-/.test(name));
const NOT_MODIFIED_HEADERS = ROWS_HEADERS.filter((name) => name !== 'X-Result-Truncated');

/** The reasons of errors that only `POST /mcp` returns. */
const OF_TOOLS: readonly Reason[] = ['ORIGIN_NOT_ALLOWED', 'BODY_TOO_LARGE'];
const ERRORS = (Object.keys(REASONS) as Reason[])
  .filter((reason) => !OF_TOOLS.includes(reason))
  .map((reason) => [reason, REASONS[reason]] as const);
/** Codes of requests whose key is not known. */
const BEFORE_KEY = new Set([401, 405]);
/** Codes of requests whose parameters are not read, or must not be told apart. */
const BEFORE_PARAMETERS = new Set([...BEFORE_KEY, 403, 404]);
const ERROR_CODES = [...new Set(ERRORS.map(([, { code }]) => code))];

function errorResponse(code: number): Json {
  const ofCode = ERRORS.filter(([, described]) => described.code === code);
  const canRetry = ofCode.some(([, { retryAfterSeconds }]) => retryAfterSeconds !== undefined);
  return {
    description: ofCode.map(([reason, { status }]) => `${status}: ${reason}`).join('; '),
    headers: references('headers', [
      ...(BEFORE_PARAMETERS.has(code) ? [] : ['X-Unknown-Parameters']),
      ...(BEFORE_KEY.has(code) ? [] : LIMIT_NAMES),
      ...(canRetry ? ['Retry-After'] : []),
    ]),
    content: {
      'application/json': {
        schema: reference('schemas', 'error'),
        examples: Object.fromEntries(ofCode.map(([reason]) => [reason, errorExample(reason)])),
      },
    },
  };
}

function errorExample(reason: Reason): Json {
  const description = `must be one of ${ROW_FORMATS.join(', ')}`;
  const error =
    reason === 'INVALID_PARAMETERS'
      ? invalidParameters([{ field: FORMAT_PARAMETER, description }])
      : new ServiceError(reason, 'A sentence that describes the fault.', {
          ...(reason === 'QUERY_RUNNING' && { metadata: { runningSeconds: '25' } }),
        });
  return { value: JSON.parse(errorBody(error)) };
}

/** https://google.aip.dev/193 */
const ERROR_SCHEMA: Json = {
  type: 'object',
  description: 'The shape of every error.',
  required: ['error'],
  properties: {
    error: object({
      code: { type: 'integer', description: 'The HTTP status code.', enum: ERROR_CODES },
      status: listed([...new Set(ERRORS.map(([, { status }]) => status))]),
      message: { type: 'string', description: 'What is wrong, for people.' },
      details: {
        type: 'array',
        items: {
          oneOf: [
            detail('ErrorInfo', {
              reason: listed(ERRORS.map(([reason]) => reason)),
              domain: { type: 'string', const: ERROR_DOMAIN },
              metadata: { type: 'object', additionalProperties: { type: 'string' } },
            }),
            detail('BadRequest', {
              fieldViolations: {
                type: 'array',
                items: object({ field: { type: 'string' }, description: { type: 'string' } }),
              },
            }),
            detail('RetryInfo', { retryDelay: { type: 'string', examples: ['5s'] } }),
          ],
        },
      },
    }),
  },
};

function detail(name: string, properties: Json): Json {
  const type = { type: 'string', const: `type.googleapis.com/google.rpc.${name}` };
  return object({ '@type': type, ...properties });
}

function object(properties: Json): Json {
  return { type: 'object', required: Object.keys(properties), properties };
}

function header(description: string, schema: Json = { type: 'string' }): Json {
  return { description, schema };
}

function listed(values: readonly string[]): Json {
  return { type: 'string', enum: values };
}

function reference(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

function references(kind: string, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, reference(kind, name)]));
}

function rowName({ name }: EndpointDescription): string {
  return `${name}.row`;
}

function groupOf({ name }: EndpointDescription): string {
  return name.slice(0, name.indexOf('.'));
}
