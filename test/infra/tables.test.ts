// Tests of the BigQuery tables made from sources: Terraform evaluates infra/tables.tf, and npm run deploy:gcloud creates the same.
// Tables that exist already are never made: the functions get views of them, or grants to read them.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertFiles, parse } from '@cdktn/hcl2json';
import { main as gcloud } from '../../scripts/deploy-gcloud.ts';
import { columns } from '../support/sql/columns.ts';
import { refusal, runCommand } from '../support/command.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { WITHOUT_TERRAFORM, evaluate, withTerraform } from '../support/terraform.ts';

/** What BigQuery is asked for, by source, and what the functions may read beside it. */
interface Deployed {
  made: Record<string, Made>;
  /** What is granted to each account, such as "TABLE acme-crm.crm.customers serviceAccount:…". */
  granted: string[];
  /** Commands for an owner. */
  commands: string[];
  sourceTables: string | undefined;
}

type Made = MadeTable | { view: string };

interface MadeTable {
  /** Without a field: by time of ingestion. */
  partitioning: { type: string; field?: string; expirationDays: number } | null;
  clustering: string[];
  requirePartitionFilter: boolean;
  schema: string;
}

const DAY_SECONDS = 24 * 60 * 60;
const VIEWED = 'other-project.1_prod.00000000_0000';
const QUERY = 'serviceAccount:saved-queries-query@my-project.iam.gserviceaccount.com';
const WARM = 'serviceAccount:saved-queries-warm@my-project.iam.gserviceaccount.com';

/** The files of a source: schema.json, and table.json where there is one. */
const SOURCES: Record<string, [columns: string, table?: object]> = {
  orders: [
    'order_day DATE, customer STRING, status STRING',
    {
      $schema: '../../table.schema.json',
      partitioning: { type: 'DAY', field: 'order_day' },
      clustering: ['customer', 'status'],
      requirePartitionFilter: true,
    },
  ],
  customers: ['id INTEGER, name STRING'],
  products: ['id INTEGER, category STRING', { partitioning: null, clustering: ['category'] }],
  readings: [
    'read_at TIMESTAMP, celsius FLOAT',
    { partitioning: { type: 'HOUR', field: 'read_at' } },
  ],
  invoices: [
    'issued_at DATETIME, customer STRING',
    {
      partitioning: { type: 'MONTH', field: 'issued_at', expires: true },
      clustering: ['customer'],
      requirePartitionFilter: false,
    },
  ],
  page_views: [
    'id STRING, timestamp TIMESTAMP',
    {
      partitioning: { type: 'DAY', field: 'timestamp' },
      requirePartitionFilter: true,
      table: 'acme-logs.old.page_views',
    },
  ],
  deliveries: [
    'id STRING',
    { partitioning: { type: 'DAY', expires: true }, requirePartitionFilter: true },
  ],
  refunds: ['id INTEGER, amount NUMERIC', { table: 'example.com:acme.shop.refunds-2026' }],
  parcels: ['id INTEGER', { table: 'shop.parcels' }],
  'crm.accounts': ['id INTEGER'],
  'crm.customers': ['id INTEGER', { table: 'acme-crm.crm.customers' }],
  'crm.notes': [
    'text STRING',
    { partitioning: { type: 'DAY' }, table: 'partner-project.crm.notes' },
  ],
  'analytics_1.events': ['event_name STRING', shards('events_', 'analytics_1.events_*')],
  'analytics_1.events_intraday': ['event_name STRING', shards('events_intraday_')],
  'analytics_2.events': [
    'event_name STRING',
    shards('events_', 'bigquery-public-data.analytics_2.events_*'),
  ],
  'saved_query_logs.imports': ['id INTEGER'],
};

function shards(prefix: string, table?: string): object {
  return { shards: { prefix, format: 'YYYYMMDD' }, table };
}

type ExpectedTable = Omit<MadeTable, 'schema'>;

