// Reads a file of `sql/` as text.
import { readFileSync, statSync } from 'node:fs';

/** Throws for anything but a file; reading a pipe would wait for a writer. */
export function readTextFile(file: string): string {
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file.`);
  return readFileSync(file, 'utf8');
}

/** Undefined if the file cannot be read, which is a fault if `faults` is given. */
export function readText(
  file: string,
  faults?: { file: string; message: string }[],
): string | undefined {
  try {
    return readTextFile(file);
  } catch {
    faults?.push({ file, message: 'cannot be read' });
    return undefined;
  }
}
