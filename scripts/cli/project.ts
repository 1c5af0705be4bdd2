// The paths of this project, so that commands work from any directory.
import { join, relative } from 'node:path';

/** The folder with package.json. */
export const PROJECT_DIRECTORY = join(import.meta.dirname, '../..');

/** A path inside the project, relative to the current directory, as messages show it. */
export function projectPath(path: string): string {
  return relative(process.cwd(), join(PROJECT_DIRECTORY, path)) || '.';
}