const table = (fields: Partial<ExpectedTable> = {}): ExpectedTable => ({
  partitioning: null,
  clustering: [],
  requirePartitionFilter: false,
  ...fields,
});
const LOGS = table({
  partitioning: { type: 'DAY', field: 'timestamp', expirationDays: 90 },
  clustering: ['timestamp'],
  requirePartitionFilter: true,
});
const EXPECTED: Record<string, ExpectedTable | { view: string }> = {
  orders: table({
    partitioning: { type: 'DAY', field: 'order_day', expirationDays: 0 },
    clustering: ['customer', 'status'],
    requirePartitionFilter: true,
  }),
  customers: table(),
  products: table({ clustering: ['category'] }),
  readings: table({ partitioning: { type: 'HOUR', field: 'read_at', expirationDays: 0 } }),
  invoices: table({
    partitioning: { type: 'MONTH', field: 'issued_at', expirationDays: 90 },
    clustering: ['customer'],
  }),
  page_views: { view: 'SELECT `id`, `timestamp` FROM `other-project.1_prod.00000000_0000`' },
  deliveries: table({
    partitioning: { type: 'DAY', expirationDays: 90 },
    requirePartitionFilter: true,
  }),
  refunds: { view: 'SELECT `id`, `amount` FROM `example.com:acme.shop.refunds-2026`' },
  parcels: { view: 'SELECT `id` FROM `my-project.shop.parcels`' },
  edge_logs: LOGS,
  function_relay_logs: LOGS,
};

const GRANTED = [
  'SCHEMA my-project.analytics_1',
  'TABLE my-project.crm.accounts',
  'TABLE partner-project.crm.notes',
].flatMap((on) => [`${on} ${QUERY}`, `${on} ${WARM}`]);

/** Terraform authorises the views on these datasets; npm run deploy:gcloud grants on their tables. */
const BEHIND_VIEWS = {
  datasets: ['example.com:acme.shop', 'my-project.shop', 'other-project.1_prod'],
  granted: ['example.com:acme.shop.refunds-2026', 'my-project.shop.parcels', VIEWED].flatMap(
    (table) => [`TABLE ${table} ${QUERY}`, `TABLE ${table} ${WARM}`],
  ),
};

const COMMANDS = [
  `bq --project_id=acme-crm add-iam-policy-binding --member=${QUERY} --role=roles/bigquery.dataViewer acme-crm:crm.customers`,
  `bq --project_id=acme-crm add-iam-policy-binding --member=${WARM} --role=roles/bigquery.dataViewer acme-crm:crm.customers`,
  `bq --project_id=bigquery-public-data --location=EU query --use_legacy_sql=false 'GRANT \`roles/bigquery.dataViewer\` ON SCHEMA \`bigquery-public-data.analytics_2\` TO "${QUERY}", "${WARM}"'`,
];

let folder: string;
let byGcloud: Deployed;

beforeAll(async () => {
  folder = testDirectory('infra-tables-');
  const sources = join(folder, 'sql/sources');
  mkdirSync(join(folder, 'sql/endpoints'), { recursive: true });
  for (const name of ['edge_logs', 'function_relay_logs']) {
    cpSync(join('sql/sources', name), join(sources, name), { recursive: true });
  }
  for (const [name, [list, table]] of Object.entries(SOURCES)) {
    mkdirSync(join(sources, name));
    writeFileSync(join(sources, name, 'schema.json'), JSON.stringify(columns(list)));
    if (table) writeFileSync(join(sources, name, 'table.json'), JSON.stringify(table));
  }
  byGcloud = await deployWithGcloud();
});

/** A root module of tables.tf and of what uses its grants, which has no provider. */
async function terraformRoot(variables: Record<string, unknown> = {}): Promise<string> {
  const root = join(folder, 'infra');
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  cpSync('infra/tables.tf', join(root, 'tables.tf'));
  const defaults = {
    project_id: 'my-project',
    sql_directory: '../sql',
    log_tables: { page_views: VIEWED },
    log_retention_days: 90,
    grant_projects: ['partner-project'],
    authorize_log_views: true,
    ...variables,
  };
  const { locals, output } = (await convertFiles('infra')) as unknown as {
    locals: Record<string, string>[];
    output: Record<string, [{ value: string }]>;
  };
  const values = {
    bigquery_dataset: 'saved_query_logs',
    bigquery_location: 'EU',
    runtime_accounts: { query: QUERY, warm: WARM },
    reader_grants: locals.find((block) => 'reader_grants' in block)?.reader_grants,
    commands: output.read_grants?.[0].value,
    log_view_datasets: locals.find((block) => 'log_view_datasets' in block)?.log_view_datasets,
  };
  writeFileSync(
    join(root, 'values.tf.json'),
    JSON.stringify({
      variable: Object.fromEntries(
        Object.entries(defaults).map(([name, value]) => [name, { default: value }]),
      ),
      locals: values,
    }),
  );
  return root;
}

