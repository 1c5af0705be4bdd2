// Writes a new folder as a whole: either all of its files are there, or none.
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../functions/core/describe-error.ts';

/**
 * Copies `from` to `folder`, which does not exist, by way of a folder beside its parent. No signal can come in
 * between, because nothing here waits. Throws one sentence.
 */
export function writeFolder(from: string, folder: string): void {
  requireNew(folder);
  const parent = dirname(folder);
  let unfinished: string | undefined;
  try {
    mkdirSync(parent, { recursive: true });
    unfinished = mkdtempSync(join(dirname(parent), '.new-'));
    const copy = join(unfinished, 'folder');
    cpSync(from, copy, { recursive: true });
    requireNew(folder);
    renameSync(copy, folder);
  } catch (error) {
    const message = `${folder}: cannot be written, so nothing was: ${errorMessage(error)}`;
    throw new Error(message, { cause: error });
  } finally {
    if (unfinished !== undefined) rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Throws if the folder exists. */
export function requireNew(folder: string): void {
  if (existsSync(folder)) throw new Error(`${folder} exists already; nothing was changed.`);
}
