// `npm run deploy`: checks, bundles and applies infra/ with Terraform.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { PROJECT_DIRECTORY } from './cli/project.ts';
import { sqlOption } from './cli/options.ts';
import { type Step, commandLine, deployChecked, warmRun } from './deploy/command-steps.ts';

const QUERY = 'google_cloudfunctions2_function.query';
const WARM = 'google_cloudfunctions2_function.warm';

export const main = createMain('npm run deploy --', (program, terminal) =>
  program
    .usage('[--sql <dir>] [--dry-run] [options of terraform apply]')
    .description(
      'Checks the saved queries and the types, builds the bundle and applies infra/ with Terraform, which shows its plan and asks for confirmation. For an existing deployment it applies, and asks, twice: first for the function warm, which computes the results that callers read, then for the rest. Settings are in infra/terraform.tfvars (see infra/example.tfvars). Paths in terraform options are relative to infra/.',
    )
    .addOption(sqlOption())
    .option('--dry-run', 'run only the checks, and print the commands as a shell script')
    .argument('[options...]', 'options that are passed to terraform apply')
    .allowUnknownOption()
    .addHelpText(
      'after',
      `
Examples:
  npm run deploy -- -var-file=production.tfvars
  npm run deploy -- -auto-approve

A variables file for another deployment needs its own state: "terraform -chdir=infra workspace new production".

Without Terraform: npm run deploy:gcloud`,
    )
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
    }),
);

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
