// Tests of the BigQuery tables made from sources: Terraform evaluates infra/tables.tf, and npm run deploy:gcloud creates the same.
// Tables that exist already are never made: the functions get views of them, or grants to read them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertFiles } from '@cdktn/hcl2json';
import { main as gcloud } from '../../scripts/deploy-gcloud.ts';
import { casesBeside } from '../support/cases.ts';
import { columns } from '../support/sql/columns.ts';
import { refusal, runCommand } from '../support/command.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { WITHOUT_TERRAFORM, evaluate, withTerraform } from './terraform.ts';
import { undo } from '../support/undo.ts';

const cases = casesBeside(import.meta.filename);

const DAY_MS = 24 * 60 * 60 * 1000;
const VIEWED = 'other-project.1_prod.00000000_0000';
const QUERY = 'serviceAccount:saved-queries-query@my-project.iam.gserviceaccount.com';

/** The files of a source: schema.json, and table.json where there is one. */
const SOURCES = cases<[name: string, columns: string, table?: object]>('sources');

const COMMANDS = [
  `bq --project_id=acme-crm add-iam-policy-binding --member=${QUERY} --role=roles/bigquery.dataViewer acme-crm:crm.customers`,
  `bq --project_id=bigquery-public-data --location=EU query --use_legacy_sql=false 'GRANT \`roles/bigquery.dataViewer\` ON SCHEMA \`bigquery-public-data.analytics_2\` TO "${QUERY}"'`,
];

const SOURCE_TABLES = `page_views=${VIEWED},parcels=my-project.shop.parcels,refunds=example.com:acme.shop.refunds-2026`;

const infra = (await convertFiles('infra')) as unknown as {
  locals: Record<string, string>[];
  output: Record<string, [{ value: string }]>;
  resource: Record<string, Record<string, [Record<string, unknown>]>>;
};
const local = (name: string): string | undefined =>
  infra.locals.find((block) => name in block)?.[name];

let folder: string;

beforeAll(() => {
  folder = testDirectory('infra-tables-');
  const sources = join(folder, 'sql/sources');
  mkdirSync(join(folder, 'sql/endpoints'), { recursive: true });
  cpSync('sql/endpoint.schema.json', join(folder, 'sql/endpoint.schema.json'));
  for (const [name, list, table] of SOURCES) {
    mkdirSync(join(sources, name), { recursive: true });
    writeFileSync(join(sources, name, 'schema.json'), JSON.stringify(columns(list)));
    if (table) writeFileSync(join(sources, name, 'table.json'), JSON.stringify(table));
  }
});

/** What Terraform makes of the sources and grants, and their faults. */
const DEPLOYED_BY_TERRAFORM = String.raw`{
  made = merge(
    { for name, made in local.tables : name => {
      partitioning = made.partitioning == null ? null : {
        type           = made.partitioning.type
        field          = made.partitioning.field
        expirationDays = made.partitioning.expiration_ms / ${DAY_MS}
      }
      clustering             = made.clustering == null ? [] : made.clustering
      requirePartitionFilter = made.require_partition_filter
    } },
    { for name, made in local.views : name => { view = made.query } },
  )
  schemas = { for name, made in local.tables : name => made.schema }
  granted = sort([for grant in values(local.reader_grants) : join(" ", [
    grant.table == null ? "SCHEMA" : "TABLE",
    join(".", compact([grant.project, grant.dataset, grant.table])),
    grant.member,
  ])])
  commands     = split("\n", local.commands)
  sourceTables = local.source_tables
  faults       = local.source_faults
}`;

/** A root module of tables.tf and of what uses its grants, which has no provider. */
function terraformRoot(variables: Record<string, unknown> = {}): string {
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
    ...variables,
  };
  const values = {
    names: { bigquery_dataset: 'saved_query_logs' },
    own_tables: { 'own.lines': 'own_staging.lines' },
    bigquery_location: 'EU',
    runtime_accounts: { query: QUERY },
    reader_grants: local('reader_grants'),
    commands: infra.output.read_grants?.[0].value,
    log_view_datasets: local('log_view_datasets'),
    deployed: `\${${DEPLOYED_BY_TERRAFORM}}`,
  };
  const variable = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { default: value }]),
  );
  writeFileSync(join(root, 'values.tf.json'), JSON.stringify({ variable, locals: values }));
  return root;
}

