// `npm run deploy`: checks, bundles and applies infra/ with Terraform.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { PROJECT_DIRECTORY } from './cli/project.ts';
import { sqlOption } from './cli/options.ts';
import { type Step, commandLine, deployChecked, readSteps } from './deploy/command-steps.ts';

export const main = createMain('npm run deploy --', (program, terminal) => {
  program
    .usage('[--sql <dir>] [--dry-run] [options of terraform apply]')
    .addOption(sqlOption())
    .option('--dry-run')
    .argument('[options...]')
    .allowUnknownOption()
    .action((passedOn, { sql, dryRun }) => {
      const stray = passedOn.find((arg) => !arg.startsWith('-'));
      if (stray !== undefined) {
        throw new UsageError(
          `Unexpected argument ${stray}: write options of terraform apply as -name=value.`,
        );
      }
      const files = globSync('infra/{terraform,*.auto}.tfvars{,.json}', { cwd: PROJECT_DIRECTORY });
      const hasVariables =
        files.length > 0 ||
        passedOn.some((arg) => /^--?var(-file)?=/.test(arg)) ||
        Boolean(terminal.env.TF_VAR_project_id);
      if (!hasVariables && !dryRun) {
        throw new Error('Set the project first: cp infra/example.tfvars infra/terraform.tfvars');
      }
      return deployChecked(sql, (path) => terraformSteps(path, passedOn), terminal, dryRun);
    });
  addHelp(program, 'deploy');
});

const steps = readSteps('terraform-steps.txt');

function terraformSteps(sql: string, passedOn: readonly string[]): Step[] {
  const given = [...(sql === 'sql' ? [] : ['--sql', sql]), ...passedOn];
  const again = ['npm', 'run', 'deploy', ...(given.length === 0 ? [] : ['--', ...given])];
  const options = [`-var=sql_directory=${join('..', sql)}`, ...passedOn];
  return steps('apply', { options, again: commandLine(again) });
}

if (import.meta.main) void runMain(main);
