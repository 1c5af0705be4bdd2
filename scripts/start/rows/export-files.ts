// Tells which files of a directory hold the rows of which table, by their names.

import { RowsFileError } from '../../sources/read-rows.ts';

interface ExportFiles {
  /** The names of the files of each table, in the order of their shards; empty for a table without files. */
  files: ReadonlyMap<string, readonly string[]>;
  /** The names of files that are named after a table and are not read, in alphabetical order. */
  others: readonly string[];
  /** For each table with shards that are not there, the number of the first. */
  gaps: ReadonlyMap<string, number>;
}

interface ExportFile {
  name: string;
  /** The number of a shard. */
  shard: number | undefined;
}

/** What follows the name of the table: `.ndjson`, `.json.gz`, `-000000000001.ndjson.gz`. */
const SUFFIX = /^(?:-(\d+))?\.(?:ndjson|json)(?:\.gz)?$/;

/** Throws `RowsFileError` if two files may hold the same rows. */
export function assignExportFiles(
  names: readonly string[],
  tables: readonly string[],
): ExportFiles {
  const files = new Map<string, ExportFile[]>(tables.map((table) => [table, []]));
  const others: string[] = [];
  for (const name of [...names].sort()) {
    const table = tableOf(name, tables);
    if (table === undefined) continue;
    const match = name.startsWith(table) ? SUFFIX.exec(name.slice(table.length)) : null;
    if (match === null) others.push(name);
    else files.get(table)?.push({ name, shard: match[1] === undefined ? undefined : +match[1] });
  }
  return {
    files: new Map([...files].map(([table, found]) => [table, inOrder(found)])),
    others,
    gaps: new Map(
      [...files].flatMap(([table, found]) => {
        const gap = firstGap(found);
        return gap === undefined ? [] : [[table, gap] as const];
      }),
    ),
  };
}

function firstGap(files: readonly ExportFile[]): number | undefined {
  const shards = files.flatMap(({ shard }) => shard ?? []).sort((a, b) => a - b);
  const gap = shards.findIndex((shard, index) => shard !== index);
  return gap === -1 ? undefined : gap;
}

/** The table after which a file is named: the one with the longest name, as `orders_old` beside `orders`. */
function tableOf(name: string, tables: readonly string[]): string | undefined {
  return tables
    .filter(
      (table) =>
        name.toLowerCase().startsWith(table.toLowerCase()) &&
        /^[^a-z0-9]/i.test(name.slice(table.length)),
    )
    .sort((a, b) => b.length - a.length)[0];
}

function inOrder(files: readonly ExportFile[]): string[] {
  const ordered = files.toSorted((a, b) => (a.shard ?? -1) - (b.shard ?? -1));
  for (const [index, { name, shard }] of ordered.entries()) {
    const before = ordered[index - 1];
    if (before && (before.shard === undefined || before.shard === shard)) {
      const reason = `may hold the same rows as ${before.name}: keep one of them`;
      throw new RowsFileError(name, reason);
    }
  }
  return ordered.map(({ name }) => name);
}
