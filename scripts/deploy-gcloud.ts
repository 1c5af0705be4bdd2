// `npm run deploy:gcloud`: the deployment of infra/ without Terraform.
import { parseArgs } from 'node:util';
import { exitWithUsage, runCommand } from './cli/command.ts';
import { type Step, runSteps, toShell } from './deploy/command-steps.ts';
import { gcloudSteps } from './deploy/gcloud-deployment.ts';
import { readLogSources } from './local/logs/log-sources.ts';

const USAGE = `Usage: npm run deploy:gcloud -- --project P [options]

Deploys with gcloud and bq what "npm run deploy" deploys with Terraform, but for dashboard and
alerts. Repeat it to bring a deployment up to date. A new account can take a minute to be known
everywhere: if a step fails for that, run it again.

  --project P        Google Cloud project (default: GOOGLE_CLOUD_PROJECT)
  --region R         region of functions, scheduler job and Firestore (default: europe-west1)
  --database D       Firestore database (default: saved-queries)
  --dataset D        BigQuery dataset (default: saved_query_logs)
  --dataset-location L
                     where it is and queries run (default: EU)
  --log-table SOURCE=PROJECT.DATASET.TABLE
                     a log source that exists already, such as Logflare's own table (repeatable)
  --set NAME=VALUE   a setting of the functions that differs from its default (repeatable)
  --dry-run          print the commands, as a shell script, and run none
  --help             this text
`;

const NAMES: Record<string, RegExp> = {
  project: /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
  region: /^[a-z]+(-[a-z]+)+[0-9]+$/,
  database: /^(\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$/,
  dataset: /^\w+$/,
  'dataset-location': /^(EU|US|[a-z]+(-[a-z]+)+[0-9]+)$/,
};
const TABLE = /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]\.\w+\.[\w-]+$/;
const LOG_RETENTION_DAYS = 90;

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      project: { type: 'string', default: process.env.GOOGLE_CLOUD_PROJECT || '' },
      region: { type: 'string', default: 'europe-west1' },
      database: { type: 'string', default: 'saved-queries' },
      dataset: { type: 'string', default: 'saved_query_logs' },
      'dataset-location': { type: 'string', default: 'EU' },
      'log-table': { type: 'string', multiple: true, default: [] },
      set: { type: 'string', multiple: true, default: [] },
      'dry-run': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) exitWithUsage(USAGE);
  if (values.project === '')
    throw new Error('Name the project: --project or GOOGLE_CLOUD_PROJECT.');
  for (const [option, pattern] of Object.entries(NAMES)) {
    const value = values[option as 'project'];
    if (!pattern.test(value)) throw new Error(`--${option} cannot be "${value}".`);
  }
  const sources = await readLogSources('sql/sources');
  const logTables = parsePairs(values['log-table'], '--log-table');
  for (const [source, table] of Object.entries(logTables)) {
    const names = sources.map(({ name }) => name);
    if (!names.includes(source)) {
      throw new Error(`There is no log source ${source}. There are ${names.join(', ')}.`);
    }
    if (!TABLE.test(table)) {
      throw new Error(`--log-table ${source} is written PROJECT.DATASET.TABLE, not "${table}".`);
    }
  }
  const steps: Step[] = [
    {
      reason: 'The bundle, in dist/.',
      run: ['npm', 'run', 'bundle'],
    },
    ...gcloudSteps({
      project: values.project,
      region: values.region,
      database: values.database,
      dataset: values.dataset,
      datasetLocation: values['dataset-location'],
      settings: parsePairs(values.set, '--set'),
      sources: sources.map(({ name }) => name),
      columns: Object.fromEntries(
        sources.map(({ name, fields }) => [name, fields.map((field) => field.name)]),
      ),
      logTables,
      logRetentionDays: LOG_RETENTION_DAYS,
      source: 'dist',
    }),
  ];
  if (!values['dry-run']) return runSteps(steps);
  console.log(`#!/usr/bin/env bash\nset -euo pipefail\n\n${toShell(steps).trimEnd()}`);
});

function parsePairs(texts: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
      if (name === undefined || value === undefined) {
        throw new Error(`${option} is written NAME=VALUE, not "${text}".`);
      }
      return [name, value];
    }),
  );
}
