// What each source becomes in BigQuery: Terraform evaluates infra/tables.tf, and npm run deploy:gcloud makes the same.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from '@cdktf/hcl2json';
import { main as deployWithGcloud } from '../scripts/deploy-gcloud.ts';
import { runCommand } from './support/command.ts';
import { WITHOUT_TERRAFORM, evaluate, withTerraform } from './support/terraform.ts';

/** What BigQuery is asked for. */
type Made =
  | {
      partitioning: { type: string; field: string; expirationDays: number } | null;
      clustering: string[];
      requirePartitionFilter: boolean;
      schema: string;
    }
  | { view: string };

const DAY_SECONDS = 24 * 60 * 60;
const VIEWED = 'other-project.1_prod.00000000_0000';

const column = (name: string, type: string): object => ({ name, type });
/** The files of a source: schema.json, and table.json where there is one. */
const SOURCES: Record<string, { schema: object[]; table?: object }> = {
  orders: {
    schema: [column('order_day', 'DATE'), column('customer', 'STRING'), column('status', 'STRING')],
    table: {
      $schema: '../../table.schema.json',
      partitioning: { type: 'DAY', field: 'order_day' },
      clustering: ['customer', 'status'],
      requirePartitionFilter: true,
    },
  },
  customers: { schema: [column('id', 'INTEGER'), column('name', 'STRING')] },
  products: {
    schema: [column('id', 'INTEGER'), column('category', 'STRING')],
    table: { partitioning: null, clustering: ['category'] },
  },
  readings: {
    schema: [column('read_at', 'TIMESTAMP'), column('celsius', 'FLOAT')],
    table: { partitioning: { type: 'HOUR', field: 'read_at' } },
  },
  invoices: {
    schema: [column('issued_at', 'DATETIME'), column('customer', 'STRING')],
    table: {
      partitioning: { type: 'MONTH', field: 'issued_at' },
      clustering: ['customer'],
      requirePartitionFilter: false,
    },
  },
  page_views: {
    schema: [column('id', 'STRING'), column('timestamp', 'TIMESTAMP')],
    table: { partitioning: { type: 'DAY', field: 'timestamp' }, requirePartitionFilter: true },
  },
  'crm.accounts': { schema: [column('id', 'INTEGER')] },
};

const EXPECTED: Record<string, Partial<Made>> = {
  orders: {
    partitioning: { type: 'DAY', field: 'order_day', expirationDays: 90 },
    clustering: ['customer', 'status'],
    requirePartitionFilter: true,
  },
  customers: { partitioning: null, clustering: [], requirePartitionFilter: false },
  products: { partitioning: null, clustering: ['category'], requirePartitionFilter: false },
  readings: {
    partitioning: { type: 'HOUR', field: 'read_at', expirationDays: 90 },
    clustering: [],
    requirePartitionFilter: false,
  },
  invoices: {
    partitioning: { type: 'MONTH', field: 'issued_at', expirationDays: 90 },
    clustering: ['customer'],
    requirePartitionFilter: false,
  },
  page_views: { view: 'SELECT `id`, `timestamp` FROM `other-project.1_prod.00000000_0000`' },
  edge_logs: {
    partitioning: { type: 'DAY', field: 'timestamp', expirationDays: 90 },
    clustering: ['timestamp'],
    requirePartitionFilter: true,
  },
  function_relay_logs: {
    partitioning: { type: 'DAY', field: 'timestamp', expirationDays: 90 },
    clustering: ['timestamp'],
    requirePartitionFilter: true,
  },
};

let folder: string;
let byGcloud: Record<string, Made>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'infra-tables-'));
  const sources = join(folder, 'sql/sources');
  mkdirSync(join(folder, 'sql/endpoints'), { recursive: true });
  for (const name of ['edge_logs', 'function_relay_logs']) {
    cpSync(join('sql/sources', name), join(sources, name), { recursive: true });
  }
  for (const [name, { schema, table }] of Object.entries(SOURCES)) {
    mkdirSync(join(sources, name));
    writeFileSync(join(sources, name, 'schema.json'), JSON.stringify(schema));
    if (table) writeFileSync(join(sources, name, 'table.json'), JSON.stringify(table));
  }
  byGcloud = await makeWithGcloud();
});

afterAll(() => rmSync(folder, { recursive: true }));