it('npm run deploy:gcloud creates each source as defined in its table.json, except those that exist', async () => {
  // The script prints each command; this `bq` finds nothing.
  for (const name of ['bq', 'gcloud', 'npm']) {
    const text = '#!/bin/sh\ncase "$*" in *" show "*) exit 1;; esac\n';
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  const args = [
    ...['--sql', join(folder, 'sql'), '--dry-run', '--project', 'my-project'],
    ...['--log-table', `page_views=${VIEWED}`, '--grant-project', 'partner-project'],
  ];
  const env = { PATH: `${folder}:/usr/bin:/bin` };
  const { stdout: script, stderr } = await runCommand(gcloud, args, env);
  expect(stderr).toBe('');
  const options = { env, input: script, encoding: 'utf8' } as const;
  const printed = execFileSync('bash', ['-c', 'bash 2>&1'], options);
  const found = (pattern: RegExp) => Array.from(printed.matchAll(pattern), ([, text]) => text);
  const commands = found(/^\$ bq --headless --project_id=my-project (.*)$/gm);
  const made = commands.filter((command) => !command?.includes(' show '));
  expect(made.map((command) => command?.replace(/=\S+(?=\/sql\/)/, '='))).toEqual(
    cases<string>('commands of bq'),
  );
  expect(found(/^An owner in [\w-]+ runs: (.*)$/gm).sort()).toEqual(COMMANDS);
  expect(new Set(found(/\|SOURCE_TABLES=([^|']*)/g))).toEqual(new Set([SOURCE_TABLES]));
});

withTerraform()(
  `Terraform makes each source as its table.json says, and nothing that exists${WITHOUT_TERRAFORM}`,
  () => {
    /** The partitions, clustering and filter of a table, or the query of a view. */
    const MADE = Object.fromEntries(cases<[name: string, made: object]>('made'));
    const GRANTED = [
      'SCHEMA my-project.analytics_1',
      'TABLE my-project.crm.accounts',
      'TABLE partner-project.crm.notes',
    ].map((on) => `${on} ${QUERY}`);
    const root = terraformRoot();
    const tables = Object.keys(MADE).filter((name) => !('view' in (MADE[name] ?? {})));
    const schemas = tables.map((name) => {
      return [name, readFileSync(join(folder, 'sql/sources', name, 'schema.json'), 'utf8')];
    });
    expect(evaluate(root, 'local.deployed')).toEqual({
      made: MADE,
      schemas: Object.fromEntries(schemas) as object,
      granted: GRANTED,
      commands: COMMANDS,
      sourceTables: SOURCE_TABLES,
      faults: [],
    });
    // On the datasets behind views it authorises these; npm run deploy:gcloud grants on their tables.
    expect(evaluate(root, 'keys(local.log_view_datasets)')).toEqual([
      ...['example.com:acme.shop', 'my-project.shop', 'other-project.1_prod'],
    ]);
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
    'crm.customers is not a source that can be a view. Available: customers, deliveries, invoices, orders, page_views, parcels, products, readings, refunds.',
  ],
])('npm run deploy:gcloud rejects the view %s', async (logTable, fault) => {
  const refused = await runCommand(gcloud, [
    ...['--sql', join(folder, 'sql'), '--dry-run', '--project', 'my-project'],
    ...['--log-table', logTable],
  ]);
  expect(refused).toEqual(refusal(fault));
});

withTerraform()(
  `Terraform makes no view that cannot stand for its table${WITHOUT_TERRAFORM}`,
  () => {
    const BAD_TYPE = 'typed: `type` in its table.json must be one of DAY, HOUR, MONTH, YEAR.';
    const sharded = join(folder, 'sql/sources/sharded');
    mkdirSync(sharded);
    undo(() => rmSync(sharded, { recursive: true }));
    writeFileSync(join(sharded, 'schema.json'), '[]');
    const table = { table: 'x.events_*', shards: { prefix: 'events_', format: 'YYYYMMDD' } };
    writeFileSync(join(sharded, 'table.json'), JSON.stringify(table));
    const log_tables = {
      deliveries: 'other-project.logs.deliveries',
      customers: 'my-project.saved_query_logs.clients',
    };
    const typed = join(folder, 'sql/sources/typed');
    mkdirSync(typed, { recursive: true });
    writeFileSync(join(typed, 'schema.json'), '[]');
    for (const [text, fault] of [
      ['{"partitioning": {"type": "WEEK", "field": "a", "expires": true}}', BAD_TYPE],
      ['{"partitioning": {"field": "a"}}', BAD_TYPE],
      ['{"partitioning": {"type": 5}}', BAD_TYPE],
      ['{"partitioning":', 'typed: its table.json is not JSON.'],
    ] as const) {
      writeFileSync(join(typed, 'table.json'), text);
      expect(evaluate(terraformRoot(), 'local.source_faults[0]')).toBe(fault);
    }
    rmSync(typed, { recursive: true });
    expect(evaluate(terraformRoot({ log_tables }), 'local.source_faults')).toEqual([
      'sharded has shards, so its folder must be named dataset.table: no view shows _TABLE_SUFFIX.',
      BY_INGESTION,
      IN_ITS_DATASET,
    ]);
  },
);
