// `npm run deploy`: checks, bundles and applies infra/ with Terraform.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { PROJECT_DIRECTORY } from './cli/project.ts';
import { sqlOption } from './cli/options.ts';
import { type Step, deployChecked, warmRun } from './deploy/command-steps.ts';

const QUERY = 'google_cloudfunctions2_function.query';
const WARM = 'google_cloudfunctions2_function.warm';

export const main = createMain('npm run deploy --', (program, terminal) =>
  program
    .usage('[--sql <dir>] [--dry-run] [options of terraform apply]')
    .description(
      'Checks the saved queries and the types, creates the bundle and applies infra/ with Terraform, which shows the changes and asks. If the deployment exists, it asks twice: first for warm, which then computes the results that callers read, and then for the rest. Settings are in infra/terraform.tfvars (see infra/example.tfvars). Paths in options of terraform are relative to infra/.',
    )
    .addOption(sqlOption(terminal))
    .option('--dry-run', 'only run the checks, and print the commands as a shell script')
    .argument('[options...]', 'all other options go to terraform apply')
    .allowUnknownOption()
    .addHelpText(
      'after',
      `
Examples:
  npm run deploy -- -var-file=production.tfvars
  npm run deploy -- -auto-approve

A file of variables for another deployment needs a state of its own: "terraform -chdir=infra workspace new production".

Without Terraform: npm run deploy:gcloud`,
    )
    .action((passedOn, { sql, dryRun }) => {
      const stray = passedOn.find((arg) => !arg.startsWith('-'));
      if (stray !== undefined) {
        throw new UsageError(
          `Unexpected argument ${stray}: options of terraform apply are written -name=value.`,
        );
      }
      const hasVariables =
        existsSync(join(PROJECT_DIRECTORY, 'infra/terraform.tfvars')) ||
        passedOn.some((arg) => /^--?var(-file)?=/.test(arg)) ||
        Boolean(terminal.env.TF_VAR_project_id);
      if (!hasVariables && !dryRun) {
        throw new Error('Name the project first: cp infra/example.tfvars infra/terraform.tfvars');
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
  const first = ['echo', 'There are no results to compute yet.'];
  return [
    { reason: 'The providers, in the versions of infra/.', run: [...terraform, 'init'] },
    {
      reason: 'warm alone: shows the changes, asks, and makes them.',
      exists: isThere,
      update: [...apply, `-target=${WARM}`],
      run: first,
      undo: ['git', 'checkout', 'COMMIT-OF-BEFORE', '&&', 'npm', 'run', 'deploy'],
    },
    {
      reason: 'What callers read is computed by the new definitions before query has them.',
      exists: isThere,
      update: warmRun('dist', ['--terraform=infra']),
      run: first,
    },
    { reason: 'The rest: shows the changes, asks, and makes them.', run: apply },
  ];
}

if (import.meta.main) void runMain(main);
