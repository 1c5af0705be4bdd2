// A deployment with gcloud that has each kind of table, and the commands of its steps.
import type { Step } from '../../../scripts/deploy/command-steps.ts';
import type { GcloudDeployment } from '../../../scripts/deploy/defaults.ts';
import { PLAIN_TABLE } from '../../../scripts/sources/read-definition.ts';
import type { Source } from '../../../scripts/sources/read-sources.ts';
import type { TableDefinition } from '../../../scripts/local-bigquery/values/table-definition.ts';

export const DEPLOYMENT: GcloudDeployment = {
  project: 'my-project',
  region: 'europe-west1',
  database: 'saved-queries',
  keysDatabase: 'saved-queries-keys',
  dataset: 'saved_query_logs',
  datasetLocation: 'EU',
  queryFunction: 'query',
  warmFunction: 'warm',
  schedulerJob: 'warm',
  prefix: 'saved-queries-',
  requestsDataset: 'saved_query_requests',
  requestsSink: 'saved-query-requests',
  publicAccess: 'all-users',
  replacesOthers: false,
  settings: {},
  queryIngress: 'all',
  sources: [
    source('web_visits', ['id', 'timestamp']),
    source('task_runs', ['timestamp', 'status'], {
      partitioning: { type: 'DAY', field: 'timestamp' },
      clustering: ['status'],
    }),
    source('crm.customers', ['id'], { table: 'acme-crm.crm.customers' }),
    source('analytics_1.events', ['event_name'], {
      shards: { prefix: 'events_', format: 'YYYYMMDD' },
    }),
  ],
  logTables: { web_visits: 'other-project.1_prod.abc' },
  grantProjects: [],
  logRetentionDays: 90,
  sourcesDirectory: 'sql/sources',
  source: 'dist',
};

/** A source of the table of the service's own request lines. */
export const REQUESTS = source('requests', ['timestamp', 'key_name'], {
  table: 'saved_query_requests.run_googleapis_com_stdout',
  columns: { key_name: 'jsonPayload.keyname' },
});

function source(
  name: string,
  columns: readonly string[],
  definition: Partial<TableDefinition> = {},
): Source {
  return {
    name,
    fields: columns.map((column) => ({ name: column, type: 'STRING' })),
    definition: { ...PLAIN_TABLE, ...definition },
  };
}

/** Every command of a deployment, the questions too. */
export const commandsOf = (steps: readonly Step[]): (readonly string[])[] =>
  steps.flatMap(({ run, exists = [], update = [] }) =>
    [run, exists, update].filter((argv) => argv.length > 0),
  );
