// The fields of endpoint.json and table.json, from their JSON Schemas.
import endpointSchema from '../../sql/endpoint.schema.json' with { type: 'json' };
import tableSchema from '../../sql/table.schema.json' with { type: 'json' };
import { code, codes, table } from './markdown.ts';

/** What is used of JSON Schema (draft-07). */
interface Schema {
  type?: string | string[];
  description?: string;
  enum?: string[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
}

export function endpointFields(): string {
  const { properties, definitions } = endpointSchema;
  return [
    fieldTable(endpointSchema),
    '### A parameter\n\nEach value of `parameters`, by the name of the parameter:',
    fieldTable(definitions.parameter),
    '### A column\n\nEach value of `row`, by the name of the column:',
    fieldTable(definitions.column),
    '### `bucket`',
    fieldTable(properties.bucket),
    '### `warming`',
    fieldTable(properties.warming),
  ].join('\n\n');
}

export function tableFields(): string {
  const { properties } = tableSchema;
  return [
    fieldTable(tableSchema),
    '### `partitioning`',
    fieldTable(properties.partitioning),
    '### `shards`',
    fieldTable(properties.shards),
  ].join('\n\n');
}

function fieldTable(schema: object): string {
  const { properties = {}, required = [] }: Schema = schema;
  return table(
    ['field', 'mandatory', 'type', 'default', 'meaning'],
    Object.entries(properties).map(([name, field]) => [
      code(name),
      required.includes(name) ? 'yes' : 'no',
      typeOf(field),
      field.default === undefined ? '' : code(JSON.stringify(field.default)),
      field.description ?? '',
    ]),
  );
}

function typeOf(field: Schema): string {
  if (field.const !== undefined) return `only ${code(JSON.stringify(field.const))}`;
  if (field.enum !== undefined) return codes(field.enum);
  const [type = '', ...others] = [field.type ?? ''].flat();
  if (others.length > 0) return [type, ...others].join(' or ');
  if (type === 'array') return field.items === undefined ? type : `list of ${typeOf(field.items)}s`;
  if (field.minimum !== undefined && field.maximum !== undefined) {
    return `${type}, ${field.minimum} to ${field.maximum}`;
  }
  return field.maxLength === undefined ? type : `${type}, up to ${field.maxLength} characters`;
}