async function deployWithTerraform(): Promise<Deployed> {
  const names = ['tables', 'views', 'reader_grants', 'commands', 'source_faults', 'source_tables'];
  const values = `{ ${names.map((name) => `${name} = local.${name}`).join(', ')} }`;
  const locals = evaluate(await terraformRoot(), values) as TerraformLocals;
  const { tables, views, reader_grants, commands, source_faults, source_tables } = locals;
  if (source_faults.length > 0) throw new Error(source_faults.join('\n'));
  const made = {
    ...Object.fromEntries(
      Object.entries(tables).map(([name, { partitioning, ...table }]): [string, Made] => [
        name,
        {
          partitioning: partitioning && {
            type: partitioning.type,
            ...(partitioning.field === null ? {} : { field: partitioning.field }),
            expirationDays: partitioning.expiration_ms / 1000 / DAY_SECONDS,
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
  const granted = Object.values(reader_grants).map(({ project, dataset, table, member }) =>
    table === null
      ? `SCHEMA ${project}.${dataset} ${member}`
      : `TABLE ${project}.${dataset}.${table} ${member}`,
  );
  return {
    made,
    granted: granted.sort(),
    commands: commands.split('\n'),
    sourceTables: source_tables,
  };
}

interface TerraformLocals {
  tables: Record<string, TerraformTable>;
  views: Record<string, { query: string }>;
  reader_grants: Record<
    string,
    Record<'project' | 'dataset' | 'member', string> & { table: string | null }
  >;
  commands: string;
  source_faults: string[];
  source_tables: string;
}

interface TerraformTable {
  partitioning: { type: string; field: string | null; expiration_ms: number } | null;
  clustering: string[] | null;
  require_partition_filter: boolean;
  schema: string;
}

/** Runs the script of the dry run with a `bq` that finds nothing and writes down what it is asked to make. */
async function deployWithGcloud(): Promise<Deployed> {
  const asked = join(folder, 'asked');
  const stub = (name: string, text: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  stub(
    'bq',
    `case "$*" in *" show "*) exit 1;; esac\nprintf '%s\\t' "$@" >> '${asked}'; echo >> '${asked}'`,
  );
  const variables = join(folder, 'variables');
  stub('gcloud', `case "$*" in *--set-env-vars=*) printf '%s|' "$@" > '${variables}';; esac`);
  stub('npm', '');
  const options = [
    ...['--project', 'my-project', '--log-table', `page_views=${VIEWED}`],
    ...['--grant-project', 'partner-project'],
  ];
  const { code, stdout, stderr } = await runCommand(
    gcloud,
    [...['--sql', join(folder, 'sql'), '--dry-run'], ...options],
    { PATH: `${folder}:/usr/bin:/bin` },
  );
  if (code !== 0) throw new Error(stderr);
  const script = join(folder, 'script');
  writeFileSync(script, stdout);
  const printed = execFileSync('bash', [script], {
    env: { PATH: `${folder}:/usr/bin:/bin` },
    encoding: 'utf8',
  });
  const commands = readFileSync(asked, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().split('\t'));
  const made = commands
    .filter((argv) => argv.includes('mk') && !argv.includes('--dataset'))
    .map((argv): [string, Made] => [
      argv.at(-1)?.split('.').slice(1).join('.') ?? '',
      madeBy(argv),
    ]);
  return {
    made: Object.fromEntries(made),
    granted: commands.flatMap(grantedBy).sort(),
    commands: printed
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^An owner in [\w-]+ runs: /, ''))
      .sort(),
    sourceTables: /\|SOURCE_TABLES=([^|]*)\|/.exec(readFileSync(variables, 'utf8'))?.[1],
  };
}

/** The grants of a command, but those on the dataset of the deployment. */
function grantedBy(argv: readonly string[]): string[] {
  const text = argv.join(' ');
  const [, table, member, place] =
    / (add-iam-policy-binding) --member=(\S+) --role=roles\/bigquery\.dataViewer (\S+)$/.exec(
      text,
    ) ?? [];
  if (table !== undefined) {
    const name = place?.replace(/:([^:]+)$/, '.$1') ?? '';
    return [`TABLE ${name} ${member}`];
  }
  const [, name, members] =
    / GRANT `roles\/bigquery\.dataViewer` ON SCHEMA `([^`]+)` TO (.*)$/.exec(text) ?? [];
  if (name === undefined || name === 'my-project.saved_query_logs') return [];
  return members?.split(', ').map((one) => `SCHEMA ${name} ${one.replaceAll('"', '')}`) ?? [];
}

function madeBy(argv: readonly string[]): Made {
  const valueOf = (option: string): string | undefined =>
    argv.find((text) => text.startsWith(`--${option}=`))?.slice(option.length + 3);
  const view = valueOf('view');
  if (view !== undefined) return { view };
  const type = valueOf('time_partitioning_type');
  const field = valueOf('time_partitioning_field');
  return {
    partitioning:
      type === undefined
        ? null
        : {
            type,
            ...(field === undefined ? {} : { field }),
            expirationDays: Number(valueOf('time_partitioning_expiration')) / DAY_SECONDS,
          },
    clustering: valueOf('clustering_fields')?.split(',') ?? [],
    requirePartitionFilter: argv.includes('--require_partition_filter'),
    schema: readFileSync(valueOf('schema') ?? '', 'utf8'),
  };
}

const schemaOf = (name: string): string =>
  readFileSync(join(folder, 'sql/sources', name, 'schema.json'), 'utf8');
const expected = (): Deployed => ({
  made: Object.fromEntries(
    Object.entries(EXPECTED).map(([name, made]) => [
      name,
      'view' in made ? made : { ...made, schema: schemaOf(name) },
    ]),
  ),
  granted: GRANTED,
  commands: COMMANDS,
  sourceTables: `page_views=${VIEWED},parcels=my-project.shop.parcels,refunds=example.com:acme.shop.refunds-2026`,
});

it('npm run deploy:gcloud creates each source as defined in its table.json, except those that exist', () => {
  expect(byGcloud).toEqual({
    ...expected(),
    granted: [...GRANTED, ...BEHIND_VIEWS.granted].sort(),
  });
});

withTerraform(
  `Terraform makes each source as its table.json says, and nothing that exists${WITHOUT_TERRAFORM}`,
  async () => {
    expect(await deployWithTerraform()).toEqual(expected());
    const authorized = evaluate(await terraformRoot(), 'keys(local.log_view_datasets)');
    expect(authorized).toEqual(BEHIND_VIEWS.datasets);
  },
);

const METADATA = [
  `bq --project_id=example.com:acme add-iam-policy-binding --member=${WARM} --role=roles/bigquery.metadataViewer example.com:acme:shop.refunds-2026`,
  `bq --project_id=other-project add-iam-policy-binding --member=${WARM} --role=roles/bigquery.metadataViewer other-project:1_prod.00000000_0000`,
];

withTerraform.each<[string, Record<string, unknown>, string[], string[]]>([
  [
    'authorises the views',
    {},
    ['example.com:acme.shop.refunds-2026', 'my-project.shop.parcels', VIEWED],
    [],
  ],
  ['is an owner', { authorize_log_views: false }, ['my-project.shop.parcels'], METADATA],
  [
    'is told that it is an owner',
    { authorize_log_views: false, grant_projects: ['other-project'] },
    ['my-project.shop.parcels', VIEWED],
    METADATA.slice(0, 1),
  ],
])(
  `Terraform lets warm read metadata of a table behind a view where it %s, and prints the rest${WITHOUT_TERRAFORM}`,
  async (_, variables, granted, commands) => {
    const made =
      '{ granted = { for name, grant in local.metadata_grants : name => join(".", [grant.project, grant.dataset, grant.table]) if grant.by_terraform }, commands = local.commands }';
    const found = evaluate(await terraformRoot(variables), made) as {
      granted: Record<string, string>;
      commands: string;
    };
    expect(found.granted).toEqual(Object.fromEntries(granted.map((table) => [table, table])));
    const ofMetadata = found.commands.split('\n').filter((line) => line.includes('metadata'));
    expect(ofMetadata).toEqual(commands);
  },
);

const BY_INGESTION =
  'deliveries is partitioned by time of ingestion, so its folder must be named dataset.table: a view has no _PARTITIONTIME.';
const IN_ITS_DATASET =
  'customers would be a view of a table in the dataset of the views: name its folder dataset.table, and no view is needed.';

it.each([
  ['deliveries=other-project.logs.deliveries', BY_INGESTION],
  ['customers=my-project.saved_query_logs.clients', IN_ITS_DATASET],
  [
    'crm.customers=other-project.crm.customers',
    'crm.customers is not a source that can be a view. Available: customers, deliveries, edge_logs, function_relay_logs, invoices, orders, page_views, parcels, products, readings, refunds.',
  ],
])('npm run deploy:gcloud rejects the view %s', async (logTable, fault) => {
  const refused = await runCommand(gcloud, [
    ...['--sql', join(folder, 'sql'), '--dry-run', '--project', 'my-project'],
    ...['--log-table', logTable],
  ]);
  expect(refused).toEqual(refusal(fault));
});

withTerraform(
  `Terraform makes no view that cannot stand for its table${WITHOUT_TERRAFORM}`,
  async () => {
    const sharded = join(folder, 'sql/sources/sharded');
    mkdirSync(sharded);
    onTestFinished(() => rmSync(sharded, { recursive: true }));
    writeFileSync(join(sharded, 'schema.json'), '[]');
    const table = { table: 'x.events_*', shards: { prefix: 'events_', format: 'YYYYMMDD' } };
    writeFileSync(join(sharded, 'table.json'), JSON.stringify(table));
    const log_tables = {
      deliveries: 'other-project.logs.deliveries',
      customers: 'my-project.saved_query_logs.clients',
    };
    expect(evaluate(await terraformRoot({ log_tables }), 'local.source_faults')).toEqual([
      'sharded has shards, so its folder must be named dataset.table: no view shows _TABLE_SUFFIX.',
      BY_INGESTION,
      IN_ITS_DATASET,
    ]);
  },
);

it('Terraform creates its tables and views from exactly these values', async () => {
  const { resource } = (await parse('bigquery.tf', readFileSync('infra/bigquery.tf', 'utf8'))) as {
    resource: Record<string, Record<string, Record<string, unknown>[]>>;
  };
  const { log, log_view } = resource.google_bigquery_table ?? {};
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
  expect(resource.google_bigquery_dataset?.logs?.[0]?.lifecycle).toEqual([
    {
      precondition: [
        {
          condition: '${length(local.source_faults) == 0}',
          error_message: '${join("\\n", local.source_faults)}',
        },
      ],
    },
  ]);
});

// google_bigquery_dataset_iam_member would take away the authorised views of a dataset that others manage.
it('Terraform grants exactly these roles, none of them for a whole project', async () => {
  const { resource } = (await parse('iam.tf', readFileSync('infra/iam.tf', 'utf8'))) as {
    resource: Record<string, Record<string, Record<string, unknown>[]>>;
  };
  const place = { project: '${each.value.project}', dataset_id: '${each.value.dataset}' };
  expect(resource.google_bigquery_table_iam_member?.source_reader).toEqual([
    {
      ...place,
      for_each:
        '${{ for key, grant in local.reader_grants : key => grant if grant.table != null }}',
      table_id: '${each.value.table}',
      role: 'roles/bigquery.dataViewer',
      member: '${each.value.member}',
    },
  ]);
  expect(resource.google_bigquery_table_iam_member?.metadata_reader).toEqual([
    {
      ...place,
      for_each:
        '${{ for name, grant in local.metadata_grants : name => grant if grant.by_terraform }}',
      table_id: '${each.value.table}',
      role: 'roles/bigquery.metadataViewer',
      member: '${local.runtime_accounts.warm}',
    },
  ]);
  expect(resource.google_bigquery_dataset_access?.source_reader).toEqual([
    {
      ...place,
      for_each:
        '${{ for key, grant in local.reader_grants : key => grant if grant.table == null }}',
      role: 'READER',
      user_by_email: '${trimprefix(each.value.member, "serviceAccount:")}',
    },
  ]);
  expect(Object.keys(resource.google_bigquery_dataset_iam_member ?? {})).toEqual(['logs_reader']);
  expect(Object.keys(resource.google_bigquery_table_iam_member ?? {}).sort()).toEqual([
    'metadata_reader',
    'source_reader',
  ]);
});
