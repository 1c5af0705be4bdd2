// Builds the tools of a key: one for each endpoint, with a description that a model can act on, or three for all.
import type { Tool } from '@modelcontextprotocol/server';
import type { EndpointDescription, ParameterDescription } from '../endpoints/endpoint.ts';
import { type ValueSchema, valueSchema } from '../http/openapi.ts';
import { type Json, openApiParameter } from '../http/parameter-schema.ts';
import catalogueTools from './catalogue-tools.json' with { type: 'json' };
import { PAGE_BYTES_MAX, PAGE_ROWS_MAX } from './result-page.ts';

const TOOLS_MAX = 40;
const TOOLS_BYTES_MAX = 48_000;
/** The longest name that all clients and models accept. */
const NAME_LENGTH_MAX = 64;
export const FOUND_MAX = 20;

const TEXT = { type: 'string' };

/** Queries are read-only, and answer from the tables of one team. */
const annotations = { readOnlyHint: true, openWorldHint: false };

/** So that the list of a key with many endpoints does not fill a conversation. */
const CATALOGUE_TOOLS = catalogueTools.map((tool) => ({
  ...tool,
  description: tool.description.replace('{count}', String(FOUND_MAX)),
  annotations,
})) as readonly Tool[];
/** Of rows of any endpoint. */
const { outputSchema } = CATALOGUE_TOOLS.find(({ name }) => name === 'run') ?? {};

/** One for each endpoint, or the three if those would take too much space. */
export function toolsOf(
  endpoints: readonly EndpointDescription[],
  maxBytesBilled: number | undefined,
) {
  if (endpoints.length > TOOLS_MAX) return CATALOGUE_TOOLS;
  const tools = endpoints.map((endpoint) => endpointTool(endpoint, maxBytesBilled));
  const hasLongName = tools.some(({ name }) => name.length > NAME_LENGTH_MAX);
  const bytes = Buffer.byteLength(JSON.stringify({ tools }));
  return hasLongName || bytes > TOOLS_BYTES_MAX ? CATALOGUE_TOOLS : tools;
}

/** A name that is already that of an endpoint is returned unchanged. */
export function endpointNameOf(toolName: string): string {
  return toolName.replace('_', '.');
}

/** The description and the arguments have the values that the key may ask for. */
export function endpointTool(
  endpoint: EndpointDescription,
  maxBytesBilled: number | undefined,
): Tool {
  // Only types, because every model reads all of it: the description describes the columns. With the argument `columns` the
  // others are absent, so none is required.
  const columns = endpoint.row.map(
    (column) => [column.name, typesIn(valueSchema(column))] as const,
  );
  const items = { type: 'object', properties: Object.fromEntries(columns) };
  const properties = { ...(outputSchema?.properties as Json), result: { type: 'array', items } };
  return {
    // Clients refuse names with a dot. A name of an endpoint has one dot and no underscore, so `endpointNameOf` finds it.
    name: endpoint.name.replace('.', '_'),
    title: endpoint.name,
    description: describe(endpoint, maxBytesBilled),
    inputSchema: inputSchema(endpoint),
    outputSchema: { ...outputSchema, properties },
    annotations,
  };
}

function typesIn({ type, oneOf = [{ type }], items }: ValueSchema): Json {
  const types = oneOf.flatMap((one) => one.type ?? []);
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(items && { items: typesIn(items) }),
  };
}

function describe(endpoint: EndpointDescription, maxBytesBilled: number | undefined): string {
  const { description, row, maxRows, cachingSeconds } = endpoint;
  const gib = maxBytesBilled && maxBytesBilled / 2 ** 30;
  const bytes = gib === undefined ? '' : ` and up to ${Number(gib.toFixed(gib < 1 ? 3 : 1))} GiB`;
  const columns = row.map(({ name, type, mode, description: meaning }) => {
    const isList = mode === 'REPEATED';
    return `- ${name} (${isList ? 'list of ' : ''}${type}): ${meaning}`;
  });
  return [
    description,
    `Columns of a row:\n${columns.join('\n')}`,
    `Rows are at most ${cachingSeconds} seconds old. The same call again is free; other arguments run a BigQuery query, for seconds${bytes}: do not explore with them.`,
    `At most ${maxRows} rows ("rows" counts all), ${PAGE_ROWS_MAX} of them or ${PAGE_BYTES_MAX / 1000} kB in an answer. If "truncated", pass its "cursor" for the next page, or fewer "columns".`,
  ].join('\n\n');
}

function inputSchema({ parameters }: EndpointDescription): Tool['inputSchema'] {
  const declared = parameters.map(argument);
  const required = declared.filter((parameter) => parameter.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(declared.map(({ name, schema }) => [name, schema])),
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: PAGE_ROWS_MAX,
        description: `Maximum number of rows; ${PAGE_ROWS_MAX} by default.`,
      },
      columns: { type: 'array', items: TEXT, description: 'Names of columns; all by default.' },
      cursor: { ...TEXT, description: 'The cursor of the previous answer, for the next page.' },
    },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** As in the OpenAPI document, without what only a query string needs. */
function argument(parameter: ParameterDescription) {
  const { name, required, schema, example } = openApiParameter(parameter);
  // Without digits that JSON.parse would round.
  const { description: hint, ...rest } = JSON.parse(JSON.stringify(schema)) as Json;
  return {
    name,
    required,
    schema: {
      ...rest,
      description: [parameter.description, hint].join(' ').trim(),
      ...(example === undefined ? {} : { examples: [example] }),
    },
  };
}
