// A deployment with gcloud that has each kind of table, and the commands that it runs.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gcloudSettings } from '../../../scripts/deploy/gcloud-deployment.ts';
import { HEAD } from '../../../scripts/deploy/run-script.ts';
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

/** Write down what they are called with, once; a question for something that exists ends with `$STATUS`. */
const STUBS = `
run() { "$@"; }
repeated() { "$@"; }
called() {
  printf '%s\\t' "$@" >&5
  echo >&5
  case "$*" in *' list '*) ;; *--format=value*) echo VALUE ;; *' describe '* | *' show '*) return "$STATUS" ;; esac
}
gcloud() { called gcloud "$@"; }
bq() { called bq "$@"; }
npm() { called npm "$@"; }
`;

/** Every command of a deployment, once: where nothing exists yet, and where everything does. */
export function commandsOf(deployment: GcloudDeployment): string[][] {
  const body = readFileSync('scripts/deploy/gcloud.sh', 'utf8');
  const script = [HEAD, STUBS, gcloudSettings(deployment), body].join('\n');
  const lines = ['1', '0'].flatMap((STATUS) => {
    const stdio = ['ignore', 'ignore', 'pipe', 'ignore', 'ignore', 'pipe'] as const;
    const env = { ...process.env, STATUS };
    const { status, output, stderr } = spawnSync('bash', ['-c', script], {
      stdio: [...stdio],
      env,
    });
    if (status !== 0) throw new Error(String(stderr));
    return String(output[5]).trimEnd().split('\t\n');
  });
  return [...new Set(lines)].map((line) => line.split('\t'));
}
