// Sends what the process prints (console, warnings, fatal errors, a failed start) through the log.
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import type { Log, Severity } from './core/log.ts';
import { describeError } from './core/errors.ts';

/** Includes what the functions framework and libraries print. An unhandled error is logged, then `end` is called. */
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
