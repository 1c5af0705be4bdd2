// Creates a temporary directory that is removed when the test, or this process, ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undo } from './undo.ts';

/** Removed by `remove`, and else at the end of the process, also by Ctrl-C and `kill` of a command. */
export function temporaryDirectory(prefix: string) {
  const path = mkdtempSync(join(tmpdir(), prefix));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return { path, remove };
}

/** Removed with the test, or the file of tests, that makes it; elsewhere by the caller. */
export function testDirectory(prefix: string): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  undo(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
