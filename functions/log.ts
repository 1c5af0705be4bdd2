// The structured log: one JSON line per event on stdout, with the field names of Cloud Logging; also for what else the process prints.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { describeError } from './core/errors.ts';
import type { Log, Severity } from './core/services.ts';

const RANK: Record<Severity, number> = { DEBUG: 0, INFO: 1, WARNING: 2, ERROR: 3 };

/** https://cloud.google.com/logging/docs/structured-logging; lines below `level` are dropped. */
export function createLog(
  level: string,
  writeLine: (line: string) => void = createLineWriter(process.stdout),
): Log {
  const least = RANK[level.toUpperCase() as Severity];
  return {
    write(severity, message, fields) {
      if (RANK[severity] < least) return;
      const rest = JSON.stringify(withErrorText(fields)).slice(1, -1);
      const start = `"severity":"${severity}","message":${JSON.stringify(message)}`;
      writeLine(rest === '' ? `{${start}}` : `{${start},${rest}}`);
    },
  };
}

/** The fields with a text for what was thrown. Not copied without one: a copy for each line would cost more than the line. */
export function withErrorText(fields: Record<string, unknown> = {}): Record<string, unknown> {
  const { error = '' } = fields;
  return typeof error === 'string' ? fields : { ...fields, error: describeError(error) };
}

/** Lines of one turn of the event loop are written together: a system call for each would take a tenth of a hit. */
function createLineWriter(stream: NodeJS.WriteStream): (line: string) => void {
  let pending = '';
  // With LOG_EXECUTION_ID the functions framework joins all that a request writes into one line.
  const outsideRequests = AsyncLocalStorage.snapshot();
  const flush = (): void => {
    if (pending !== '') outsideRequests(() => stream.write(pending));
    pending = '';
  };
  process.on('exit', flush);
  // The reader of the log has closed the pipe; the service continues without a log.
  stream.on('error', () => undefined);
  return (line) => {
    if (pending === '') setImmediate(flush);
    pending += `${line}\n`;
  };
}

/** Sends what the functions framework and libraries print (console, warnings, fatal errors) through the log. An unhandled error is logged, then `end` is called. */
export function logProcessOutput(log: Log, end: () => void): void {
  globalThis.console = new Console(logStream(log, 'INFO'), logStream(log, 'ERROR'));
  globalThis.console.warn = new Console(logStream(log, 'WARNING')).log;

  // Node's own listener prints text.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    log.write('WARNING', describeError(warning), { event: 'process_warning' });
  });

  // Added before the framework's listeners, which send text to the caller of the latest request.
  const crash = (error: unknown): void => {
    log.write('ERROR', 'An unhandled error ends the process.', { event: 'crash', error });
    end();
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}

/** Returns the value of a start-up step; if it throws, the process logs one line and exits with code 1. */
export function startStep<T>(log: Log, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const message = `The function cannot start. ${describeError(error)}`;
    log.write('ERROR', message, { event: 'start_failed' });
    process.exit(1);
  }
}

/** Each console call makes one write. */
function logStream(log: Log, severity: Severity): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      // The log contains no stack traces.
      const message = text.replace(/\n\s+at .*/g, '').trimEnd();
      log.write(severity, message, { event: 'console' });
      done();
    },
  });
}
