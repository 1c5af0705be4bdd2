// One JSON line per event on stdout, with the field names that Cloud Logging reads.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log, Severity } from './core/log.ts';

const RANK: Record<Severity, number> = { DEBUG: 0, INFO: 1, WARNING: 2, ERROR: 3 };

/** https://cloud.google.com/logging/docs/structured-logging; lines below `level` are dropped. */
export function createLog(
  level: Lowercase<Severity>,
  writeLine: (line: string) => void = createLineWriter(process.stdout),
): Log {
  const least = RANK[level.toUpperCase() as Severity];
  return {
    write(severity, message, fields) {
      if (RANK[severity] < least) return;
      // Joined as text: a copy of the fields for each line would cost more than the line.
      const rest = fields === undefined ? '' : JSON.stringify(fields).slice(1, -1);
      const start = `"severity":"${severity}","message":${JSON.stringify(message)}`;
      writeLine(rest === '' ? `{${start}}` : `{${start},${rest}}`);
    },
  };
}

/**
 * Lines written within one turn of the event loop go out together at its end, microseconds after the
 * answers they are about: a call of the operating system for each would cost a tenth of a hit.
 */
function createLineWriter(stream: NodeJS.WriteStream): (line: string) => void {
  let pending = '';
  // With LOG_EXECUTION_ID the functions framework makes one line of what is written within a request.
  const outsideRequests = AsyncLocalStorage.snapshot();
  const flush = (): void => {
    if (pending !== '') outsideRequests(() => stream.write(pending));
    pending = '';
  };
  process.on('exit', flush);
  // Whoever read the log has gone: that is no reason to stop answering.
  stream.on('error', () => undefined);
  return (line) => {
    if (pending === '') setImmediate(flush);
    pending += `${line}\n`;
  };
}
