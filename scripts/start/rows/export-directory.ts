// Reads the rows of all tables from a directory of files, as `bq extract` writes them.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nameParts, shardStart } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import { faultOfDirectory } from '../../cli/options.ts';
import { someNames } from '../../cli/table.ts';
import { REQUEST_ROWS_MAX, isRequestTable } from './request-rows.ts';
import type { LocalRows } from './sample-rows.ts';
import { readRows } from '../../sources/read-rows.ts';

/** A table without a file is empty. Throws an Error, also if none has one, unless allowed; reading the rows throws a FaultsError. */
export async function readExportDirectory(
  directory: string,
  sources: readonly Source[],
  signal?: AbortSignal,
  mayBeEmpty = false,
): Promise<LocalRows> {
  const found = await readdir(directory).catch((error: unknown) => {
    throw new Error(`${faultOfDirectory(directory, error)}.`, { cause: error });
  });
  const shards = new Map(sources.map((source) => [source.name, shardsIn(found, source)]));
  const { files, others, gaps } = assignFiles(
    found,
    sources.flatMap(({ name }) => [name, ...(shards.get(name)?.keys() ?? [])]),
  );
  const isRead = [...files.values()].some((names) => names.length > 0);
  if (!isRead && !mayBeEmpty) throw new Error(`${directory}: ${noFiles(sources, others)}`);
  const tables = sources.map((source) => {
    const ofShards = shards.get(source.name) ?? new Map<string, undefined>();
    const exported = [[source.name, undefined] as const, ...ofShards].flatMap(([table, shard]) =>
      (files.get(table) ?? []).map((file): ExportedFile => ({ name: file, shard })),
    );
    const { name } = source;
    const isOwn = isRequestTable(source);
    const ignored = new Set<string>();
    const reason = 'ignored, not in schema.json or of a type without local values';
    const notes = (): string[] => {
      if (exported.length === 0 && isOwn) return [];
      if (exported.length === 0)
        return [`${name} is empty: there is no ${name}.ndjson in ${directory}`];
      return ignored.size === 0 ? [] : [`${name}: ${reason}: ${someNames(ignored)}`];
    };
    const rows = readFiles(source, exported, ignored);
    return { ...source, rows, ...(isOwn && { rowsMax: REQUEST_ROWS_MAX }), notes };
  });
  return {
    tables,
    notes: () => [
      ...tables.flatMap(({ notes }) => notes()),
      ...[...gaps].map(([table, shard]) => `${table}: shard ${shard} is missing in ${directory}`),
      ...(others.length > 0 ? [`Not read in ${directory}: ${someNames(others)}`] : []),
    ],
  };

  async function* readFiles(source: Source, exported: ExportedFile[], ignored: Set<string>) {
    const onUnknownField = (field: string): void => void ignored.add(field);
    for (const { name, shard } of exported) {
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

/**
 * `files` are those with the rows of each table, in the order of their shards; `others` are named after a table too,
 * but are not read. Throws an Error if two may contain the same rows.
 */
function assignFiles(names: readonly string[], tables: readonly string[]) {
  const sorted = names.toSorted();
  const gaps = new Map<string, number>();
  const files = new Map(
    tables.map((table) => {
      const found = sorted.flatMap((name) => {
        const match = name.startsWith(table) ? SUFFIX.exec(name.slice(table.length)) : null;
        return match ? [{ name, shard: match[1] === undefined ? -1 : Number(match[1]) }] : [];
      });
      for (const [index, { name, shard }] of found.entries()) {
        const before = found
          .slice(0, index)
          .find((one) => shard < 0 || [shard, -1].includes(one.shard));
        if (before === undefined) continue;
        throw new Error(`${name}: may contain the same rows as ${before.name}: keep one of them`);
      }
      found.sort((a, b) => a.shard - b.shard);
      // The number of the first file that is missing.
      const gap = found.findIndex(({ shard }, index) => shard >= 0 && shard !== index);
      if (gap >= 0) gaps.set(table, gap);
      return [table, found.map(({ name }) => name)] as const;
    }),
  );
  const read = new Set([...files.values()].flat());
  const isOther = (name: string): boolean =>
    !read.has(name) &&
    tables.some(
      (table) =>
        name.toLowerCase().startsWith(table.toLowerCase()) &&
        /^[^a-z0-9]/i.test(name.slice(table.length)),
    );
  return { files, gaps, others: sorted.filter(isOther) };
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

function noFiles(sources: readonly Source[], others: readonly string[]): string {
  const expected = sources.map(({ name }) => `${name}.ndjson`).join(', ');
  const found = others.length > 0 ? `, found ${someNames(others)}` : '';
  return (
    `no rows of any table. Expected ${expected}${found}. ` +
    'The ending may be .ndjson or .json, with or without .gz; NAME-000000000000.ndjson and so on are read as one table'
  );
}
