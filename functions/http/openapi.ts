// Builds the OpenAPI 3.1 document of the endpoints (https://spec.openapis.org/oas/v3.1.1).
import { ERROR_DOMAIN, REASONS, type Reason, ServiceError, errorBody } from '../core/errors.ts';
import { LIMIT_FIELDS } from '../keys/limits.ts';
import type { EndpointDescription } from '../endpoints/description.ts';
import { invalidParameters } from '../endpoints/parameters.ts';
import { FORMAT_PARAMETER, ROW_FORMATS } from '../endpoints/requested-format.ts';
import { columnSchema, exampleRow } from './column-schema.ts';
import template from './openapi.json' with { type: 'json' };
import { type Json, openApiParameter } from './parameter-schema.ts';
import { toCsv, toNdjson } from './row-formats.ts';

/** Version of the paths, headers, formats and errors. A changed endpoint does not change it. */
const WIRE_VERSION = '1.0.0';

/** One GET operation per endpoint, under the name of the endpoint. `serverUrl` has no final slash. */
export function openApiDocument(endpoints: readonly EndpointDescription[], serverUrl: string) {
  const groups = [...new Set(endpoints.map(groupOf))];
  const { openapi, info, security, securitySchemes, error, parameters, headers } = FIXED;
  return JSON.stringify({
    openapi,
    info: { ...info, version: WIRE_VERSION },
    servers: [{ url: serverUrl === '' ? '/' : serverUrl }],
    security,
    tags: groups.map((name) => ({ name })),
    paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, { get: get(endpoint) }])),
    components: {
      securitySchemes,
      schemas: {
        ...Object.fromEntries(endpoints.map((endpoint) => [rowName(endpoint), row(endpoint)])),
        error,
      },
      parameters,
      headers,
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

function row({ row }: EndpointDescription): Json {
  return object(Object.fromEntries(row.map((column) => [column.name, columnSchema(column)])));
}

const LIMIT_NAMES = Object.keys(LIMIT_FIELDS);
const RUNNING_HEADERS = [
  'X-Unknown-Parameters',
  ...LIMIT_NAMES,
  'Retry-After',
  'Preference-Applied',
];
const ROWS_HEADERS = Object.keys(template.headers).filter(
  (name) => !/^(?:Retry|Preference)-/.test(name),
);
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

/** What the texts in braces of the template stand for. */
const VALUES = new Map<unknown, unknown>([
  ['{formats}', ROW_FORMATS],
  ['{codes}', ERROR_CODES],
  ['{statuses}', [...new Set(ERRORS.map(([, { status }]) => status))]],
  ['{reasons}', ERRORS.map(([reason]) => reason)],
  ['{domain}', ERROR_DOMAIN],
  ...Object.entries(LIMIT_FIELDS).map(
    ([name, text]) => [`{${name}}`, `${text} Only for a key that has limits.`] as const,
  ),
]);
/** The parts of the document that are the same for all endpoints. */
const FIXED = JSON.parse(
  JSON.stringify(template),
  (_, value: unknown) => VALUES.get(value) ?? value,
) as typeof template;

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

function object(properties: Json): Json {
  return { type: 'object', required: Object.keys(properties), properties };
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
