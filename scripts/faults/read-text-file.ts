// Reads a file of `sql/` as text.
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { errorCode } from '../../functions/core/describe-error.ts';
import type { DefinitionFault } from './definition-fault.ts';

/** Completes "the file …" for text in another encoding. */
export const NOT_UTF8 = 'is not UTF-8: save it in this encoding';

class EncodingError extends Error {
  /** The first line that is not UTF-8, counted from 1. */
  readonly line: number;

  constructor(file: string, bytes: Buffer) {
    super(`${file} ${NOT_UTF8}`);
    const lines = bytes.toString('latin1').split('\n');
    this.line = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1'))) + 1;
  }
}

/** The text without a byte order mark. Throws for anything but a file; reading a pipe would wait for a writer. */
export function readTextFile(file: string): string {
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file.`);
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new EncodingError(file, bytes);
  return bytes.toString().replace(/^\uFEFF/, '');
}

/** Undefined if the file cannot be read, which is a fault; that it is missing is one if `missing` says so. */
export function readText(
  file: string,
  faults: DefinitionFault[] = [],
  missing?: string,
): string | undefined {
  try {
    return readTextFile(file);
  } catch (error) {
    if (error instanceof EncodingError) {
      faults.push({ file, line: error.line, message: NOT_UTF8 });
    } else if (errorCode(error) !== 'ENOENT') faults.push({ file, message: 'cannot be read' });
    else if (missing !== undefined) faults.push({ file, message: missing });
    return undefined;
  }
}
