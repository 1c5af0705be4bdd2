// Reads the tables that queries can name: a folder of `sql/sources` for each, with its schema.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../../functions/core/describe-error.ts';
import type { Table } from '../googlesql/engine-catalogue.ts';
import type { TableField } from '../googlesql/table-schema.ts';

/** Tables by the name of their folder, in alphabetical order. Throws an Error of one line. */
export async function readLogSources(directory: string): Promise<Table[]> {
  const folders = (await readdir(directory, { withFileTypes: true }))
    .filter((item) => item.isDirectory())
    .map(({ name }) => name)
    .sort();
  return await Promise.all(
    folders.map(async (name) => {
      const file = join(name, 'schema.json');
      return { name, fields: schema(await readFile(join(directory, file), 'utf8'), file) };
    }),
  );
}

function schema(text: string, file: string): TableField[] {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch (err) {
    throw new Error(`${file}: ${errorMessage(err)}`, { cause: err });
  }
  if (!Array.isArray(fields)) throw new Error(`${file}: expected a list of columns`);
  return fields as TableField[];
}
