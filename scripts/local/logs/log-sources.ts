/** Reads the log sources: one BigQuery table schema per file of `sql/sources`. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Table } from '../googlesql/engine-catalogue.ts';
import type { TableField } from '../googlesql/table-schema.ts';

/** Tables by name of their schema file, in alphabetical order. Throws an Error of one line. */
export async function readLogSources(directory: string): Promise<Table[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.json')).sort();
  return await Promise.all(
    files.map(async (file) => ({
      name: basename(file, '.json'),
      fields: schema(await readFile(join(directory, file), 'utf8'), file),
    })),
  );
}

function schema(text: string, file: string): TableField[] {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch (err) {
    throw new Error(`${file}: ${(err as Error).message}`, { cause: err });
  }
  if (!Array.isArray(fields)) throw new Error(`${file}: expected a list of columns`);
  return fields as TableField[];
}
