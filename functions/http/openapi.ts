// Builds the OpenAPI 3.1 document of the endpoints (https://spec.openapis.org/oas/v3.1.1).
import { ERROR_DOMAIN, REASONS, type Reason } from '../core/errors.ts';
import { LIMIT_FIELDS } from '../keys/limits.ts';
import {
  type ColumnDescription,
  type EndpointDescription,
  groupOf,
} from '../endpoints/endpoint.ts';
import { BOM_PARAMETER, ROW_FORMATS } from '../endpoints/parameters.ts';
import columnTypes from './column-types.json' with { type: 'json' };
import template from './openapi.json' with { type: 'json' };
import { type Json, openApiParameter } from './parameter-schema.ts';

/**
 * One GET operation per endpoint, under the name of the endpoint. `serverUrl` has no final slash. The version is that of the
 * paths, headers, formats and errors: a changed endpoint does not change it.
 */
export function openApiDocument(endpoints: readonly EndpointDescription[], serverUrl: string) {
  const groups = [...new Set(endpoints.map(({ name }) => groupOf(name)))];
  const rows = endpoints.map((endpoint) => [rowName(endpoint), row(endpoint)] as const);
  const errors = ERROR_CODES.map((code) => [`error${code}`, errorResponse(code)] as const);
  const { components } = FIXED.document;
  return JSON.stringify({
    ...FIXED.document,
    servers: [{ url: serverUrl === '' ? '/' : serverUrl }],
    tags: groups.map((name) => ({ name })),
    paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, { get: get(endpoint) }])),
    components: {
      ...components,
      schemas: { ...Object.fromEntries(rows), ...components.schemas },
      // `running` has no schema: as one of a success, typed clients would take it for rows.
      responses: { ...components.responses, ...Object.fromEntries(errors) },
    },
  });
}

function get(endpoint: EndpointDescription): Json {
  const { id, row, maxRows, cachingSeconds, cacheWarmingSeconds } = endpoint;
  const items = reference('schemas', rowName(endpoint));
  const rows = { type: 'array', maxItems: maxRows, items };
  const errors = ERROR_CODES.map((code) => [code, reference('responses', `error${code}`)]);
  // An endpoint that declares `bom` keeps it, and a name may be in the document once.
  const isOwn = ({ $ref }: { $ref: string }): boolean =>
    $ref.endsWith(`/${BOM_PARAMETER}`) &&
    endpoint.parameters.some(({ name }) => name === BOM_PARAMETER);
  return {
    operationId: endpoint.name,
    summary: endpoint.name,
    description: endpoint.description,
    tags: [groupOf(endpoint.name)],
    parameters: [
      ...endpoint.parameters.map(openApiParameter),
      ...FIXED.operation.parameters.filter((one) => !isOwn(one)),
    ],
    responses: {
      200: {
        description: `At most ${maxRows} rows, never older than ${cachingSeconds} seconds.`,
        headers: FIXED.operation.rowsHeaders,
        content: {
          'application/json': {
            schema: object({ result: rows }),
            example: { result: [exampleRow(row)] },
          },
          ...FIXED.operation.rowsContent,
        },
      },
      ...FIXED.operation.responses,
      ...Object.fromEntries(errors),
    },
    'x-saved-query': { id, maxRows, cachingSeconds, cacheWarmingSeconds },
    ...(endpoint.bucket && { 'x-bucket': endpoint.bucket }),
  };
}

function row({ row }: EndpointDescription): Json {
  return object(Object.fromEntries(row.map((column) => [column.name, columnSchema(column)])));
}

/** The reasons of errors that only `POST /mcp` returns. */
const OF_TOOLS: readonly Reason[] = ['ORIGIN_NOT_ALLOWED', 'BODY_TOO_LARGE'];
const ERRORS = (Object.keys(REASONS) as Reason[])
  .filter((reason) => !OF_TOOLS.includes(reason))
  .map((reason) => [reason, REASONS[reason]] as const);
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
  const headers = ['X-Unknown-Parameters', ...Object.keys(LIMIT_FIELDS)];
  if (canRetry) headers.push('Retry-After');
  return {
    description: ofCode.map(([reason, { status }]) => `${status}: ${reason}`).join('; '),
    headers: Object.fromEntries(headers.map((name) => [name, reference('headers', name)])),
    content: { 'application/json': { schema: reference('schemas', 'error') } },
  };
}

function object(properties: Json): Json {
  return { type: 'object', required: Object.keys(properties), properties };
}

function reference(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

function rowName({ name }: EndpointDescription): string {
  return `${name}.row`;
}

/** A type, a choice of types, or empty for any JSON. */
export interface ValueSchema extends Json {
  type?: string | string[] | undefined;
  oneOf?: ValueSchema[];
  items?: ValueSchema;
}

type ColumnType = { schema: ValueSchema; example: unknown };

/** Of columns: the JSON Schema of their values as `cache/encode.ts` writes them, and examples. */
const TYPES = new Map<string, ColumnType>(Object.entries(columnTypes));
const TEXT: ColumnType = { schema: { type: 'string' }, example: 'text' };

function columnSchema({ description, unit, ...column }: ColumnDescription): Json {
  return { ...valueSchema(column), description, ...(unit !== undefined && { 'x-unit': unit }) };
}

/** A REPEATED column is never null and has no null elements. */
export function valueSchema({ type, mode }: Pick<ColumnDescription, 'type' | 'mode'>): ValueSchema {
  const { schema } = TYPES.get(type) ?? TEXT;
  if (mode === 'REPEATED') return { type: 'array', items: schema };
  if (mode === 'REQUIRED') return schema;
  if (schema.oneOf) return { oneOf: [...schema.oneOf, { type: 'null' }] };
  return schema.type ? { ...schema, type: [schema.type, 'null'].flat() } : schema;
}

/** The same columns give the same row. */
function exampleRow(row: readonly ColumnDescription[]): Json {
  const valueOf = ({ type, mode }: ColumnDescription): unknown => {
    const { example } = TYPES.get(type) ?? TEXT;
    return mode === 'REPEATED' ? [example] : example;
  };
  return Object.fromEntries(row.map((column) => [column.name, valueOf(column)]));
}
