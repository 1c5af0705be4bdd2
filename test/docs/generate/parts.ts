// The parts of docs/ that are generated: tables of settings, errors, fields, variables and the report of warming; and infra/settings.json.
import { readFileSync } from 'node:fs';
import { parse } from '@cdktn/hcl2json';
import { SETTINGS, type Setting } from '../../../functions/config.ts';
import { REASONS, type Reason } from '../../../functions/core/errors.ts';
import report from '../../../functions/warming/report.json' with { type: 'json' };
import defaults from '../../../infra/defaults.json' with { type: 'json' };
import { LOCAL_SETTINGS } from '../../../scripts/cli/project.ts';
import { DEPLOYMENT } from '../../../scripts/deploy/defaults.ts';
import endpointSchema from '../../../sql/endpoint.schema.json' with { type: 'json' };
import tableSchema from '../../../sql/table.schema.json' with { type: 'json' };
import { code, table } from './markdown.ts';
import remedies from './remedies.json' with { type: 'json' };

/** By the names of the comments that mark them. */
export const PARTS: Readonly<Record<string, () => string | Promise<string>>> = {
  'endpoint.json': endpointFields,
  errors: errorTable,
  report: () =>
    table(
      ['field', 'meaning'],
      Object.entries(report).map(([name, meaning]) => [code(name), meaning]),
    ),
  settings: settingTable,
  'table.json': tableFields,
  variables: variableTable,
};

/** What to do, and who can remove the cause: the caller, the author of the query, the operator, or time. */
const REMEDIES: Readonly<Record<Reason, string[]>> = remedies;

function errorTable(): string {
  const reasons = Object.keys(REASONS) as Reason[];
  const header = ['reason', 'code', 'status', '`Retry-After`', 'when', 'what to do', 'who'];
  const rows = reasons.map((reason) => {
    const { code: httpCode, status, retryAfterSeconds, description } = REASONS[reason];
    const retry = retryAfterSeconds === undefined ? '' : `${retryAfterSeconds} s`;
    return [code(reason), String(httpCode), status, retry, description, ...REMEDIES[reason]];
  });
  return table(header, rows);
}

function settingTable(): string {
  return table(
    ['variable', 'default', 'values', 'in a deployment', 'meaning'],
    Object.values<Setting>(SETTINGS).map(
      ({ name, description, default: value, range, allowed, must }) => [
        code(name),
        value === undefined ? 'required' : code(value) || 'none',
        range
          ? `${range[0]} to ${range[1]}`
          : (allowed?.map(code).join(', ') ?? must?.replace(/^be /, '') ?? 'text'),
        deployedBy(name),
        description,
      ],
    ),
  );
}

function deployedBy(name: string): string {
  if (LOCAL_SETTINGS.includes(name)) return 'local only';
  const by = DEPLOYED_BY[name];
  if (by === undefined) return code('settings');
  return by.default === undefined ? code(by.variable) : `${code(by.variable)}: ${code(by.default)}`;
}

/** Settings that Terraform takes from its variables and resources, by name: the variable, and its default if any. */
const DEPLOYED_BY: Readonly<Record<string, { variable: string; default?: string }>> = {
  GOOGLE_CLOUD_PROJECT: { variable: 'project_id' },
  BIGQUERY_DATASET: { variable: 'names.bigquery_dataset', default: DEPLOYMENT.bigquery_dataset },
  BIGQUERY_LOCATION: { variable: 'bigquery_location', default: DEPLOYMENT.bigquery_location },
  FIRESTORE_DATABASE: {
    variable: 'names.firestore_database',
    default: DEPLOYMENT.firestore_database,
  },
  KEYS_DATABASE: { variable: 'names.keys_database', default: DEPLOYMENT.keys_database },
  SOURCE_TABLES: { variable: 'log_tables' },
};

/** The settings that a deployment may change, for Terraform. */
export function infraSettings(): object {
  const settings = Object.values<Setting>(SETTINGS)
    .filter(({ name }) => !LOCAL_SETTINGS.includes(name) && !Object.hasOwn(DEPLOYED_BY, name))
    .map(({ name, default: value, range, allowed, pattern, must }) => {
      return [name, { default: value, range, allowed, pattern, must }];
    });
  return Object.fromEntries(settings) as object;
}

/** Of Terraform's variables, with the defaults of infra/defaults.json. */
async function variableTable(): Promise<string> {
  const source = readFileSync('infra/variables.tf', 'utf8');
  const { variable } = (await parse('variables.tf', source)) as {
    variable: Record<string, [{ description: string; type: string; default?: unknown }]>;
  };
  const rows = Object.entries(variable).map(([name, [{ description, type, ...stated }]]) => {
    const value =
      stated.default === null ? (defaults as Record<string, unknown>)[name] : stated.default;
    const isEmpty = value === undefined || ['[]', '{}'].includes(JSON.stringify(value));
    return [
      code(name),
      // variables.tf checks the fields of `any` itself.
      code(type.replaceAll(/^\$\{|\}$/g, '').replace('any', 'map(object)')),
      !('default' in stated)
        ? 'required'
        : isEmpty
          ? 'none'
          : code(`${value as string | number | boolean}`),
      description.trim().replaceAll(/\s+/g, ' '),
    ];
  });
  return table(['variable', 'type', 'default', 'meaning'], rows);
}

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

function endpointFields(): string {
  const { properties, definitions } = endpointSchema;
  return fieldTables(endpointSchema, {
    'A parameter\n\nEach value of `parameters`, by the name of the parameter:':
      definitions.parameter,
    'A column\n\nEach value of `row`, by the name of the column:': definitions.column,
    '`bucket`': properties.bucket,
    '`warming`': properties.warming,
  });
}

function tableFields(): string {
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
