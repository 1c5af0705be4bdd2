// Runs Terraform on parts of infra/ that need no provider, in a directory of the test's own.
import { spawnSync } from 'node:child_process';

const isInstalled = spawnSync('terraform', ['version']).error === undefined;

/** Tests that need Terraform, and are skipped without it. */
export const describeWithTerraform = (name: string, tests: () => void): void =>
  isInstalled
    ? describe(name, tests)
    : describe.skip(`${name} (skipped: terraform is not installed)`, tests);

/** Its status and what it printed, errors too. Reads no settings of this machine and asks no server. */
export function terraform(directory: string, args: string[], input = '') {
  const { PATH } = process.env;
  const { status, stdout, stderr } = spawnSync('terraform', args, {
    cwd: directory,
    input,
    encoding: 'utf8',
    env: { PATH, HOME: directory, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' },
  });
  return { status, output: status === 0 ? stdout : `${stdout}${stderr}` };
}

/** The value of an expression over the files in `directory`. */
export function evaluate(directory: string, expression: string): unknown {
  const { status, output } = terraform(directory, ['console'], `jsonencode(${expression})\n`);
  if (status !== 0) throw new Error(output);
  return JSON.parse(JSON.parse(output) as string);
}
