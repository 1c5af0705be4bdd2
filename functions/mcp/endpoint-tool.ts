// Makes the tool of an endpoint: a description that a model can act on, and the schemas of arguments and answer.
import { isObject } from '../core/json.ts';
import type { EndpointDescription, ParameterDescription } from '../endpoints/description.ts';
import { columnSchema } from '../http/column-schema.ts';
import { type Json, openApiParameter } from '../http/parameter-schema.ts';
import { PAGE_BYTES_MAX, PAGE_ROWS_MAX } from './result-page.ts';

/** https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema?: ObjectSchema;
  annotations: typeof ANNOTATIONS;
}

type ObjectSchema = { type: 'object' } & Json;

/** Queries are read-only, and answer from the tables of one team. */
export const ANNOTATIONS = { readOnlyHint: true, openWorldHint: false };

/** Clients refuse names with a dot. A name of an endpoint has one dot and no underscore, so `endpointNameOf` finds it. */
export function toolNameOf(endpointName: string): string {
  return endpointName.replace('.', '_');
}

/** The name of an endpoint itself stays as it is. */
export function endpointNameOf(toolName: string): string {
  return toolName.replace('_', '.');
}

/** The description and the arguments have the values that the key may ask for. */
export function endpointTool(endpoint: EndpointDescription, maxBytesBilled: number): Tool {
  return {
    name: toolNameOf(endpoint.name),
    title: endpoint.name,
    description: describe(endpoint, maxBytesBilled),
    inputSchema: inputSchema(endpoint),
    outputSchema: outputSchema(
      objectSchema(
        Object.fromEntries(
          endpoint.row.map((column) => {
            // The description of the tool has it, which all clients show to their model.
            const { description: _, ...schema } = columnSchema(column);
            return [column.name, schema];
          }),
        ),
        // With the argument `columns` the others are absent.
        [],
      ),
    ),
    annotations: ANNOTATIONS,
  };
}

function describe(endpoint: EndpointDescription, maxBytesBilled: number): string {
  const { description, row, maxRows, cachingSeconds } = endpoint;
  const columns = row.map(({ name, type, mode, description: meaning }) => {
    const isList = mode === 'REPEATED';
    return `- ${name} (${isList ? 'list of ' : ''}${type}): ${meaning}`;
  });
  return [
    description,
    `Columns of a row:\n${columns.join('\n')}`,
    `The rows are at most ${cachingSeconds} seconds old. The same arguments within this time are answered from a cache and cost nothing. Others may run a BigQuery query, which takes seconds and bills up to ${describeBytes(maxBytesBilled)}: do not vary arguments only to explore.`,
    `There are at most ${maxRows} rows. An answer has up to ${PAGE_ROWS_MAX} of them and ${PAGE_BYTES_MAX / 1000} kB; "rows" says how many there are. For the rest, call again with "cursor", or ask for fewer "columns".`,
  ].join('\n\n');
}

function describeBytes(bytes: number): string {
  const gib = bytes / 2 ** 30;
  return gib >= 1 ? `${Number(gib.toFixed(1))} GiB` : `${Number((bytes / 2 ** 20).toFixed(1))} MiB`;
}

function inputSchema({ parameters }: EndpointDescription): ObjectSchema {
  const own = parameters.map(argument);
  const properties = {
    ...Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: PAGE_ROWS_MAX,
      description: `The most rows to answer; ${PAGE_ROWS_MAX} by default.`,
    },
    columns: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of the columns to answer; all by default.',
    },
    cursor: {
      type: 'string',
      description: 'The "cursor" of the answer before, with the same other arguments: the next page.',
    },
  };
  return objectSchema(
    properties,
    own.flatMap(({ name, required }) => (required ? [name] : [])),
  );
}

/** As in the OpenAPI document, but for a model: short, and without what only a query string has. */
function argument(parameter: ParameterDescription): {
  name: string;
  required: boolean;
  schema: Json;
} {
  const { name, required, schema, example } = openApiParameter(parameter);
  const short = JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    isForModels(key, value, parameter) ? withoutEmptyText(value) : undefined,
  ) as Json;
  const { description: hint, ...rest } = short;
  return {
    name,
    required,
    schema: {
      ...rest,
      description: [parameter.description, hint].filter((text) => text !== undefined).join(' '),
      ...(example === undefined ? {} : { examples: [example] }),
    },
  };
}

/** A pattern that spells a type is long and says nothing new; bounds of 64 bits are rounded in JSON. */
function isForModels(key: string, value: unknown, { pattern }: ParameterDescription): boolean {
  if (key === 'pattern') return value === pattern;
  return !(key === 'minimum' || key === 'maximum') || Math.abs(Number(value)) <= 2 ** 53;
}

/** An optional argument is left out, and not empty. */
function withoutEmptyText(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.anyOf)) return value;
  const { anyOf, ...rest } = value;
  const choices = (anyOf as Json[]).filter((choice) => choice.const !== '');
  return choices.length === 1 ? { ...rest, ...choices[0] } : { ...rest, anyOf: choices };
}

/** The schema of an answer with these rows. */
export function outputSchema(row: Json): ObjectSchema {
  return objectSchema(
    {
      result: { type: 'array', items: row, maxItems: PAGE_ROWS_MAX },
      truncated: {
        type: 'boolean',
        description: 'Whether more rows follow: on the next page if there is a cursor, else they are out of reach.',
      },
      rows: { type: 'integer', description: 'How many rows there are on all pages.' },
      cursor: { type: 'string', description: 'The argument for the next page; absent on the last.' },
    },
    ['result', 'truncated', 'rows'],
  );
}

export function objectSchema(properties: Json, required: readonly string[]): ObjectSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}
