// Reads the rows of all tables from a directory of files, as `bq extract` writes them.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nameParts, shardStart } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import { faultOfDirectory } from '../../cli/options.ts';
import { someNames } from '../../cli/table.ts';
import type { NotedTable } from './sample-rows.ts';
import { readRows } from '../../sources/read-rows.ts';

/** A table without a file is empty. Throws an Error, also if none has one, unless allowed; reading the rows throws a FaultsError. */
export async function readExportDirectory(
  directory: string,
  sources: readonly Source[],
  signal?: AbortSignal,
  mayBeEmpty = false,
): Promise<NotedTable[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    throw new Error(`${faultOfDirectory(directory, error)}.`, { cause: error });
  });
  const exports = sources.map((source) => {
    const tables = [[source.name, undefined] as const, ...shardsIn(names, source)];
    const files = tables.flatMap(([table, shard]) =>
      filesOf(table, names).map((name): ExportedFile => ({ name, shard })),
    );
    return { source, files };
  });
  if (!mayBeEmpty && exports.every(({ files }) => files.length === 0)) {
    const expected = sources.map(({ name }) => `${name}.ndjson`).join(', ');
    throw new Error(
      `${directory}: no rows of any table. Expected ${expected}. The ending may be .ndjson or .json, with or without .gz; NAME-000000000000.ndjson and so on are read as one table`,
    );
  }
  return exports.map(({ source, files }) => {
    const { name } = source;
    const ignored = new Set<string>();
    const reason = 'ignored, not in schema.json or of a type without local values';
    const notes = (): string[] => {
      if (files.length === 0)
        return [`${name} is empty: there is no ${name}.ndjson in ${directory}`];
      return ignored.size === 0 ? [] : [`${name}: ${reason}: ${someNames(ignored)}`];
    };
    const rows = readFiles(source, files, ignored);
    return { ...source, rows, notes };
  });

  async function* readFiles(source: Source, files: ExportedFile[], ignored: Set<string>) {
    const onUnknownField = (field: string): void => void ignored.add(field);
    for (const { name, shard } of files) {
      for await (const row of readRows(join(directory, name), source, { shard, onUnknownField })) {
        signal?.throwIfAborted();
        yield row;
      }
    }
  }
}

interface ExportedFile {
  name: string;
  /** The shard of its rows, if it is in its name. */
  shard: string | undefined;
}

/** What follows the name of the table: `.ndjson`, `.json.gz`, `-000000000001.ndjson.gz`. */
const SUFFIX = /^(?:-(\d+))?\.(?:ndjson|json)(?:\.gz)?$/;

/** The files with the rows of a table, in the order of their numbers. Throws an Error if two may contain the same rows. */
function filesOf(table: string, names: readonly string[]): string[] {
  const found = names.toSorted().flatMap((name) => {
    const match = name.startsWith(table) ? SUFFIX.exec(name.slice(table.length)) : null;
    return match ? [{ name, part: match[1] === undefined ? -1 : Number(match[1]) }] : [];
  });
  for (const [index, { name, part }] of found.entries()) {
    const before = found.slice(0, index).find((one) => part < 0 || [part, -1].includes(one.part));
    if (before === undefined) continue;
    throw new Error(`${name}: may contain the same rows as ${before.name}: keep one of them`);
  }
  return found.sort((a, b) => a.part - b.part).map(({ name }) => name);
}

/** The tables of a source with shards that have files: `analytics_1.events_20261120`, with the suffix. */
function shardsIn(names: readonly string[], { name, definition: { shards } }: Source) {
  if (shards === undefined) return [];
  const start = `${nameParts(name).dataset}.${shards.prefix}`;
  const suffixes = names
    .filter((file) => file.startsWith(start))
    .map((file) => file.slice(start.length, start.length + shards.format.length))
    .filter((suffix) => shardStart(shards.format, suffix) !== undefined);
  return [...new Set(suffixes)].sort().map((suffix) => [start + suffix, suffix] as const);
}
