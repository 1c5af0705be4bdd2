// Drafts a new folder and writes it atomically: all of its files, or none.
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { errorMessage } from '../../functions/core/errors.ts';
import { PROJECT_DIRECTORY } from '../cli/project.ts';

/** Copies `from` to a new `folder` by way of one next to its parent, without interruption by a signal. Throws one sentence. */
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

export function requireNew(folder: string): void {
  if (existsSync(folder)) throw new Error(`${folder} already exists; nothing was changed.`);
}

/** As Prettier formats a definition: objects that fit in a line are in one line. */
export async function formatJson(value: unknown): Promise<string> {
  const options = await resolveConfig(join(PROJECT_DIRECTORY, 'package.json'));
  return await format(JSON.stringify(value), { ...options, parser: 'json' });
}
