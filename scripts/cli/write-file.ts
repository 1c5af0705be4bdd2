// Writes a file atomically: readers see either the old or the new content.
import { existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { errorCode, errorMessage } from '../../functions/core/describe-error.ts';

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
      writeFileSync(unfinished, content, before === undefined ? {} : { mode: before.mode });
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

export function reasonOf(error: unknown): string {
  return REASONS.get(errorCode(error)) ?? errorMessage(error);
}

const REASONS = new Map<unknown, string>([
  ['ENOENT', 'its directory is missing'],
  ['ELOOP', 'it is a circular link'],
  ['ENOTDIR', 'a part of its path is a file'],
  ['EISDIR', 'it is a directory'],
  ['EEXIST', 'a file with that name exists'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full'],
]);
