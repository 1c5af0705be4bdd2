// Tells whether files have changed, without reading them.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Of the named files of a folder, else of all in it; each may be missing, and the folder too. */
export function stampsIn(
  folder: string,
  names: readonly string[] = existsSync(folder) ? readdirSync(folder) : [],
): string {
  const stats = names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false }));
  return JSON.stringify(stats.map((stat) => stat && [stat.size, stat.mtimeMs, stat.ino]));
}
