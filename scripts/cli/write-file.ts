// Writes a file atomically, so that readers see either the old or the new content, and gives a command a folder for drafts.
import { existsSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { errorMessage } from '../../functions/core/errors.ts';
import { isObject } from '../../functions/core/json.ts';

/** Writes next to the file and renames, without interruption by a signal. Throws one sentence; then the file is unchanged. */
export function writeFile(file: string, content: string | Uint8Array): void {
  try {
    const before = statSync(file, { throwIfNoEntry: false });
    // A pipe or a terminal, such as /dev/stdout.
    if (before !== undefined && !before.isFile()) return writeFileSync(file, content);
    // A symbolic link stays one.
    const target = before === undefined ? file : realpathSync(file);
    const unfinished = `${target}.${process.pid}`;
    try {
      writeFileSync(unfinished, content, { mode: before?.mode });
      renameSync(unfinished, target);
    } finally {
      if (existsSync(unfinished)) rmSync(unfinished);
    }
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/** Runs a part of a command with a temporary folder for this user alone, which is removed after a signal too. */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'saved-queries-'));
  const cleanUp = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', cleanUp);
  try {
    return await use(folder);
  } finally {
    process.off('exit', cleanUp);
    cleanUp();
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
