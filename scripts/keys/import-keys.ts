// Plans and writes the import of exported keys: which are new, the same, or others than in the database.
import { type ApiKey, digestOf, keyIdOf } from '../../functions/core/key-store.ts';
import { endMsOf } from '../../functions/keys/access.ts';
import { counted, formatTable, someNames } from '../cli/table.ts';
import { type ExportedKey, formatExported, isManagedByTerraform, recordOf } from './key-records.ts';
import type { KeyRegister } from './key-register.ts';

type Stored = Awaited<ReturnType<KeyRegister['list']>>;
type Action = 'new' | 'unchanged' | 'overwritten' | 'left out';
type Planned = ExportedKey & { action: Action };

interface ImportOptions {
  overwrite: boolean;
  /** Whether a key may become valid for longer than it is in the database. */
  revive: boolean;
  includeTerraform: boolean;
}

/** Plans one key after the other. Throws an Error for one that may not be imported. */
export function createImportPlan(stored: Stored, options: ImportOptions, nowMs: number) {
  const lines = new Map<string, number>();
  return (exported: ExportedKey, line: number): Planned => {
    const { hash, key } = exported;
    const first = lines.get(hash);
    if (first !== undefined) throw new Error(`the hash is that of line ${first} too`);
    lines.set(hash, line);
    const planned = (action: Action): Planned => ({ ...exported, action });
    if (isManagedByTerraform(key) && !options.includeTerraform) return planned('left out');
    const present = stored.get(hash);
    if (present === undefined) return planned('new');
    const { key: old } = present;
    if (old && formatExported({ hash, key: old }) === formatExported(exported)) {
      return planned('unchanged');
    }
    const what = `${key.name} (${keyIdOf(digestOf(hash))})`;
    if (!options.overwrite) {
      const fields =
        old === undefined ? 'is no valid key there' : `differs in ${changedFields(old, key)}`;
      throw new Error(`${what} is in the database, where it ${fields}: --overwrite replaces it`);
    }
    if (!options.revive && endMsOf(key) > Math.max(old ? endMsOf(old) : -Infinity, nowMs)) {
      const end = old && endMsOf(old) > nowMs ? 'ends earlier' : 'is not valid';
      throw new Error(`${what} ${end} in the database: --revive lets it be valid for longer`);
    }
    return planned('overwritten');
  };
}

function changedFields(a: ApiKey, b: ApiKey): string {
  const [from, to] = [recordOf(a), recordOf(b)];
  const differs = (field: string) => JSON.stringify(from[field]) !== JSON.stringify(to[field]);
  return Object.keys(from).filter(differs).join(', ');
}

/** A repeat is safe, and continues where this was interrupted. */
export async function importKeys(
  store: KeyRegister,
  stored: Stored,
  plan: readonly Planned[],
  note: (line: string) => void,
): Promise<void> {
  const writes = plan
    .filter(({ action }) => action === 'new' || action === 'overwritten')
    .map(({ hash, key }) => ({ id: hash, key, seen: stored.get(hash)?.seen }));
  await store.write(writes, { goOn: 'The others are not: run the command again.', note });
}

/** What is done with each key, as a table. */
export function formatPlan(plan: readonly Planned[]): string {
  return formatTable(
    plan.map(({ action, hash, key }) => [action, key.name, keyIdOf(digestOf(hash))]),
  );
}

/** How many keys are new and so on. Of those left out, what to do, and of those that become valid again, the names. */
export function summarise(plan: readonly Planned[], stored: Stored, nowMs: number): string[] {
  const of = (action: Action) => plan.filter((one) => one.action === action);
  const counts = (['new', 'overwritten', 'unchanged'] as const).map(
    (action) => `${of(action).length} ${action}`,
  );
  const left = of('left out').map(({ key }) => key.name);
  const revived = of('overwritten').filter(({ hash, key }) => {
    const old = stored.get(hash)?.key;
    return endMsOf(key) > nowMs && (old === undefined || endMsOf(old) <= nowMs);
  });
  return [
    `${counted(plan.length - left.length, 'key')}: ${counts.join(', ')}.`,
    ...(revived.length > 0
      ? [`Valid again: ${revived.map(({ key }) => key.name).join(', ')}.`]
      : []),
    ...(left.length > 0
      ? [
          `Left out, because Terraform manages ${left.length === 1 ? 'it' : 'them'}: ${someNames(left)}. The next apply writes what api_keys declares.`,
        ]
      : []),
  ];
}
