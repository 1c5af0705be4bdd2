// Terraform's state in a local file, which Terraform does not write at once: a process that is killed then leaves it empty or cut off.
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../functions/core/json.ts';

/**
 * Terraform takes an empty file for the state of nothing, and would create everything again, keys too. With `adopt` the
 * backup, the state before the last operation, takes its place. Throws without.
 */
export function restoreState(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
  adopt = false,
): string | undefined {
  const selected = join(directory, '.terraform/environment');
  const workspace =
    env.TF_WORKSPACE || (existsSync(selected) ? readFileSync(selected, 'utf8').trim() : 'default');
  const folder = workspace === 'default' ? '' : join('terraform.tfstate.d', workspace);
  const file = join(directory, folder, 'terraform.tfstate');
  const backup = `${file}.backup`;
  if (!existsSync(file) || isWhole(file)) return undefined;
  const hasBackup = existsSync(backup) && isWhole(backup);
  const remedy = hasBackup ? `continues from ${backup}` : 'begins without a state';
  if (!adopt) {
    throw new Error(
      `${file} is empty or cut off: an earlier run was ended while it wrote the file. Run it again with --adopt, which ${remedy} and takes over what exists.`,
    );
  }
  if (hasBackup) copyFileSync(backup, file);
  else rmSync(file);
  return `${file} is empty or cut off: this run ${remedy}.`;
}

const isWhole = (file: string): boolean => parseJson(readFileSync(file, 'utf8')) !== undefined;
