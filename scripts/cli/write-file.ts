// Writes a file atomically: readers see either the old or the new content.
import { existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';
import { errorMessage } from '../../functions/core/describe-error.ts';
import { isObject } from '../../functions/core/json.ts';

/**
 * Writes next to the file and renames, without interruption by a signal. Throws one sentence; then the file is unchanged.
 * `mode` is by default that of the file.
 */
export function writeFile(file: string, content: string | Uint8Array, mode?: number): void {
  try {
    const before = statSync(file, { throwIfNoEntry: false });
    // A pipe or a terminal, such as /dev/stdout.
    if (before !== undefined && !before.isFile()) return writeFileSync(file, content);
    // A symbolic link stays one.
    const target = before === undefined ? file : realpathSync(file);
    const unfinished = `${target}.${process.pid}`;
    try {
      writeFileSync(unfinished, content, { mode: mode ?? before?.mode });
      renameSync(unfinished, target);
    } finally {
      if (existsSync(unfinished)) rmSync(unfinished);
    }
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

export function cannotWrite(path: string, error: unknown): Error {
  return new Error(`${path} cannot be written: ${reasonOf(error)}.`, { cause: error });
}

/** As the operating system says it. */
export function reasonOf(error: unknown): string {
  const number = isObject(error) ? error.errno : undefined;
  return typeof number === 'number' ? getSystemErrorMessage(number) : errorMessage(error);
}
