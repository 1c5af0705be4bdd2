// The option `--sql`: the directory of saved queries.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import type { Caller } from './command.ts';
import { projectPath } from './project.ts';

/** The option `--sql`; its default is the project's own directory, wherever the command runs. */
export function sqlOption({ path }: Caller) {
  return new Option('--sql <dir>', 'the directory of saved queries')
    .default(projectPath('sql'))
    .argParser(path);
}

/** Throws for a directory that is missing or holds no saved queries. */
export function requireSqlDirectory(directory: string, option = '--sql'): string {
  if (!existsSync(directory)) throw new Error(`There is no directory ${directory} (${option}).`);
  if (existsSync(join(directory, 'endpoints'))) return directory;
  throw new Error(
    `${directory} holds no saved queries: it has no directory endpoints (${option}).`,
  );
}
