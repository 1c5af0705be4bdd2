// What a process prints by itself (console, warnings, fatal errors) goes through the log.
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import type { Log, Severity } from './core/log.ts';
import { describeError } from './core/describe-error.ts';

/**
 * From now on every line of stdout and stderr is one JSON object, also where the functions framework
 * or a library writes it. An error that nothing handles is logged, then `end` is called.
 */
export function logProcessOutput(log: Log, end: () => void): void {
  const consoleAt = (severity: Severity): Console => new Console(logStream(log, severity));
  globalThis.console = new Console(logStream(log, 'INFO'), logStream(log, 'ERROR'));
  globalThis.console.warn = consoleAt('WARNING').log;

  // Node's own listener prints text.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    log.write('WARNING', describeError(warning), { event: 'process_warning' });
  });

  // Before those of the framework, which send text to the caller of the latest request.
  const crash = (error: unknown): void => {
    log.write('ERROR', 'An error that nothing handles ends the process.', {
      event: 'crash',
      error: describeError(error),
    });
    end();
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}

/** The value of a step of the start; where it throws, the process ends with one line and code 1. */
export function startStep<T>(log: Log, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const message = `The function cannot start. ${describeError(error)}`;
    log.write('ERROR', message, { event: 'start_failed' });
    process.exit(1);
  }
}

/** One call of the console is one write. */
function logStream(log: Log, severity: Severity): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      // Stack traces do not belong into the log.
      const message = text.replace(/\n\s+at .*/g, '').trimEnd();
      log.write(severity, message, { event: 'console' });
      done();
    },
  });
}
