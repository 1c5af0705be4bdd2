// Deploys saved queries that have been checked: what both ways to deploy run first, and --dry-run of both.
import { relative, resolve } from 'node:path';
import type { Terminal } from '../cli/command.ts';
import { PROJECT_DIRECTORY } from '../cli/project.ts';
import { requireSqlDirectory } from '../cli/sql-directory.ts';
import { type Argv, type Step, runSteps, toShell } from './command-steps.ts';

/** A run of the `warm` in this bundle, to its end. */
export function warmRun(bundle: string, place: readonly string[]): Argv {
  return [...['npm', 'run', 'warm', '--', 'run', '--wait', `--bundle=${bundle}`], ...place];
}

/**
 * The steps run at the top of the project. With `isDryRun` only the checks run, and all steps are printed as a shell
 * script; what the checks print goes to standard error.
 */
export async function deployChecked(
  sqlDirectory: string,
  stepsOf: (sqlFromTop: string) => readonly Step[],
  { env, print, note, ask }: Terminal,
  isDryRun = false,
): Promise<void> {
  const sql = relative(PROJECT_DIRECTORY, resolve(requireSqlDirectory(sqlDirectory)));
  const npmRun = (script: string): string[] => [
    ...['npm', 'run', script],
    ...(sql === 'sql' ? [] : ['--', '--sql', sql]),
  ];
  const checks: Step[] = [
    { reason: 'Every saved query is valid.', run: npmRun('check') },
    { reason: 'The types are right.', run: ['npm', 'run', 'types'] },
  ];
  const bundle = { reason: 'The bundle, in dist/.', run: npmRun('bundle') };
  const steps = [...checks, bundle, ...stepsOf(sql)];
  const place = { directory: PROJECT_DIRECTORY, env, print, ask };
  if (!isDryRun) return runSteps(steps, place);
  await runSteps(checks, { ...place, print: note, output: 'stderr' });
  print(`#!/usr/bin/env bash\nset -euo pipefail\n\n${toShell(steps).trimEnd()}`);
}
