// `npm run deploy:gcloud`: the deployment of infra/ without Terraform.
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import {
  namedValues,
  projectOption,
  repeatableOption,
  requireProject,
  requireSqlDirectory,
  sqlOption,
} from './cli/options.ts';
import { DEPLOYMENT, INGRESS, NAMES, PUBLIC_ACCESS } from './deploy/defaults.ts';
import { deploymentOption, namedByDeployment } from './deploy/deployment-option.ts';
import { deployChecked } from './deploy/run-script.ts';
import { gcloudSettings, publicServiceOf } from './deploy/gcloud-deployment.ts';
import { readSources } from './sources/read-sources.ts';

const TABLE = /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]\.\w+\.[\w-]+$/;

export const main = createMain('npm run deploy:gcloud --', (program, terminal) => {
  program
    .addOption(projectOption(terminal))
    .option('--region <region>', '', DEPLOYMENT.region)
    .option('--database <name>', '', DEPLOYMENT.firestore_database)
    .option('--keys-database <name>', '', DEPLOYMENT.keys_database)
    .option('--dataset <name>', '', DEPLOYMENT.bigquery_dataset)
    .option('--dataset-location <location>', '', DEPLOYMENT.bigquery_location)
    .option('--query-function <name>', '', DEPLOYMENT.query_function)
    .option('--warm-function <name>', '', DEPLOYMENT.warm_function)
    .option('--scheduler-job <name>', '', DEPLOYMENT.scheduler_job)
    .addOption(deploymentOption())
    .option('--replace')
    .addOption(
      new Option('--query-ingress <setting>')
        .choices(INGRESS)
        .default(DEPLOYMENT.function_options.query['ingress-settings'] as (typeof INGRESS)[number]),
    )
    .addOption(new Option('--public-access <how>').choices(PUBLIC_ACCESS).default(PUBLIC_ACCESS[0]))
    .addOption(repeatableOption('--log-table <source=project.dataset.table>'))
    .addOption(repeatableOption('--grant-project <project>'))
    .addOption(repeatableOption('--set <name=value>'))
    .addOption(sqlOption())
    .option('--dry-run')
    .action(async ({ sql, logTable, grantProject, set, replace, dryRun, ...given }) => {
      requireProject(given.project);
      for (const [name, allowed] of Object.entries(NAMES)) {
        const value = given[name as keyof typeof NAMES];
        if (allowed.test(value)) continue;
        const option = program.options.find((one) => one.attributeName() === name);
        const hint = ['region', 'datasetLocation'].includes(name)
          ? ' If it is a new region, add it to regions in infra/defaults.json.'
          : '';
        throw new Error(`${option?.long} cannot be "${value}".${hint}`);
      }
      if (given.keysDatabase === given.database) {
        throw new Error('--keys-database must differ from --database, which query may write to.');
      }
      if (given.queryFunction === given.warmFunction) {
        throw new Error('--query-function and --warm-function must differ.');
      }
      const service = publicServiceOf(given);
      if (service.length > 49 || service === given.warmFunction) {
        throw new Error(
          `With --public-access ${given.publicAccess}, the service ${service} is added: it may have at most 49 characters, and no other name of this deployment.`,
        );
      }
      const sources = await readSources(join(requireSqlDirectory(sql), 'sources'));
      const logTables = Object.fromEntries(namedValues('--log-table', logTable));
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
      const deployment = {
        ...{ ...given, sources, logTables, grantProjects: grantProject },
        settings: Object.fromEntries(namedValues('--set', set)),
        replacesOthers: replace === true,
      };
      const settingsOf = (sqlFromTop: string) => gcloudSettings(deployment, sqlFromTop);
      await deployChecked(sql, ['gcloud.sh', settingsOf], terminal, dryRun);
    });
  namedByDeployment(program, {
    database: 'firestore_database',
    keysDatabase: 'keys_database',
    dataset: 'bigquery_dataset',
    queryFunction: 'query_function',
    warmFunction: 'warm_function',
    schedulerJob: 'scheduler_job',
  });
  addHelp(program, 'deploy-gcloud');
});

if (import.meta.main) void runMain(main);
