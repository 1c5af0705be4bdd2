// Terraform's state: put back after a killed run, and changed where only the state protects a table.
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../functions/core/json.ts';
import { type Loss, TABLE } from './planned-losses.ts';

/**
 * Terraform does not write a local file at once: a process that is killed leaves it empty or cut off. Terraform takes an empty file for the state of nothing, and would create everything again, keys too. With `adopt` the
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

/** The state without the protection of tables whose loss is allowed, as the text of a newer state. */
export function withoutProtection(state: string, losses: readonly Loss[]): string {
  const { serial, resources, ...others } = JSON.parse(state) as State;
  const ids = losses.map(({ id }) => id);
  const opened = resources.map((resource) => {
    const instances = resource.instances.map((instance) => {
      const { attributes, index_key: key } = instance;
      const address = `${resource.type}.${resource.name}${key === undefined ? '' : `[${JSON.stringify(key)}]`}`;
      if (resource.type === TABLE && ids.includes(`table:${attributes.table_id}`)) {
        return { ...instance, attributes: { ...attributes, deletion_protection: false } };
      }
      if (attributes.delete_contents_on_destroy !== undefined && ids.includes(address)) {
        return { ...instance, attributes: { ...attributes, delete_contents_on_destroy: true } };
      }
      return instance;
    });
    return { ...resource, instances };
  });
  return JSON.stringify({ ...others, serial: serial + 1, resources: opened });
}

interface State {
  serial: number;
  resources: { type: string; name: string; instances: Instance[] }[];
}

interface Instance {
  index_key?: string | number;
  attributes: { table_id?: string; delete_contents_on_destroy?: boolean };
}
