// `npm run infra:test`: runs Terraform's checks of infra/, as far as this machine can.
import { spawnSync } from 'node:child_process';
import { createMain, runMain } from './cli/command.ts';
import { PROJECT_DIRECTORY } from './cli/project.ts';

export const main = createMain('npm run infra:test --', (program, { print }) =>
  program
    .description(
      'Checks the formatting of infra/ and, if the provider is available, runs terraform init, validate and test. Nothing is deployed, and no credentials are needed.',
    )
    .addHelpText('after', '\nExample:\n  npm run infra:test')
    .action(() => {
      if (spawnSync('terraform', ['version']).error !== undefined) {
        return print('terraform is not installed: infra/ was not checked.');
      }
      terraform('fmt', '-check', '-recursive', '-diff', 'infra');
      const init = spawnSync(
        'terraform',
        ['-chdir=infra', 'init', '-backend=false', '-input=false'],
        { cwd: PROJECT_DIRECTORY },
      );
      if (init.status !== 0) {
        return print('The provider is not available: only the formatting of infra/ was checked.');
      }
      terraform('-chdir=infra', 'validate');
      terraform('-chdir=infra', 'test');
    }),
);

/** Runs terraform with its output shown; throws when it fails. */
function terraform(...args: string[]): void {
  const { status } = spawnSync('terraform', args, { stdio: 'inherit', cwd: PROJECT_DIRECTORY });
  if (status !== 0) throw new Error(`terraform ${args.join(' ')} failed`);
}

if (import.meta.main) void runMain(main);
