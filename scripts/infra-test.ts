// `npm run infra:test`: Terraform's own checks of infra/, as far as this machine can have them.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { exitWithUsage, runCommand } from './cli/command.ts';

const USAGE = `Usage: npm run infra:test

Checks the formatting of infra/, and where the provider can be had runs terraform init, validate and
test. Nothing is deployed, and no credentials are needed.

  --help   this text
`;

await runCommand(() => {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } });
  if (values.help) exitWithUsage(USAGE);
  if (spawnSync('terraform', ['version']).error !== undefined) {
    console.log('terraform is not installed: infra/ is not checked by it.');
    return Promise.resolve();
  }
  terraform('fmt', '-check', '-recursive', '-diff', 'infra');
  const init = spawnSync('terraform', ['-chdir=infra', 'init', '-backend=false', '-input=false']);
  if (init.status !== 0) {
    console.log('The provider cannot be had here: infra/ is checked for its formatting alone.');
    return Promise.resolve();
  }
  terraform('-chdir=infra', 'validate');
  terraform('-chdir=infra', 'test');
  return Promise.resolve();
});

/** Runs terraform with its output shown; throws when it fails. */
function terraform(...args: string[]): void {
  const { status } = spawnSync('terraform', args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`terraform ${args.join(' ')} failed`);
}
