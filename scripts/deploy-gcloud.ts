// `npm run deploy:gcloud`: the deployment of infra/ without Terraform.
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { createMain, runMain } from './cli/command.ts';
import {
  projectOption,
  repeatableOption,
  requireProject,
  requireSqlDirectory,
  sqlOption,
} from './cli/options.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import { deployChecked } from './deploy/command-steps.ts';
import { gcloudSteps } from './deploy/gcloud-deployment.ts';
import { INGRESS, NAMES } from './deploy/deployment.ts';
import { readSources } from './sources/read-sources.ts';

const TABLE = /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]\.\w+\.[\w-]+$/;
const LOG_RETENTION_DAYS = 90;

export const main = createMain('npm run deploy:gcloud --', (program, terminal) => {
  program
    .description(
      'Deploys with gcloud and bq what "npm run deploy" deploys with Terraform, except dashboard, alerts and API keys. Run it again to update a deployment. A new service account can take a minute to propagate: if a step fails for that reason, run the command again.',
    )
    .addOption(projectOption(terminal))
    .option(
      '--region <region>',
      'region of functions, scheduler job and Firestore',
      DEPLOYMENT.region,
    )
    .option('--database <name>', 'Firestore database of results', DEPLOYMENT.firestore_database)
    .option(
      '--keys-database <name>',
      'Firestore database of API keys; the function query may read it, but not write to it',
      DEPLOYMENT.keys_database,
    )
    .option('--dataset <name>', 'BigQuery dataset', DEPLOYMENT.bigquery_dataset)
    .option(
      '--dataset-location <location>',
      'location of the dataset and of the queries',
      DEPLOYMENT.bigquery_location,
    )
    .option('--query-function <name>', 'name of the function query', DEPLOYMENT.query_function)
    .option('--warm-function <name>', 'name of the function warm', DEPLOYMENT.warm_function)
    .option('--scheduler-job <name>', 'name of the job that calls warm', DEPLOYMENT.scheduler_job)
    .option(
      '--replace',
      'replace existing functions and jobs that have these names but do not belong to this deployment',
    )
    .addOption(
      new Option(
        '--query-ingress <setting>',
        'the networks from which the function query accepts requests',
      )
        .choices(INGRESS)
        .default(DEPLOYMENT.function_options.query['ingress-settings'] as (typeof INGRESS)[number]),
    )
    .addOption(
      repeatableOption(
        '--log-table <source=project.dataset.table>',
        'an existing table to use for a folder of sql/sources, such as one that Logflare writes',
      ),
    )
    .addOption(
      repeatableOption(
        '--grant-project <project>',
        'another project in which the functions are allowed to read tables',
      ),
    )
    .addOption(
      repeatableOption('--set <name=value>', 'override the default of a setting of the functions'),
    )
    .addOption(sqlOption())
    .option('--dry-run', 'run only the checks, and print the commands as a shell script')
    .addHelpText('after', '\nExample:\n  npm run deploy:gcloud -- --project my-project --dry-run')
    .action(async ({ sql, logTable, grantProject, set, replace, dryRun, ...given }) => {
      requireProject(given.project);
      for (const [name, allowed] of Object.entries(NAMES)) {
        const value = given[name as keyof typeof NAMES];
        if (allowed.test(value)) continue;
        const option = program.options.find((one) => one.attributeName() === name);
        throw new Error(`${option?.long} cannot be "${value}".`);
      }
      if (given.keysDatabase === given.database) {
        throw new Error('--keys-database must differ from --database, which query may write to.');
      }
      if (given.queryFunction === given.warmFunction) {
        throw new Error('--query-function and --warm-function must differ.');
      }
      const sources = await readSources(join(requireSqlDirectory(sql), 'sources'));
      const logTables = parsePairs(logTable, '--log-table');
      const viewed = sources.map(({ name }) => name).filter((name) => !name.includes('.'));
      for (const [source, table] of Object.entries(logTables)) {
        if (!viewed.includes(source)) {
          throw new Error(
            `${source} is not a source that can be a view. Available: ${viewed.join(', ')}.`,
          );
        }
        if (!TABLE.test(table)) {
          throw new Error(`--log-table ${source} must be PROJECT.DATASET.TABLE, not "${table}".`);
        }
      }
      const settings = parsePairs(set, '--set');
      await deployChecked(
        sql,
        (sqlFromTop) =>
          gcloudSteps({
            ...given,
            settings,
            sources,
            logTables,
            replacesOthers: replace === true,
            grantProjects: grantProject,
            logRetentionDays: LOG_RETENTION_DAYS,
            sourcesDirectory: `${sqlFromTop}/sources`,
            source: 'dist',
          }),
        terminal,
        dryRun,
      );
    });
});

function parsePairs(texts: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^([\w.]+)=(.*)$/s.exec(text) ?? [];
      if (name === undefined || value === undefined) {
        throw new Error(`${option} must be NAME=VALUE, not "${text}".`);
      }
      return [name, value];
    }),
  );
}

if (import.meta.main) void runMain(main);
