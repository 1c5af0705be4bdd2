// Reads the rows of all tables from a directory of files, as `bq extract` writes them.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../../functions/core/describe-error.ts';
import { type EncodedRow, nameParts, shardStart } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import { someNames } from '../../cli/table.ts';
import type { LocalRows } from './sample-rows.ts';
import { readRows, RowsFileError } from '../../sources/read-rows.ts';

/** A table without a file is empty. Throws `RowsFileError`, also if none has one, unless allowed; reading the rows throws it too. */
export async function readExportDirectory(
  directory: string,
  sources: readonly Source[],
  signal?: AbortSignal,
  mayBeEmpty = false,
): Promise<LocalRows> {
  const found = await namesIn(directory);
  const shards = new Map(sources.map((source) => [source.name, shardsIn(found, source)]));
  const { files, others, gaps } = assignFiles(
    found,
    sources.flatMap(({ name }) => [name, ...(shards.get(name)?.keys() ?? [])]),
  );
  const isRead = [...files.values()].some((names) => names.length > 0);
  if (!isRead && !mayBeEmpty) throw new RowsFileError(directory, noFiles(sources, others));
  const tables = sources.map((source) => {
    const ofShards = shards.get(source.name) ?? new Map<string, undefined>();
    const exported = [[source.name, undefined] as const, ...ofShards].flatMap(([table, shard]) =>
      (files.get(table) ?? []).map((file): ExportedFile => ({ name: file, shard })),
    );
    const { name } = source;
    const ignored = new Set<string>();
    const reason = 'ignored, not in schema.json or of a type without local values';
    const notes = (): string[] => {
      if (exported.length === 0)
        return [`${name} is empty: there is no ${name}.ndjson in ${directory}`];
      return ignored.size === 0 ? [] : [`${name}: ${reason}: ${someNames(ignored)}`];
    };
    return { ...source, rows: readFiles(directory, exported, source, ignored, signal), notes };
  });
  return {
    tables,
    notes: () => [
      ...tables.flatMap(({ notes }) => notes()),
      ...[...gaps].map(([table, shard]) => `${table}: shard ${shard} is missing in ${directory}`),
      ...(others.length > 0 ? [`Not read in ${directory}: ${someNames(others)}`] : []),
    ],
  };
}

interface ExportedFile {
  name: string;
  /** The shard of its rows, if it is in its name. */
  shard: string | undefined;
}

interface NumberedFile {
  name: string;
  shard: number | undefined;
}

/** What follows the name of the table: `.ndjson`, `.json.gz`, `-000000000001.ndjson.gz`. */
const SUFFIX = /^(?:-(\d+))?\.(?:ndjson|json)(?:\.gz)?$/;

/** The files with the rows of each table, by their names. Throws `RowsFileError` if two may contain the same rows. */
function assignFiles(names: readonly string[], tables: readonly string[]) {
  const files = new Map<string, NumberedFile[]>(tables.map((table) => [table, []]));
  const others: string[] = [];
  for (const name of [...names].sort()) {
    const table = tableOf(name, tables);
    if (table === undefined) continue;
    const match = name.startsWith(table) ? SUFFIX.exec(name.slice(table.length)) : null;
    if (match === null) others.push(name);
    else files.get(table)?.push({ name, shard: match[1] === undefined ? undefined : +match[1] });
  }
  return {
    /** The names of the files of each table, in the order of their shards; empty for a table without files. */
    files: new Map([...files].map(([table, found]) => [table, inOrder(found)])),
    /** The names of files that are named after a table and are not read, in alphabetical order. */
    others,
    /** For each table whose files are incomplete, the number of the first missing file. */
    gaps: new Map(
      [...files].flatMap(([table, found]) => {
        const shards = found.flatMap(({ shard }) => shard ?? []).sort((a, b) => a - b);
        const gap = shards.findIndex((shard, index) => shard !== index);
        return gap === -1 ? [] : [[table, gap] as const];
      }),
    ),
  };
}

/** The table after which a file is named: the one with the longest name, as `orders_old` and not `orders`. */
function tableOf(name: string, tables: readonly string[]): string | undefined {
  const isNamedAfter = (table: string): boolean =>
    name.toLowerCase().startsWith(table.toLowerCase()) &&
    /^[^a-z0-9]/i.test(name.slice(table.length));
  return tables.filter(isNamedAfter).sort((a, b) => b.length - a.length)[0];
}

function inOrder(files: readonly NumberedFile[]): string[] {
  const ordered = files.toSorted((a, b) => (a.shard ?? -1) - (b.shard ?? -1));
  for (const [index, { name, shard }] of ordered.entries()) {
    const before = ordered[index - 1];
    if (before && (before.shard === undefined || before.shard === shard)) {
      const reason = `may contain the same rows as ${before.name}: keep one of them`;
      throw new RowsFileError(name, reason);
    }
  }
  return ordered.map(({ name }) => name);
}

/** The tables of a source with shards that have files: `analytics_1.events_20261120`, with the suffix. */
function shardsIn(names: readonly string[], { name, definition: { shards } }: Source) {
  if (shards === undefined) return new Map<string, string>();
  const start = `${nameParts(name).dataset}.${shards.prefix}`;
  return new Map(
    names
      .filter((file) => file.startsWith(start))
      .map((file) => file.slice(start.length, start.length + shards.format.length))
      .filter((suffix) => shardStart(shards.format, suffix) !== undefined)
      .sort()
      .map((suffix) => [start + suffix, suffix]),
  );
}

async function* readFiles(
  directory: string,
  exported: readonly ExportedFile[],
  source: Source,
  ignored: Set<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<EncodedRow> {
  for (const { name, shard } of exported) {
    const rows = readRows(join(directory, name), source, {
      shard,
      onUnknownField: (field) => ignored.add(field),
    });
    for await (const row of rows) {
      signal?.throwIfAborted();
      yield row;
    }
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (err) {
    const faults = new Map<unknown, string>([
      ['ENOENT', 'no such directory'],
      ['ENOTDIR', 'not a directory'],
    ]);
    const reason = faults.get(errorCode(err)) ?? errorMessage(err);
    throw new RowsFileError(directory, reason, undefined, { cause: err });
  }
}

function noFiles(sources: readonly Source[], others: readonly string[]): string {
  const expected = sources.map(({ name }) => `${name}.ndjson`).join(', ');
  const found = others.length > 0 ? `, found ${someNames(others)}` : '';
  return (
    `no rows of any table. Expected ${expected}${found}. ` +
    'The ending may be .ndjson or .json, with or without .gz; NAME-000000000000.ndjson and so on are read as one table'
  );
}
