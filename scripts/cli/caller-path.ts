// Reads paths as the user meant them: npm starts every command at the top of the project, wherever it is called.
import { isAbsolute, relative, resolve } from 'node:path';

/**
 * For a command, such as `npm run check --`: turns a path that is relative to the directory where the user called npm
 * into one that is relative to this process's. A command that npm did not start has only the one directory.
 */
export function pathOfCaller(
  usage: string,
  {
    npm_lifecycle_event: script,
    INIT_CWD: directory,
  }: Readonly<Record<string, string | undefined>>,
): (given: string) => string {
  const [, name] = /^npm (?:run )?(\S+)/.exec(usage) ?? [];
  const here = process.cwd();
  // Other scripts of npm, such as the tests, run commands too.
  if (script !== name || directory === undefined || directory === here) return (given) => given;
  // An option in the place of a path stays one, so that it is refused.
  return (given) =>
    given.startsWith('--') || isAbsolute(given)
      ? given
      : relative(here, resolve(directory, given)) || '.';
}
