// `npm run deploy`: checks, bundles and applies infra/ with Terraform.
import { existsSync } from 'node:fs';
import { exitWithUsage, runCommand } from './cli/command.ts';
import { type Step, runSteps, toShell } from './deploy/command-steps.ts';

const USAGE = `Usage: npm run deploy -- [--dry-run] [OPTIONS OF terraform apply]

Checks the saved queries and the types, makes the bundle and applies infra/ with Terraform, which
shows what it would change and asks. Settings are in infra/terraform.tfvars (infra/example.tfvars
shows them). Paths in options are relative to infra/.

  --dry-run   print the commands and run none
  --help      this text

Everything else goes to terraform apply:
  npm run deploy -- -var-file=production.tfvars
  npm run deploy -- -auto-approve

Without Terraform: npm run deploy:gcloud
`;

await runCommand(() => {
  const args = process.argv.slice(2);
  if (args.includes('--help')) exitWithUsage(USAGE);
  const isDryRun = args.includes('--dry-run');
  const passedOn = args.filter((arg) => arg !== '--dry-run');
  const stray = passedOn.find((arg) => !arg.startsWith('-'));
  if (stray !== undefined) {
    throw new Error(`What is ${stray}? Options of terraform apply are written -name=value.`);
  }
  const hasVariables =
    existsSync('infra/terraform.tfvars') ||
    passedOn.some((arg) => /^--?var(-file)?=/.test(arg)) ||
    Boolean(process.env.TF_VAR_project_id);
  if (!hasVariables && !isDryRun) {
    throw new Error('Name the project first: cp infra/example.tfvars infra/terraform.tfvars');
  }
  const steps = terraformSteps(passedOn);
  if (isDryRun) console.log(toShell(steps).trimEnd());
  else runSteps(steps);
  return Promise.resolve();
});

function terraformSteps(passedOn: readonly string[]): Step[] {
  const terraform = ['terraform', '-chdir=infra'];
  return [
    { reason: 'Every saved query is one that BigQuery would take.', run: ['npm', 'run', 'check'] },
    { reason: 'The code agrees with itself.', run: ['npm', 'run', 'types'] },
    { reason: 'The bundle, in dist/.', run: ['npm', 'run', 'bundle'] },
    { reason: 'The providers, in the versions of infra/.', run: [...terraform, 'init'] },
    {
      reason: 'Shows what changes, asks, and changes it.',
      run: [...terraform, 'apply', '-var=source_zip=../dist/function.zip', ...passedOn],
    },
  ];
}
