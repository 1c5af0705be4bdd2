// `npm start`: runs the local service.
import { createMain, runMain } from './cli/command.ts';
import { requireSqlDirectory, sqlOption } from './cli/sql-directory.ts';
import { runLocalService } from './local/local-service.ts';
import { onLauncherEnd } from './local/on-launcher-end.ts';

export const main = createMain('npm start --', (program, terminal) =>
  program
    .description(
      "Serves the saved queries on this machine: the functions under Google's functions framework, a local BigQuery on GoogleSQL's reference engine, and a Firestore emulator.",
    )
    .option(
      '--logs <dir>',
      'the rows of the tables, as "bq extract" writes them: for each folder NAME of sql/sources a file DIR/NAME.ndjson or .json, or shards DIR/NAME-000000000000.ndjson, also with .gz (default: sample rows)',
      terminal.path,
    )
    .addOption(sqlOption(terminal))
    .option(
      '--warm-seconds <n>',
      'interval at which results that were read recently are refreshed',
      '300',
    )
    .addHelpText(
      'after',
      `
Environment:
  PORT                      port of the service (default: 8080)
  WARM_PORT                 port of the warming function (default: PORT + 1)
  LOCAL_API_KEY             the API key that works (default: local-dev-key)
  CONSOLE                   whether / is the console (default here: on)
  FIRESTORE_EMULATOR_HOST   a running Firestore emulator; otherwise one is started
  and every setting of the service (see functions/README.md)

Example:
  PORT=9000 npm start -- --logs my-logs`,
    )
    .action(async ({ logs, sql, warmSeconds }) => {
      const interrupted = new AbortController();
      const interrupt = (): void => interrupted.abort();
      // The listener stays: a second Ctrl-C must not leave the functions running.
      for (const signal of SIGNALS) process.on(signal, interrupt);
      const stopWatching = onLauncherEnd(terminal.env, interrupt);
      try {
        await runLocalService({
          sqlDirectory: requireSqlDirectory(sql),
          logsDirectory: logs,
          warmSeconds: parseSeconds(warmSeconds),
          terminal,
          signal: interrupted.signal,
        });
      } finally {
        stopWatching();
        for (const signal of SIGNALS) process.off(signal, interrupt);
      }
    }),
);

/** Ctrl-C, `kill`, and the end of the terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds < 1 || seconds > 86_400) {
    throw new Error(`--warm-seconds must be a whole number from 1 to 86400, not ${text}.`);
  }
  return seconds;
}

if (import.meta.main) void runMain(main);
