// Reads the file that `sql/` is compiled into (scripts/compile/inspect-catalogue.ts), at the start of the functions.
import { readFileSync } from 'node:fs';
import { errorMessage } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { EndpointContent } from './endpoint.ts';

/** Increment when the compiler's output changes: older code would misread the file. */
export const COMPILER_VERSION = 7;

export const COMPILED_CATALOGUE = 'catalogue.json';

/** Throws an Error that states what to do. */
export function readCompiled(file: string): EndpointContent[] {
  let compiled: unknown;
  try {
    compiled = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(
      `The compiled catalogue ${file} cannot be read: ${errorMessage(error)}. npm run bundle writes it.`,
      { cause: error },
    );
  }
  const { version, endpoints } = isObject(compiled) ? compiled : {};
  if (version !== COMPILER_VERSION || !Array.isArray(endpoints)) {
    throw new Error(
      `The compiled catalogue ${file} is of version ${String(version)}, and these functions read version ${COMPILER_VERSION}: compile it again with npm run bundle.`,
    );
  }
  // The compiler of this version has checked each endpoint.
  return endpoints as EndpointContent[];
}
