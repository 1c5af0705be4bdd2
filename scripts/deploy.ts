// `npm run deploy`: checks, bundles and applies infra/ with Terraform.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { PROJECT_DIRECTORY } from './cli/project.ts';
import { sqlOption } from './cli/options.ts';
import { type Step, commandLine, deployChecked, warmRun } from './deploy/command-steps.ts';

const QUERY = 'google_cloudfunctions2_function.query';
const WARM = 'google_cloudfunctions2_function.warm';

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

function terraformSteps(sql: string, passedOn: readonly string[]): Step[] {
  const terraform = ['terraform', '-chdir=infra'];
  const apply = [
    ...[...terraform, 'apply', '-var=source_zip=../dist/function.zip'],
    ...[`-var=sql_directory=${join('..', sql)}`, ...passedOn],
  ];
  const isThere = [...terraform, 'state', 'show', QUERY];
  const first = ['echo', 'No results to compute yet.'];
  const options = [...(sql === 'sql' ? [] : ['--sql', sql]), ...passedOn];
  const again = ['npm', 'run', 'deploy', ...(options.length === 0 ? [] : ['--', ...options])];
  return [
    {
      reason:
        'Install the providers: the versions in your infra/.terraform.lock.hcl, or else the newest that infra/versions.tf allows.',
      run: [...terraform, 'init'],
    },
    {
      reason: 'Apply warm: shows the changes and asks for confirmation.',
      exists: isThere,
      update: [...apply, `-target=${WARM}`],
      run: first,
      undo: ['git', 'checkout', 'PREVIOUS-COMMIT', '&&', commandLine(again)],
    },
    {
      reason: 'Compute what callers read with the new definitions, before query gets them.',
      exists: isThere,
      update: warmRun('dist', ['--terraform=infra']),
      run: first,
    },
    { reason: 'Apply the rest: shows the changes and asks for confirmation.', run: apply },
  ];
}

if (import.meta.main) void runMain(main);