/** A root module of tables.tf alone, which has no provider. */
function makeWithTerraform(): Record<string, Made> {
  const root = join(folder, 'infra');
  mkdirSync(root);
  cpSync('infra/tables.tf', join(root, 'tables.tf'));
  const variables = {
    log_tables: { default: { page_views: VIEWED } },
    log_retention_days: { default: 90 },
  };
  writeFileSync(join(root, 'variables.tf.json'), JSON.stringify({ variable: variables }));
  const { tables, views } = evaluate(root, '{ tables = local.tables, views = local.views }') as {
    tables: Record<string, TerraformTable>;
    views: Record<string, { query: string }>;
  };
  return {
    ...Object.fromEntries(
      Object.entries(tables).map(([name, table]) => [
        name,
        {
          partitioning: table.partitioning && {
            type: table.partitioning.type,
            field: table.partitioning.field,
            expirationDays: table.partitioning.expiration_ms / 1000 / DAY_SECONDS,
          },
          clustering: table.clustering ?? [],
          requirePartitionFilter: table.require_partition_filter,
          schema: table.schema,
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(views).map(([name, { query }]) => [name, { view: query }]),
    ),
  };
}

interface TerraformTable {
  partitioning: { type: string; field: string; expiration_ms: number } | null;
  clustering: string[] | null;
  require_partition_filter: boolean;
  schema: string;
}

/** Runs the script of the dry run with a `bq` that finds nothing and writes down what it is asked to make. */
async function makeWithGcloud(): Promise<Record<string, Made>> {
  const asked = join(folder, 'asked');
  const stub = (name: string, text: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  stub(
    'bq',
    `case "$*" in *" show "*) exit 1;; esac\nprintf '%s\\t' "$@" >> '${asked}'; echo >> '${asked}'`,
  );
  stub('gcloud', '');
  stub('npm', '');
  const options = ['--project', 'my-project', '--log-table', `page_views=${VIEWED}`];
  const { stdout, stderr } = await runCommand(deployWithGcloud, [
    ...['--sql', join(folder, 'sql'), '--dry-run'],
    ...options,
  ]);
  if (stderr !== '') throw new Error(stderr);
  const script = join(folder, 'script');
  writeFileSync(script, stdout);
  execFileSync('bash', [script], { env: { PATH: `${folder}:/usr/bin:/bin` } });
  const commands = readFileSync(asked, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().split('\t'));
  return Object.fromEntries(
    commands
      .filter((argv) => argv.includes('mk') && !argv.includes('--dataset'))
      .map((argv) => [argv.at(-1)?.split('.').slice(1).join('.') ?? '', madeBy(argv)]),
  );
}

function madeBy(argv: readonly string[]): Made {
  const valueOf = (option: string): string | undefined =>
    argv.find((text) => text.startsWith(`--${option}=`))?.slice(option.length + 3);
  const view = valueOf('view');
  if (view !== undefined) return { view };
  const type = valueOf('time_partitioning_type');
  return {
    partitioning:
      type === undefined
        ? null
        : {
            type,
            field: valueOf('time_partitioning_field') ?? '',
            expirationDays: Number(valueOf('time_partitioning_expiration')) / DAY_SECONDS,
          },
    clustering: valueOf('clustering_fields')?.split(',') ?? [],
    requirePartitionFilter: argv.includes('--require_partition_filter'),
    schema: readFileSync(valueOf('schema') ?? '', 'utf8'),
  };
}

const schemaOf = (name: string): string =>
  readFileSync(join(folder, 'sql/sources', name, 'schema.json'), 'utf8');
const expected = (): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(EXPECTED).map(([name, made]) => [
      name,
      'view' in made ? made : { ...made, schema: schemaOf(name) },
    ]),
  );

it('npm run deploy:gcloud makes each source as its table.json says', () => {
  expect(byGcloud).toEqual(expected());
});

withTerraform(`Terraform makes each source as its table.json says${WITHOUT_TERRAFORM}`, () => {
  expect(makeWithTerraform()).toEqual(expected());
});

it('Terraform makes its tables and views of these values, all of them', async () => {
  const { resource } = (await parse('bigquery.tf', readFileSync('infra/bigquery.tf', 'utf8'))) as {
    resource: { google_bigquery_table: Record<string, Record<string, unknown>[]> };
  };
  const { log, log_view } = resource.google_bigquery_table;
  expect(log?.[0]).toMatchObject({
    for_each: '${local.tables}',
    table_id: '${each.key}',
    schema: '${each.value.schema}',
    clustering: '${each.value.clustering}',
    require_partition_filter: '${each.value.require_partition_filter}',
    dynamic: {
      time_partitioning: [
        {
          for_each: '${each.value.partitioning[*]}',
          content: [
            {
              type: '${time_partitioning.value.type}',
              field: '${time_partitioning.value.field}',
              expiration_ms: '${time_partitioning.value.expiration_ms}',
            },
          ],
        },
      ],
    },
  });
  expect(log_view?.[0]).toMatchObject({
    for_each: '${local.views}',
    table_id: '${each.key}',
    view: [{ query: '${each.value.query}', use_legacy_sql: false }],
  });
});
