// `npm run deploy`: checks, bundles and applies infra/ with Terraform.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createMain, runMain } from './cli/command.ts';
import { PROJECT_DIRECTORY } from './cli/project.ts';
import { type Step, runSteps, toShell } from './deploy/command-steps.ts';

export const main = createMain('npm run deploy --', (program, { env, print }) =>
  program
    .usage('[--dry-run] [options of terraform apply]')
    .description(
      'Checks the saved queries and the types, makes the bundle and applies infra/ with Terraform, which shows what it would change and asks. Settings are in infra/terraform.tfvars (infra/example.tfvars shows them). Paths in options are relative to infra/.',
    )
    .option('--dry-run', 'print the commands and run none')
    .argument('[options...]', 'all other options go to terraform apply')
    .allowUnknownOption()
    .addHelpText(
      'after',
      `
Examples:
  npm run deploy -- -var-file=production.tfvars
  npm run deploy -- -auto-approve

Without Terraform: npm run deploy:gcloud`,
    )
    .action(async (passedOn, { dryRun }) => {
      const stray = passedOn.find((arg) => !arg.startsWith('-'));
      if (stray !== undefined) {
        throw new Error(
          `Unexpected argument ${stray}: options of terraform apply are written -name=value.`,
        );
      }
      const hasVariables =
        existsSync(join(PROJECT_DIRECTORY, 'infra/terraform.tfvars')) ||
        passedOn.some((arg) => /^--?var(-file)?=/.test(arg)) ||
        Boolean(env.TF_VAR_project_id);
      if (!hasVariables && !dryRun) {
        throw new Error('Name the project first: cp infra/example.tfvars infra/terraform.tfvars');
      }
      const steps = terraformSteps(passedOn);
      if (dryRun) print(toShell(steps).trimEnd());
      else await runSteps(steps, { directory: PROJECT_DIRECTORY, env, print });
    }),
);

function terraformSteps(passedOn: readonly string[]): Step[] {
  const terraform = ['terraform', '-chdir=infra'];
  return [
    { reason: 'Every saved query is valid.', run: ['npm', 'run', 'check'] },
    { reason: 'The types are right.', run: ['npm', 'run', 'types'] },
    { reason: 'The bundle, in dist/.', run: ['npm', 'run', 'bundle'] },
    { reason: 'The providers, in the versions of infra/.', run: [...terraform, 'init'] },
    {
      reason: 'Shows the changes, asks, and makes them.',
      run: [...terraform, 'apply', '-var=source_zip=../dist/function.zip', ...passedOn],
    },
  ];
}

if (import.meta.main) void runMain(main);
