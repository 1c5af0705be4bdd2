// `npm run doctor`: says what stands between a deployment and rows, each fault with its remedy. It only reads.
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { SETTINGS, parseConfig } from '../functions/config.ts';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { requireCredentials } from './cli/google-errors.ts';
import { addHelp } from './cli/help.ts';
import { parseSeconds, projectOption, requireSqlDirectory, sqlOption } from './cli/options.ts';
import { createProgress } from './cli/progress.ts';
import { counted } from './cli/table.ts';
import { inspectCatalogue } from './compile/inspect-catalogue.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import { deploymentOption, namedByDeployment, workspaceOf } from './deploy/deployment-option.ts';
import { checkAddress } from './doctor/address.ts';
import { checkDataset, createAskBigQuery } from './doctor/bigquery.ts';
import { type Deployment, requireDeployment } from './doctor/deployment.ts';
import { type Finding, fault, inTime, noCredentials, unchecked } from './doctor/finding.ts';
import { checkKeys } from './doctor/keys.ts';
import { checkQueries } from './doctor/queries.ts';
import { checkScheduler } from './doctor/scheduler.ts';
import { checkTables } from './doctor/tables.ts';
import { checkWarming } from './doctor/warming.ts';
import { inspectSources } from './sources/read-sources.ts';

type Env = Readonly<Record<string, string | undefined>>;

export const main = createMain('npm run doctor --', (program, terminal) => {
  const { env, print, nowMs } = terminal;
  const named = <Flags extends string>(flags: Flags, variable: string, byDefault: string) =>
    new Option(flags).default(env[variable] || byDefault, `${variable}, else ${byDefault}`);
  program
    .addOption(projectOption(terminal))
    .addOption(named('--location <region>', 'SCHEDULER_LOCATION', DEPLOYMENT.region))
    .addOption(named('--job <name>', 'SCHEDULER_JOB', DEPLOYMENT.scheduler_job))
    .addOption(named('--database <name>', 'FIRESTORE_DATABASE', DEPLOYMENT.firestore_database))
    .addOption(named('--keys-database <name>', 'KEYS_DATABASE', DEPLOYMENT.keys_database))
    .addOption(named('--dataset <name>', 'BIGQUERY_DATASET', DEPLOYMENT.bigquery_dataset))
    .addOption(
      named('--dataset-location <place>', 'BIGQUERY_LOCATION', DEPLOYMENT.bigquery_location),
    )
    .addOption(deploymentOption())
    .option('--url <url>')
    .option('--terraform <dir>')
    .addOption(sqlOption())
    .addOption(new Option('--timeout <seconds>').default(10).argParser(parseSeconds))
    .action(async ({ timeout, url, ...given }) => {
      if (given.terraform === undefined && given.project === '') {
        const options = `--project, --terraform or ${SETTINGS.project.name}`;
        throw new UsageError(`Specify the deployment: ${options}.`);
      }
      if (url !== undefined && !/^https?:\/\/[^/]/.test(url)) {
        throw new UsageError(`--url must begin with https://, not "${url}".`);
      }
      requireSqlDirectory(given.sql);
      const progress =
        terminal.progress && createProgress(terminal.progress, 'asking the deployment', 2000);
      const of = await requireDeployment(
        { ...given, url, timeoutMs: timeout * 1000 },
        workspaceOf(env, given.deployment),
      );
      const found = await examine(of, env, nowMs());
      progress?.stop();
      // What several checks meet is one fault.
      const lines = new Set(found.map(({ mark, text }) => `${mark} ${text}`));
      lines.forEach((line) => print(line));
      const faults = [...lines].filter((line) => line.startsWith('✗'));
      if (faults.length > 0) throw new Error(counted(faults.length, 'fault'));
    });
  namedByDeployment(program, {
    job: 'scheduler_job',
    database: 'firestore_database',
    keysDatabase: 'keys_database',
    dataset: 'bigquery_dataset',
  });
  addHelp(program, 'doctor');
});

/** All checks at the same time, so that one that waits delays no other; the findings in a fixed order. */
async function examine(of: Deployment, env: Env, nowMs: number): Promise<Finding[]> {
  const catalogue = inspectCatalogue(of.sql);
  const inspected = await inspectSources(join(of.sql, 'sources'));
  const { sources } = inspected;
  const endpoints = catalogue.endpoints.flatMap(({ endpoint }) => endpoint ?? []);
  const ofSql = [...catalogue.faults, ...catalogue.endpoints.flatMap((one) => one.faults)];
  const count = ofSql.length + inspected.faults.length;
  const isSound = count === 0;
  const sqlFaults = isSound
    ? []
    : [fault(`${of.sql} has ${counted(count, 'fault')}`, `npm run check -- --sql ${of.sql}`)];
  const address = of.url === undefined ? Promise.resolve([noAddress()]) : checkAddress(of);
  const isLocal = Object.values(of.hosts).every((host) => host !== undefined);
  const refused = isLocal ? [] : await checkCredentials(of);
  if (refused.length > 0) return [...sqlFaults, ...refused, ...(await address)];
  const checks = [
    checkBigQuery(),
    checkWarming(of, endpoints),
    checkKeys(of, isSound ? endpoints : undefined),
    checkScheduler(of, nowMs),
    address,
  ];
  return [...sqlFaults, ...(await Promise.all(checks)).flat(), grants(of)];

  async function checkBigQuery(): Promise<Finding[]> {
    const config = parseConfig({
      ...env,
      [SETTINGS.project.name]: of.project,
      [SETTINGS.dataset.name]: of.dataset,
      [SETTINGS.location.name]: of.datasetLocation,
    });
    const ask = createAskBigQuery(of, config);
    const { findings, isOut } = await checkDataset(of, ask);
    if (isOut) return findings;
    const logTables = Object.fromEntries(config.sourceTables);
    const [tables, queries] = await Promise.all([
      checkTables(of, ask, sources, logTables, nowMs),
      checkQueries(of, ask, { endpoints, sources }, config),
    ]);
    return [...findings, ...tables, ...queries];
  }
}

/** Without them no service of Google answers. */
async function checkCredentials({ project, timeoutMs }: Deployment): Promise<Finding[]> {
  const token = requireCredentials(project).then((auth) => auth.getAccessToken());
  return inTime(timeoutMs, token).then(
    () => [],
    (error: unknown) => [noCredentials(error)],
  );
}

function noAddress(): Finding {
  return unchecked(
    'not checked: whether callers reach query',
    'name its address: --url, or --terraform',
  );
}

/** The checks read as you: what the functions may read shows only in their grants. */
function grants({ project }: Deployment): Finding {
  const flags = "--flatten='bindings[].members' --filter='bindings.members:serviceAccount'";
  const command = `gcloud projects get-iam-policy ${project} ${flags}, and bq get-iam-policy DATASET.TABLE`;
  return unchecked('not checked: what the service accounts may do', command);
}

if (import.meta.main) void runMain(main);
