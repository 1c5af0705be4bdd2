// `npm run deploy:gcloud`: the deployment of infra/ without Terraform.
import { join, relative, resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { createMain, runMain } from './cli/command.ts';
import { projectOption, repeatableOption, requireProject } from './cli/options.ts';
import { PROJECT_DIRECTORY, projectPath } from './cli/project.ts';
import { requireSqlDirectory, sqlOption } from './cli/sql-directory.ts';
import { type Step, runSteps, toShell } from './deploy/command-steps.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import { FUNCTIONS, gcloudSteps } from './deploy/gcloud-deployment.ts';
import { INGRESS } from './deploy/deployment.ts';
import { readSources } from './sources/read-sources.ts';

const DATABASE = /^(\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$/;
const NAMES = {
  project: /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
  region: /^[a-z]+(-[a-z]+)+[0-9]+$/,
  database: DATABASE,
  keysDatabase: DATABASE,
  dataset: /^\w+$/,
  datasetLocation: /^(EU|US|[a-z]+(-[a-z]+)+[0-9]+)$/,
};
const TABLE = /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]\.\w+\.[\w-]+$/;
const LOG_RETENTION_DAYS = 90;

export const main = createMain('npm run deploy:gcloud --', (program, terminal) => {
  const { env, print } = terminal;
  program
    .description(
      'Deploys with gcloud and bq what "npm run deploy" deploys with Terraform, except dashboard, alerts and API keys. Repeat it to update a deployment. A new service account can take a minute to be known everywhere: if a step fails for that reason, run the command again.',
    )
    .addOption(projectOption(terminal))
    .option(
      '--region <region>',
      'region of functions, scheduler job and Firestore',
      DEPLOYMENT.region,
    )
    .option('--database <name>', 'Firestore database of results', DEPLOYMENT.database)
    .option(
      '--keys-database <name>',
      'Firestore database of API keys, which query only reads',
      DEPLOYMENT.keysDatabase,
    )
    .option('--dataset <name>', 'BigQuery dataset', DEPLOYMENT.dataset)
    .option(
      '--dataset-location <location>',
      'location of the dataset and of the queries',
      DEPLOYMENT.datasetLocation,
    )
    .addOption(
      new Option('--query-ingress <setting>', 'from where query takes requests')
        .choices(INGRESS)
        .default(FUNCTIONS.query['ingress-settings']),
    )
    .addOption(
      repeatableOption(
        '--log-table <source=project.dataset.table>',
        "a source that exists already, such as Logflare's own table",
      ),
    )
    .addOption(
      repeatableOption(
        '--grant-project <project>',
        'a project beside --project in which to let query and warm read tables',
      ),
    )
    .addOption(
      repeatableOption(
        '--set <name=value>',
        'a setting of the functions that differs from its default',
      ),
    )
    .addOption(sqlOption(terminal))
    .option('--dry-run', 'print the commands as a shell script and run none')
    .addHelpText('after', '\nExample:\n  npm run deploy:gcloud -- --project my-project --dry-run')
    .action(async (options) => {
      const { project, region, database, keysDatabase, dataset, datasetLocation, dryRun } = options;
      const names = { project, region, database, keysDatabase, dataset, datasetLocation };
      requireProject(project);
      for (const [name, value] of Object.entries(names)) {
        if (NAMES[name as keyof typeof names].test(value)) continue;
        const option = program.options.find((one) => one.attributeName() === name);
        throw new Error(`${option?.long} cannot be "${value}".`);
      }
      if (keysDatabase === database) {
        throw new Error('--keys-database is another than --database, which query may write.');
      }
      // Every step runs in the project.
      const sql = relative(PROJECT_DIRECTORY, resolve(requireSqlDirectory(options.sql)));
      const sources = await readSources(join(options.sql, 'sources'));
      const logTables = parsePairs(options.logTable, '--log-table');
      const viewed = sources.map(({ name }) => name).filter((name) => !name.includes('.'));
      for (const [source, table] of Object.entries(logTables)) {
        if (!viewed.includes(source)) {
          throw new Error(
            `There is no source ${source} that can be a view. There are ${viewed.join(', ')}.`,
          );
        }
        if (!TABLE.test(table)) {
          throw new Error(
            `--log-table ${source} is written PROJECT.DATASET.TABLE, not "${table}".`,
          );
        }
      }
      const isOwn = resolve(options.sql) === resolve(projectPath('sql'));
      const steps: Step[] = [
        {
          reason: 'The bundle, in dist/.',
          run: ['npm', 'run', 'bundle', ...(isOwn ? [] : ['--', '--sql', sql])],
        },
        ...gcloudSteps({
          ...names,
          settings: parsePairs(options.set, '--set'),
          queryIngress: options.queryIngress,
          sources,
          logTables,
          grantProjects: options.grantProject,
          logRetentionDays: LOG_RETENTION_DAYS,
          sourcesDirectory: `${sql}/sources`,
          source: 'dist',
        }),
      ];
      if (!dryRun) return runSteps(steps, { directory: PROJECT_DIRECTORY, env, print });
      print(`#!/usr/bin/env bash\nset -euo pipefail\n\n${toShell(steps).trimEnd()}`);
    });
});

function parsePairs(texts: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^([\w.]+)=(.*)$/s.exec(text) ?? [];
      if (name === undefined || value === undefined) {
        throw new Error(`${option} is written NAME=VALUE, not "${text}".`);
      }
      return [name, value];
    }),
  );
}

if (import.meta.main) void runMain(main);
