// The option `--sql`: the directory of saved queries.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { projectPath } from './project.ts';

/** The option `--sql`; its default is the project's own directory, wherever the command runs. */
export function sqlOption() {
  return new Option('--sql <dir>', 'the directory of saved queries').default(projectPath('sql'));
}

/** Throws for a directory that is missing or holds no saved queries. */
export function requireSqlDirectory(directory: string): string {
  if (!existsSync(directory)) throw new Error(`There is no directory ${directory} (--sql).`);
  if (existsSync(join(directory, 'endpoints'))) return directory;
  throw new Error(`${directory} holds no saved queries: it has no directory endpoints (--sql).`);
}
