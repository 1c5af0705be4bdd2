// Follows the tables of `sql/sources` while the local service runs: replaces those whose files have changed.
import { statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { errorMessage } from '../../../functions/core/errors.ts';
import { namedPlaces } from '../../compile/table-places.ts';
import { type DefinitionFault, FaultsError } from '../../faults/definition-fault.ts';
import type { LocalBigQuery } from '../../local-bigquery/index.ts';
import { type Source, inspectSources } from '../../sources/read-sources.ts';
import type { NotedTable } from '../rows/sample-rows.ts';

/** The faults, and what they prevent from changing or appearing. */
export interface Faults {
  found: DefinitionFault[];
  /** Endpoints and tables that stay as they were. */
  kept: string[];
  /** New endpoints and tables, which are not served yet. */
  missing: string[];
}

export interface TableService {
  bigquery: Pick<LocalBigQuery, 'putTable' | 'removeTable'>;
  /** A table with its rows, as the service reads it at the start. */
  readTable(source: Source): Promise<NotedTable | undefined>;
}

const TABLE_FILES = ['schema.json', 'table.json', 'sample.ndjson'];

/** `atStart` are the tables that are served then. */
export function createTableFollower(sqlDirectory: string, atStart: readonly Source[]) {
  const directory = join(sqlDirectory, 'sources');
  const stampsAtStart = new Map(atStart.map(({ name }) => [name, stampOf(name)]));
  /** By name, each with the state of its files when they were read. */
  let served = new Map(
    atStart.map((source) => [source.name, { source, stamp: stampsAtStart.get(source.name) }]),
  );
  return {
    sources: (): Source[] => [...served.values()].map(({ source }) => source),
    follow,
    changesIn,
  };

  async function follow(service: TableService, news: string[], faults: Faults): Promise<void> {
    const inspected = await inspectSources(directory);
    const folderOf = (file: string): string => relative(directory, file).split(sep)[0] ?? '';
    const faulty = new Set(inspected.faults.map(({ file }) => folderOf(file)));
    for (const source of inspected.sources) {
      const { name } = source;
      const stamp = stampOf(name);
      if (faulty.has(name) || served.get(name)?.stamp === stamp) continue;
      try {
        const table = await service.readTable(source);
        if (table === undefined) continue;
        await service.bigquery.putTable(table);
        news.push(`table ${name}: ${served.has(name) ? 'changed' : 'new'}`, ...table.notes());
        served.set(name, { source, stamp });
      } catch (error) {
        // A file that is still being written: the next change is under way.
        if (stampOf(name) !== stamp) continue;
        const other = { file: join(directory, name), message: errorMessage(error) };
        faults.found.push(...(error instanceof FaultsError ? error.faults : [other]));
        faulty.add(name);
      }
    }
    const present = new Set([...inspected.sources.map(({ name }) => name), ...faulty]);
    for (const name of served.keys()) {
      if (present.has(name)) continue;
      served.delete(name);
      service.bigquery.removeTable(name);
      news.push(`table ${name}: removed`);
    }
    served = new Map([...served].sort(([a], [b]) => (a < b ? -1 : 1)));
    faults.found.push(...inspected.faults);
    for (const name of faulty) {
      (served.has(name) ? faults.kept : faults.missing).push(`table ${name}`);
    }
  }

  /** The tables in a query that are not as they were at the start, with what distinguishes their rows from earlier ones. */
  function changesIn(sql: string): [string, string][] {
    const names = new Set([...stampsAtStart.keys(), ...served.keys()]);
    const changed = [...names].filter(
      (name) => served.get(name)?.stamp !== stampsAtStart.get(name),
    );
    const places = changed.map((name) => {
      return { name, shards: served.get(name)?.source.definition.shards };
    });
    return namedPlaces(sql, places).map(({ name }) => [name, served.get(name)?.stamp ?? '']);
  }

  function stampOf(table: string): string {
    const stats = TABLE_FILES.map((file) =>
      statSync(join(directory, table, file), { throwIfNoEntry: false }),
    );
    return JSON.stringify(stats.map((stat) => stat && [stat.size, stat.mtimeMs, stat.ino]));
  }
}
