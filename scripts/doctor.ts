// `npm run doctor`: says what stands between a deployment and its callers, each fault with its remedy. It only reads.
import { join } from 'node:path';
import { SETTINGS } from '../functions/config.ts';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { requireCredentials } from './cli/google-errors.ts';
import { parseSeconds, parseUrl, projectOption } from './cli/options.ts';
import { requireSqlDirectory, sqlOption } from './cli/options.ts';
import { createProgress } from './cli/progress.ts';
import { counted } from './cli/table.ts';
import {
  deploymentOption,
  namedByDeployment,
  partOptions,
  workspaceOf,
} from './deploy/deployment-option.ts';
import { checkAddress } from './doctor/address.ts';
import { type Deployment, requireDeployment } from './doctor/deployment.ts';
import { type Finding, findingsOf, inTime } from './doctor/finding.ts';
import { checkKeys } from './doctor/keys.ts';
import { checkTables } from './doctor/tables.ts';
import { checkScheduler, checkWarming } from './doctor/warming.ts';

type Env = Readonly<Record<string, string | undefined>>;

export const main = createMain('npm run doctor --', (program, terminal) => {
  const { env, print, nowMs } = terminal;
  const part = partOptions(env);
  program
    .addOption(projectOption(terminal))
    .addOption(part('--location <region>', 'region'))
    .addOption(part('--job <name>', 'job'))
    .addOption(part('--database <name>', 'results'))
    .addOption(part('--keys-database <name>', 'keys'))
    .addOption(part('--dataset <name>', 'dataset'))
    .addOption(part('--dataset-location <place>', 'place'))
    .addOption(deploymentOption())
    .option('--url <url>', '', parseUrl)
    .option('--terraform <dir>')
    .addOption(sqlOption())
    .option('--timeout <seconds>', '', parseSeconds, 10)
    .action(async ({ timeout, ...given }) => {
      if (given.terraform === undefined && given.project === '') {
        const options = `--project, --terraform or ${SETTINGS.project.name}`;
        throw new UsageError(`Specify the deployment: ${options}.`);
      }
      requireSqlDirectory(given.sql);
      const progress =
        terminal.progress && createProgress(terminal.progress, 'asking the deployment', 2000);
      const of = await requireDeployment(
        { ...given, timeoutMs: timeout * 1000 },
        workspaceOf(env, given.deployment),
      );
      const found = await examine(of, env, nowMs());
      if (progress) progress.stop();
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
  const address = checkAddress(of);
  const hosts = Object.values(of.hosts);
  if (hosts.includes(undefined)) {
    if (hosts.some((host) => host !== undefined)) {
      const names = 'FIRESTORE_EMULATOR_HOST and BIGQUERY_EMULATOR_HOST';
      throw new UsageError(`doctor looks at a deployment, not at an emulator: unset ${names}.`);
    }
    // Without them no service of Google answers.
    const token = requireCredentials(of.project).then((auth) => auth.getAccessToken());
    const refused = await findingsOf(inTime('Google', of.timeoutMs, token).then(() => []));
    if (refused.length > 0) return [...(await address), ...refused];
  }
  const checks = [
    checkTables(of, join(of.sql, 'sources'), env, nowMs),
    checkWarming(of),
    checkKeys(of),
    checkScheduler(of, nowMs),
  ];
  const found = await Promise.all([address, ...checks.map(findingsOf)]);
  return found.flat();
}

if (import.meta.main) void runMain(main);
