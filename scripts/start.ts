// `npm start`: runs the local service.
import { Option } from '@commander-js/extra-typings';
import { SETTINGS } from '../functions/config.ts';
import { SIGNALS, type Terminal, UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { parseSeconds, requireSqlDirectory, sqlOption } from './cli/options.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import type { BigQueryPlace } from './start/google-bigquery.ts';
import { createProgress } from './cli/progress.ts';

export const main = createMain('npm start --', (program, terminal) => {
  program
    .addOption(new Option('--logs <dir>').conflicts('bigquery'))
    .addOption(sqlOption())
    .option('--bigquery <project>')
    .option('--dataset <name>')
    .option('--location <location>')
    .option('--warm-seconds <n>', '', parseSeconds)
    .addOption(new Option('--query-seconds <n>').argParser(parseSeconds).conflicts('bigquery'))
    .action(async ({ logs, querySeconds, sql, warmSeconds, ...given }) => {
      const bigquery = bigQueryPlace(given, terminal.env);
      const sqlDirectory = requireSqlDirectory(sql);
      const progress = createProgress(terminal.print, 'loading the code');
      const interrupted = new AbortController();
      const interrupt = (): void => interrupted.abort();
      // The listener stays: a second Ctrl-C must not leave the functions running.
      for (const signal of SIGNALS) process.on(signal, interrupt);
      const stopWatching = onLauncherEnd(terminal.env, interrupt);
      try {
        // Loaded here, because it takes a second, during which progress is shown.
        const { runLocalService } = await import('./start/local-service.ts');
        const byDefault = bigquery ? undefined : WARM_SECONDS;
        await runLocalService({
          ...{ sqlDirectory, logsDirectory: logs, querySeconds, bigquery, terminal, progress },
          warmSeconds: warmSeconds ?? byDefault,
          signal: interrupted.signal,
        });
      } finally {
        progress.stop();
        stopWatching();
        for (const signal of SIGNALS) process.off(signal, interrupt);
      }
    });
  const { bigquery_dataset: dataset, bigquery_location: location } = DEPLOYMENT;
  addHelp(program, 'start', { dataset, location, seconds: String(WARM_SECONDS) });
});

const WARM_SECONDS = 300;

/** Undefined without --bigquery. */
function bigQueryPlace(
  { bigquery, dataset, location }: Record<string, string | undefined>,
  env: Terminal['env'],
): BigQueryPlace | undefined {
  if (bigquery === undefined) {
    if (dataset !== undefined) throw new UsageError('--dataset needs --bigquery.');
    if (location !== undefined) throw new UsageError('--location needs --bigquery.');
    return undefined;
  }
  return {
    project: bigquery,
    dataset: dataset ?? (env[SETTINGS.dataset.name] || DEPLOYMENT.bigquery_dataset),
    location: location ?? (env[SETTINGS.location.name] || DEPLOYMENT.bigquery_location),
  };
}

const LOOK_MS = 500;

/**
 * Calls `ended` once npm has ended, which does not end the programs that it started; package.json starts this one with
 * `exec`, so that no shell stays between the two. Does nothing if the program was not started by npm: its parent may then
 * end first on purpose (nohup). Returns a function that stops the watch.
 */
function onLauncherEnd(env: Terminal['env'], ended: () => void): () => void {
  if (env.npm_lifecycle_event === undefined) return () => undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    // A process whose parent has ended gets another one, even if the old one is a zombie.
    if (process.ppid === parent) return;
    clearInterval(timer);
    ended();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

if (import.meta.main) void runMain(main);
