// Tests of the BigQuery tables made from sources: Terraform evaluates infra/tables.tf, and npm run deploy:gcloud creates the same.
// Tables that exist already are never made: the functions get views of them, or grants to read them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main as gcloud } from '../../scripts/deploy-gcloud.ts';
import { casesBeside } from '../support/cases.ts';
import { refusal, runCommand } from '../support/command.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { infra } from './read-infra.ts';
import { describeWithTerraform, evaluate } from './terraform.ts';

const cases = casesBeside(import.meta.filename);

const VIEWED = 'other-project.1_prod.00000000_0000';
const QUERY = 'serviceAccount:saved-queries-query@my-project.iam.gserviceaccount.com';
const COMMANDS = [
  `bq --project_id=acme-crm add-iam-policy-binding --member=${QUERY} --role=roles/bigquery.dataViewer acme-crm:crm.customers`,
  `bq --project_id=bigquery-public-data --location=EU query --use_legacy_sql=false 'GRANT \`roles/bigquery.dataViewer\` ON SCHEMA \`bigquery-public-data.analytics_2\` TO "${QUERY}"'`,
];
const SOURCE_TABLES = `page_views=${VIEWED},parcels=my-project.shop.parcels,refunds=example.com:acme.shop.refunds-2026`;

function newTree(): FakeSqlTree {
  const tree = new FakeSqlTree();
  for (const source of cases<[name: string, columns: string, table?: object]>('sources')) {
    tree.source(...source);
  }
  return tree;
}

/** A root module of tables.tf and of what uses its grants, which has no provider. */
function terraformRoot(
  { directory }: FakeSqlTree,
  variables: Record<string, unknown> = {},
  locals: Record<string, string> = {},
): string {
  const root = join(directory, 'infra');
  mkdirSync(root, { recursive: true });
  cpSync('infra/tables.tf', join(root, 'tables.tf'));
  const defaults = {
    project_id: 'my-project',
    sql_directory: '..',
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
    reader_grants: infra.local('reader_grants'),
    commands: infra.output('read_grants'),
    log_view_datasets: infra.local('log_view_datasets'),
    ...locals,
  };
  const variable = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { default: value }]),
  );
  writeFileSync(join(root, 'values.tf.json'), JSON.stringify({ variable, locals: values }));
  return root;
}

it('npm run deploy:gcloud creates each source as defined in its table.json, except those that exist', async () => {
  const { directory } = newTree();
  // The script prints each command; this `bq` finds nothing.
  for (const name of ['bq', 'gcloud', 'npm']) {
    const text = '#!/bin/sh\ncase "$*" in *" show "*) exit 1;; esac\n';
    writeFileSync(join(directory, name), text, { mode: 0o755 });
  }
  const args = [
    ...['--sql', directory, '--dry-run', '--project', 'my-project'],
    ...['--log-table', `page_views=${VIEWED}`, '--grant-project', 'partner-project'],
  ];
  const env = { PATH: `${directory}:/usr/bin:/bin` };
  const { stdout: script, stderr } = await runCommand(gcloud, args, env);
  expect(stderr).toBe('');
  const options = { env, input: script, encoding: 'utf8' } as const;
  const printed = execFileSync('bash', ['-c', 'bash 2>&1'], options);
  const found = (pattern: RegExp) => Array.from(printed.matchAll(pattern), ([, text]) => text);
  const commands = found(/^\$ bq --headless --project_id=my-project (.*)$/gm);
  const made = commands.filter((command) => !command?.includes(' show '));
  expect(made.map((command) => command?.replace(/=\S+(?=\/sources\/)/, '=/sql'))).toEqual(
    cases<string>('commands of bq'),
  );
  expect(found(/^An owner in [\w-]+ runs: (.*)$/gm).sort()).toEqual(COMMANDS);
  expect(new Set(found(/\|SOURCE_TABLES=([^|']*)/g))).toEqual(new Set([SOURCE_TABLES]));
});

describeWithTerraform('Terraform', () => {
  it('makes each source as its table.json says, and nothing that exists', () => {
    /** The partitions, clustering and filter of a table, or the query of a view. */
    const MADE = Object.fromEntries(cases<[name: string, made: object]>('made'));
    const GRANTED = [
      'SCHEMA my-project.analytics_1',
      'TABLE my-project.crm.accounts',
      'TABLE partner-project.crm.notes',
    ].map((on) => `${on} ${QUERY}`);
    /** What Terraform makes of the sources and grants, and their faults. */
    const deployed = `\${{
      made = merge(
        { for name, made in local.tables : name => {
          partitioning = made.partitioning == null ? null : {
            type           = made.partitioning.type
            field          = made.partitioning.field
            expirationDays = made.partitioning.expiration_ms / ${24 * 60 * 60 * 1000}
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
      commands     = split("\\n", local.commands)
      sourceTables = local.source_tables
      faults       = local.source_faults
    }}`;
    const tree = newTree();
    const root = terraformRoot(tree, {}, { deployed });
    const tables = Object.keys(MADE).filter((name) => !('view' in (MADE[name] ?? {})));
    const schemas = tables.map((name) => {
      return [name, tree.read(`sources/${name}/schema.json`)];
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
  });
});

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
    ...['--sql', newTree().directory, '--dry-run', '--project', 'my-project'],
    ...['--log-table', logTable],
  ]);
  expect(refused).toEqual(refusal(fault));
});

describeWithTerraform('Terraform', () => {
  it('makes no view that cannot stand for its table', () => {
    const BAD_TYPE = 'typed: `type` in its table.json must be one of DAY, HOUR, MONTH, YEAR.';
    const shards = { prefix: 'events_', format: 'YYYYMMDD' };
    const tree = newTree()
      .write('sources/sharded/schema.json', [])
      .write('sources/sharded/table.json', { table: 'x.events_*', shards })
      .write('sources/typed/schema.json', []);
    const log_tables = {
      deliveries: 'other-project.logs.deliveries',
      customers: 'my-project.saved_query_logs.clients',
    };
    for (const [text, fault] of [
      ['{"partitioning": {"type": "WEEK", "field": "a", "expires": true}}', BAD_TYPE],
      ['{"partitioning": {"field": "a"}}', BAD_TYPE],
      ['{"partitioning": {"type": 5}}', BAD_TYPE],
      ['{"partitioning":', 'typed: its table.json is not JSON.'],
    ] as const) {
      tree.write('sources/typed/table.json', text);
      expect(evaluate(terraformRoot(tree), 'local.source_faults[0]')).toBe(fault);
    }
    tree.remove('sources/typed');
    expect(evaluate(terraformRoot(tree, { log_tables }), 'local.source_faults')).toEqual([
      'sharded has shards, so its folder must be named dataset.table: no view shows _TABLE_SUFFIX.',
      BY_INGESTION,
      IN_ITS_DATASET,
    ]);
  });
});
