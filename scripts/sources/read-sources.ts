// Reads the sources: a folder of `sql/sources` for each, with its schema and its table definition.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableField } from '../local/googlesql/table-schema.ts';
import type { Source, TableDefinition } from './source.ts';

const PLAIN_TABLE: TableDefinition = {
  partitioning: null,
  clustering: [],
  requirePartitionFilter: false,
};

/** Sources by the name of their folder, in alphabetical order. Throws an Error of one line. */
export async function readSources(directory: string): Promise<Source[]> {
  const folders = (await readdir(directory, { withFileTypes: true }))
    .filter((item) => item.isDirectory())
    .map(({ name }) => name)
    .sort();
  return await Promise.all(
    folders.map(async (name) => ({
      name,
      fields: await readSchema(directory, join(name, 'schema.json')),
      definition: await readDefinition(directory, join(name, 'table.json')),
    })),
  );
}

async function readSchema(directory: string, file: string): Promise<TableField[]> {
  const fields = await readJson(directory, file);
  if (!Array.isArray(fields)) throw new Error(`${file}: expected a list of columns`);
  return fields as TableField[];
}

async function readDefinition(directory: string, file: string): Promise<TableDefinition> {
  if (!existsSync(join(directory, file))) return PLAIN_TABLE;
  const given = (await readJson(directory, file)) as Partial<TableDefinition>;
  return { ...PLAIN_TABLE, ...given };
}

async function readJson(directory: string, file: string): Promise<unknown> {
  const text = await readFile(join(directory, file), 'utf8');
  try {
    return JSON.parse(text);
  } catch (err) {
    throw new Error(`${file}: ${(err as Error).message}`, { cause: err });
  }
}
