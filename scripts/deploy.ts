// `npm run deploy`: checks, bundles and applies infra/ with Terraform.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { PROJECT_DIRECTORY } from './cli/project.ts';
import { repeatableOption, sqlOption } from './cli/options.ts';
import { faultOfName } from './deploy/defaults.ts';
import { deploymentOption } from './deploy/deployment-option.ts';
import { variablesOf } from './deploy/deployment-variables.ts';
import { type Step, commandLine, deployChecked, readSteps } from './deploy/command-steps.ts';

export const main = createMain('npm run deploy --', (program, terminal) => {
  program
    .usage(
      '[--sql <dir>] [--deployment <name>] [--plan] [--allow-loss <what>]... [--adopt] [--dry-run] [options of terraform apply]',
    )
    .addOption(sqlOption())
    .addOption(deploymentOption())
    .option('--plan')
    .addOption(repeatableOption('--allow-loss <what>'))
    .option('--adopt')
    .option('--dry-run')
    .argument('[options...]')
    .allowUnknownOption()
    .action(async (passedOn, { sql, deployment, plan, allowLoss, adopt, dryRun }) => {
      // The exit code of a usage error is that of changes.
      const Fault = plan ? Error : UsageError;
      const stray = passedOn.find((arg) => !arg.startsWith('-'));
      if (stray !== undefined) {
        throw new Fault(
          `Unexpected argument ${stray}: write options of terraform apply as -name=value.`,
        );
      }
      const twice = passedOn.find((arg) => /^--?replace\b/.test(arg));
      if (twice !== undefined) {
        throw new Fault(
          `${twice} would be applied twice, with warm and with the rest: use npm run deploy:apply.`,
        );
      }
      const fault = deployment === undefined ? undefined : faultOfName(deployment);
      if (fault !== undefined) throw new Fault(`--deployment ${fault}`);
      if (deployment !== undefined && !dryRun) {
        await variablesOf(deployment, passedOn, terminal.env);
      }
      const files = globSync('infra/{terraform,*.auto}.tfvars{,.json}', { cwd: PROJECT_DIRECTORY });
      const hasVariables =
        files.length > 0 ||
        deployment !== undefined ||
        passedOn.some((arg) => /^--?var(-file)?=/.test(arg)) ||
        Boolean(terminal.env.TF_VAR_project_id);
      if (!hasVariables && !dryRun) {
        throw new Error('Set the project first: cp infra/example.tfvars infra/terraform.tfvars');
      }
      const own = [
        ...ofState(deployment),
        ...allowLoss.map((loss) => `--allow-loss=${loss}`),
        ...(adopt ? ['--adopt'] : []),
      ];
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
  const options = [
    '-var=source_zip=../dist/function.zip',
    `-var=sql_directory=${join('..', sql)}`,
    ...given,
  ];
  const isNamed = deployment !== undefined;
  // As `workspaceOf`, in words that are also printed.
  const terraform = [...(isNamed ? ['env', `TF_WORKSPACE=${deployment}`] : []), 'terraform'];
  const all = { terraform, options, again, ofState: ofState(deployment) };
  return [...steps('init', all), ...steps(plan ? 'plan' : 'apply', all)];
}

if (import.meta.main) void runMain(main);
