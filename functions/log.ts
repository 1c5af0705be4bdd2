// The structured log: one JSON line per event on stdout, with the field names of Cloud Logging.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Log, type Severity, withErrorText } from './core/log.ts';

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
