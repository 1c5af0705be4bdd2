// `npm run deploy`: checks, bundles and applies infra/ with Terraform.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { PROJECT_DIRECTORY } from './cli/project.ts';
import { repeatableOption, sqlOption } from './cli/options.ts';
import { deploymentOption, variablesOf, workspaceCommand } from './deploy/deployment-option.ts';
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
    .action((passedOn, { sql, deployment, plan, allowLoss, adopt, dryRun }) => {
      const stray = passedOn.find((arg) => !arg.startsWith('-'));
      if (stray !== undefined) {
        throw new UsageError(
          `Unexpected argument ${stray}: write options of terraform apply as -name=value.`,
        );
      }
      const twice = passedOn.find((arg) => /^--?replace\b/.test(arg));
      if (twice !== undefined) {
        throw new UsageError(
          `${twice} would be applied twice, with warm and with the rest: use npm run deploy:apply.`,
        );
      }
      if (deployment !== undefined && !dryRun) variablesOf(deployment, passedOn);
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
        ...(deployment === undefined ? [] : [`--deployment=${deployment}`]),
        ...allowLoss.map((loss) => `--allow-loss=${loss}`),
        ...(adopt ? ['--adopt'] : []),
      ];
      const terraform = workspaceCommand(deployment);
      const stepsOf = (path: string) =>
        terraformSteps(path, [...own, ...passedOn], { terraform, deployment, plan });
      return deployChecked(sql, stepsOf, terminal, dryRun);
    });
  addHelp(program, 'deploy');
});

const steps = readSteps('terraform-steps.txt');

function terraformSteps(
  sql: string,
  given: readonly string[],
  {
    plan,
    deployment,
    ...values
  }: { terraform: string[]; deployment: string | undefined; plan: true | undefined },
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
  const ofState = deployment === undefined ? [] : [`--deployment=${deployment}`];
  const all = { ...values, options, again, ofState };
  return [...steps('init', all), ...steps(plan ? 'plan' : 'apply', all)];
}

if (import.meta.main) void runMain(main);
