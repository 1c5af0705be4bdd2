// A deployment as one bash script, which is run or printed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { shellQuote } from '../../functions/console/shell-quote.ts';
import { ExitCode, type Terminal } from '../cli/command.ts';
import { PROJECT_DIRECTORY } from '../cli/project.ts';
import { requireSqlDirectory } from '../cli/options.ts';
import { runProgram } from '../cli/run-program.ts';
import { withScratch } from '../cli/write-file.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
/** What every script begins with. */
export const HEAD = read('script-head.sh');

/** The shell expands nothing: a table.json or an option may contain `$(…)`. */
export const commandLine = (argv: readonly string[]): string =>
  argv.map((text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellQuote(text))).join(' ');

/** `NAME=value` in a script, and `NAME=(a b)` for a list. */
export function assignments(values: Readonly<Record<string, string | readonly string[]>>): string {
  const lines = Object.entries(values).map(([name, value]) =>
    typeof value === 'string'
      ? `${name}=${commandLine([value])}`
      : `${name}=(${commandLine(value)})`,
  );
  return lines.join('\n');
}

/** Runs the script; its exit code is that of the command. A signal ends it after the command that it runs. */
export async function runScript(
  script: string,
  env: Terminal['env'],
  output: 'inherit' | 'stderr' = 'inherit',
): Promise<void> {
  await withScratch(async (folder) => {
    const file = join(folder, 'deploy');
    writeFileSync(file, script);
    const place = { directory: PROJECT_DIRECTORY, env, output, passesSignals: true };
    const { code, isDone, isMissing } = await runProgram(['bash', file], place);
    if (isMissing) throw new Error('bash is not installed.');
    if (!isDone) throw new ExitCode(code ?? 1);
  });
}

/**
 * Checks, bundles, and runs a script of this folder; `settings` are the lines before it. With `isDryRun` only the checks run,
 * their output on standard error, and the whole script is printed.
 */
export async function deployChecked(
  sqlDirectory: string,
  [file, settings]: readonly [file: string, settings: (sqlFromTop: string) => string],
  { env, print }: Terminal,
  isDryRun = false,
): Promise<void> {
  const sql = relative(PROJECT_DIRECTORY, resolve(requireSqlDirectory(sqlDirectory)));
  const ofSql = sql === 'sql' ? '' : ` -- --sql ${commandLine([sql])}`;
  const checks = `${HEAD}
say 'Check every saved query.'
run npm run check${ofSql}
say 'Check the types.'
run npm run types
`;
  const script = `${checks}say 'Build the bundle in dist/.'
run npm run bundle${ofSql}

${settings(sql)}

${read(file)}`;
  await runScript(isDryRun ? checks : script, env, isDryRun ? 'stderr' : 'inherit');
  if (isDryRun) print(script);
}
