// A deployment with gcloud that has each kind of table, and the commands that it runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gcloudSettings } from '../../../scripts/deploy/gcloud-deployment.ts';
import { HEAD } from '../../../scripts/deploy/run-script.ts';
import type { GcloudDeployment } from '../../../scripts/deploy/defaults.ts';
import { source } from '../sql/columns.ts';

/** With a source of each kind. */
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
  publicAccess: 'all-users',
  replacesOthers: false,
  settings: {},
  queryIngress: 'all',
  sources: [
    source('web_visits', 'id STRING, timestamp STRING'),
    source('task_runs', 'timestamp STRING, status STRING', {
      partitioning: { type: 'DAY', field: 'timestamp' },
      clustering: ['status'],
    }),
    source('crm.customers', 'id STRING', { table: 'acme-crm.crm.customers' }),
    source('analytics_1.events', 'event_name STRING', {
      shards: { prefix: 'events_', format: 'YYYYMMDD' },
    }),
    // The service's own request lines.
    source('requests', 'timestamp STRING, key_name STRING', {
      table: 'saved_query_requests.run_googleapis_com_stdout',
      columns: { key_name: 'jsonPayload.keyname' },
    }),
  ],
  logTables: { web_visits: 'other-project.1_prod.abc' },
  grantProjects: [],
};

/** Write down what they are called with, once; a question for something that exists ends with `$STATUS`. */
const STUBS = `
run() { "$@"; }
repeated() { "$@"; }
called() {
  printf '%s\\t' "$@" >&3
  echo >&3
  case "$*" in *' list '*) ;; *'functions describe '*value*) echo "https://$4.example" ;; *--format=value*) echo VALUE ;; *' describe '* | *' show '*) return "$STATUS" ;; esac
}
gcloud() { called gcloud "$@"; }
bq() { called bq "$@"; }
npm() { called npm "$@"; }
`;

/** The commands of a deployment where nothing exists yet, and where everything does. */
export async function commandsOf(deployment: GcloudDeployment): Promise<string[][][]> {
  const body = readFileSync('scripts/deploy/gcloud.sh', 'utf8');
  const script = [HEAD, STUBS, gcloudSettings(deployment), body].join('\n');
  const found = ['1', '0'].map(async (STATUS) => {
    const child = spawn('bash', ['-c', script], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      env: { ...process.env, STATUS },
    });
    const [lines, [code]] = await Promise.all([
      text(child.stdio[3] as Readable),
      once(child, 'close') as Promise<[number]>,
    ]);
    if (code !== 0) throw new Error(`the script ended with ${code}`);
    return lines
      .split('\t\n')
      .slice(0, -1)
      .map((line) => line.split('\t'));
  });
  return Promise.all(found);
}
