// `npm run deploy`: checks, bundles and applies infra/ with Terraform.
import { join } from 'node:path';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { sqlOption } from './cli/options.ts';
import { faultOfName } from './deploy/defaults.ts';
import { deploymentOption } from './deploy/deployment-option.ts';
import { variablesOf } from './deploy/deployment-variables.ts';
import { refuseOptions } from './deploy/terraform-options.ts';
import { type Step, commandLine, deployChecked, readSteps } from './deploy/command-steps.ts';

export const main = createMain('npm run deploy --', (program, terminal) => {
  program
    .usage(
      '[--sql <dir>] [--deployment <name>] [--plan] [--allow-loss] [--dry-run] [options of terraform apply]',
    )
    .addOption(sqlOption())
    .addOption(deploymentOption())
    .option('--plan')
    .option('--allow-loss')
    .option('--dry-run')
    .argument('[options...]')
    .allowUnknownOption()
    .action(async (passedOn, { sql, deployment, plan, allowLoss, dryRun }) => {
      // The exit code of a usage error is that of changes.
      const Fault = plan ? Error : UsageError;
      const twice = passedOn.find((arg) => /^--?replace\b/.test(arg));
      if (twice !== undefined) {
        throw new Fault(
          `${twice} would be applied twice, with warm and with the rest: use npm run deploy:apply.`,
        );
      }
      refuseOptions(passedOn, Fault, plan ? ['out'] : []);
      const fault = deployment === undefined ? undefined : faultOfName(deployment);
      if (fault !== undefined) throw new Fault(`--deployment ${fault}`);
      await variablesOf(deployment, passedOn, terminal.env);
      const own = [...ofState(deployment), ...(allowLoss ? ['--allow-loss'] : [])];
      const stepsOf = (path: string) =>
        terraformSteps(path, [...own, ...passedOn], { deployment, plan });
      return deployChecked(sql, stepsOf, terminal, dryRun);
    });
  addHelp(program, 'deploy');
});

const steps = readSteps('terraform-steps.txt');

function ofState(deployment: string | undefined): string[] {
  return deployment === undefined ? [] : [`--deployment=${deployment}`];
}

function terraformSteps(
  sql: string,
  given: readonly string[],
  { deployment, plan }: { deployment: string | undefined; plan: true | undefined },
): Step[] {
  const words = [...(sql === 'sql' ? [] : ['--sql', sql]), ...given];
  const again = commandLine([
    ...['npm', 'run', 'deploy'],
    ...(words.length === 0 ? [] : ['--', ...words]),
  ]);
  const options = [...(sql === 'sql' ? [] : [`-var=sql_directory=${join('..', sql)}`]), ...given];
  const isNamed = deployment !== undefined;
  // As `workspaceOf`, in words that are also printed.
  const terraform = [...(isNamed ? ['env', `TF_WORKSPACE=${deployment}`] : []), 'terraform'];
  const all = { terraform, options, again, ofState: ofState(deployment) };
  return [...steps('init', all), ...steps(plan ? 'plan' : 'apply', all)];
}

if (import.meta.main) void runMain(main);
