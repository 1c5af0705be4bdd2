// Reads the rows of all sources from a directory: one file of newline-delimited JSON for each.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalTable } from '../bigquery/server.ts';
import type { Table } from '../googlesql/engine-catalogue.ts';
import { readRows, RowsFileError } from './read-rows.ts';

/**
 * The sources with the rows of `<directory>/<source>.ndjson`, which are read as they are asked for.
 * Throws `RowsFileError`, as the rows do.
 */
export async function readLogFiles(
  directory: string,
  sources: readonly Table[],
): Promise<LocalTable[]> {
  const found = await stat(directory).catch(() => undefined);
  if (found === undefined) throw new RowsFileError(directory, 'no such directory');
  if (!found.isDirectory()) throw new RowsFileError(directory, 'not a directory');
  return sources.map((source) => ({
    ...source,
    rows: readRows(join(directory, `${source.name}.ndjson`), source.fields),
  }));
}
