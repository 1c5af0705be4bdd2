// Reads a file of `sql/` as text.
import { readFileSync, statSync } from 'node:fs';

/** Throws for anything but a file; reading a pipe would wait for a writer. */
export function readTextFile(file: string): string {
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file.`);
  return readFileSync(file, 'utf8');
}
