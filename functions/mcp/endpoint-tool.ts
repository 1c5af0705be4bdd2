// Builds the tool of an endpoint: a description that a model can act on, and the schemas of arguments and answer.
import type { Tool } from '@modelcontextprotocol/server';
import type {
  ColumnDescription,
  EndpointDescription,
  ParameterDescription,
} from '../endpoints/description.ts';
import { valueTypes } from '../http/column-schema.ts';
import { type Json, openApiParameter } from '../http/parameter-schema.ts';
import { PAGE_BYTES_MAX, PAGE_ROWS_MAX } from './result-page.ts';

const TEXT = { type: 'string' };

/** Queries are read-only, and answer from the tables of one team. */
export const ANNOTATIONS = { readOnlyHint: true, openWorldHint: false };

/** A name that is already that of an endpoint is returned unchanged. */
export function endpointNameOf(toolName: string): string {
  return toolName.replace('_', '.');
}

/** The description and the arguments have the values that the key may ask for. */
export function endpointTool(
  endpoint: EndpointDescription,
  maxBytesBilled: number | undefined,
): Tool {
  const columns = endpoint.row.map((column) => [column.name, valueSchema(column)] as const);
  return {
    // Clients refuse names with a dot. A name of an endpoint has one dot and no underscore, so `endpointNameOf` finds it.
    name: endpoint.name.replace('.', '_'),
    title: endpoint.name,
    description: describe(endpoint, maxBytesBilled),
    inputSchema: inputSchema(endpoint),
    // With the argument `columns` the others are absent, so none is required.
    outputSchema: outputSchema({ type: 'object', properties: Object.fromEntries(columns) }),
    annotations: ANNOTATIONS,
  };
}

function describe(endpoint: EndpointDescription, maxBytesBilled: number | undefined): string {
  const { description, row, maxRows, cachingSeconds } = endpoint;
  const bytes = maxBytesBilled === undefined ? '' : ` and up to ${describeBytes(maxBytesBilled)}`;
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

/** Shorter than in the OpenAPI document, because every model reads all of it: the tool's description describes the columns. */
function valueSchema({ type, mode }: ColumnDescription): Json {
  const types = valueTypes(type);
  if (types.length === 0) return mode === 'REPEATED' ? { type: 'array' } : {};
  if (mode === 'REPEATED') return { type: 'array', items: oneOrMore(types) };
  return oneOrMore(mode === 'REQUIRED' ? types : [...types, 'null']);
}

function oneOrMore(types: readonly unknown[]): Json {
  return { type: types.length === 1 ? types[0] : types };
}

function describeBytes(bytes: number): string {
  const gib = bytes / 2 ** 30;
  return gib >= 1 ? `${Number(gib.toFixed(1))} GiB` : `${Number((bytes / 2 ** 20).toFixed(1))} MiB`;
}

function inputSchema({ parameters }: EndpointDescription): Tool['inputSchema'] {
  const declared = parameters.map(argument);
  const properties = {
    ...Object.fromEntries(declared.map(({ name, schema }) => [name, schema])),
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: PAGE_ROWS_MAX,
      description: `Maximum number of rows; ${PAGE_ROWS_MAX} by default.`,
    },
    columns: { type: 'array', items: TEXT, description: 'Names of columns; all by default.' },
    cursor: { ...TEXT, description: 'The cursor of the previous answer, for the next page.' },
  };
  const required = declared.filter((parameter) => parameter.required).map(({ name }) => name);
  return objectSchema(properties, required);
}

/** As in the OpenAPI document, without what only a query string needs. */
function argument(parameter: ParameterDescription) {
  const { name, required, schema, example } = openApiParameter(parameter);
  // Without digits that JSON.parse would round.
  const { description: hint, ...rest } = JSON.parse(JSON.stringify(schema)) as Json & {
    description?: string;
  };
  return {
    name,
    required,
    schema: {
      ...rest,
      description: hint === undefined ? parameter.description : `${parameter.description} ${hint}`,
      ...(example === undefined ? {} : { examples: [example] }),
    },
  };
}

/** The schema of an answer with these rows; the description of the tool explains its other fields. */
export function outputSchema(row: Json): Tool['inputSchema'] {
  const result = { type: 'array', items: row };
  const others = { truncated: { type: 'boolean' }, rows: { type: 'integer' }, cursor: TEXT };
  return objectSchema({ result, ...others }, ['result', 'truncated', 'rows']);
}

function objectSchema(properties: Json, required: string[]): Tool['inputSchema'] {
  const named = required.length === 0 ? {} : { required };
  const schema = { type: 'object', properties, ...named, additionalProperties: false };
  return schema as Tool['inputSchema'];
}
