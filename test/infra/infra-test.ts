// `npm run infra:test`: runs Terraform's checks of infra/, as far as its tools are available.
import { existsSync } from 'node:fs';
import { createMain, runMain } from '../../scripts/cli/command.ts';
import { PROJECT_DIRECTORY, projectPath } from '../../scripts/cli/project.ts';
import { runProgram } from '../../scripts/cli/run-program.ts';

export const main = createMain('npm run infra:test --', (program, { env, print }) =>
  program
    .description(
      'Checks the formatting of infra/ and, if the provider is available, runs terraform init, validate and test. Nothing is deployed, and no credentials are needed.',
    )
    .addHelpText('after', '\nExample:\n  npm run infra:test')
    .action(async () => {
      const withoutWaiting = { ...env, PROPAGATION_SECONDS: '0' };
      const terraform = (output: 'inherit' | 'ignore', ...args: string[]) =>
        runProgram(['terraform', ...args], {
          directory: PROJECT_DIRECTORY,
          env: withoutWaiting,
          output,
        });
      /** Shows the output; throws on failure. */
      const check = async (...args: string[]): Promise<void> => {
        const { isDone } = await terraform('inherit', ...args);
        if (!isDone) throw new Error(`terraform ${args.join(' ')} failed`);
      };
      if ((await terraform('ignore', 'version')).isMissing) {
        return print('terraform is not installed: infra/ was not checked.');
      }
      await check('fmt', '-check', '-recursive', '-diff', 'infra');
      const args = ['-chdir=infra', 'init', '-backend=false', '-input=false'];
      const init = await terraform('ignore', ...args);
      if (!init.isDone) {
        return print('The provider is not available: only the formatting of infra/ was checked.');
      }
      const bundle = ['node', 'scripts/bundle.ts'];
      const place = { directory: PROJECT_DIRECTORY, env, output: 'ignore' } as const;
      if (!existsSync(projectPath('dist/function.zip'))) await runProgram(bundle, place);
      await check('-chdir=infra', 'validate');
      await check('-chdir=infra', 'test');
      const beside = '-chdir=infra/examples/load-balancer';
      await check(beside, 'init', '-backend=false', '-input=false');
      await check(beside, 'validate');
    }),
);

if (import.meta.main) void runMain(main);
