// The fields of endpoint.json and table.json, from their JSON Schemas.
import endpointSchema from '../../../sql/endpoint.schema.json' with { type: 'json' };
import tableSchema from '../../../sql/table.schema.json' with { type: 'json' };
import { code, table } from './markdown.ts';

/** The used part of JSON Schema (draft-07). */
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
  return fieldTables(endpointSchema, {
    'A parameter\n\nEach value of `parameters`, by the name of the parameter:':
      definitions.parameter,
    'A column\n\nEach value of `row`, by the name of the column:': definitions.column,
    '`bucket`': properties.bucket,
    '`warming`': properties.warming,
  });
}

export function tableFields(): string {
  const { partitioning, shards } = tableSchema.properties;
  return fieldTables(tableSchema, { '`partitioning`': partitioning, '`shards`': shards });
}

/** `sections` are schemas by their headings. */
function fieldTables(schema: object, sections: Readonly<Record<string, object>>): string {
  const below = Object.entries(sections).map(
    ([title, one]) => `### ${title}\n\n${fieldTable(one)}`,
  );
  return [fieldTable(schema), ...below].join('\n\n');
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
  if (field.enum !== undefined) return field.enum.map(code).join(', ');
  const [type = '', ...others] = [field.type ?? ''].flat();
  if (others.length > 0) return [type, ...others].join(' or ');
  if (type === 'array') return field.items === undefined ? type : `list of ${typeOf(field.items)}s`;
  if (field.minimum !== undefined && field.maximum !== undefined) {
    return `${type}, ${field.minimum} to ${field.maximum}`;
  }
  return field.maxLength === undefined ? type : `${type}, up to ${field.maxLength} characters`;
}
