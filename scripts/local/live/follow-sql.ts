// Follows the changes of `sql/` while the local service runs: serves what is right, and says what is wrong.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../../functions/core/describe-error.ts';
import { sha256Hex } from '../../../functions/core/hashes.ts';
import { inspectCatalogue } from '../../../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { InspectedEndpoint } from '../../../functions/endpoints/inspect-endpoint.ts';
import { namedPlaces } from '../../../functions/endpoints/table-places.ts';
import { type DefinitionFault, formatFault } from '../../check/definition-fault.ts';
import { locateFaults } from '../../check/locate-faults.ts';
import type { Terminal } from '../../cli/command.ts';
import { inspectSources } from '../../sources/read-sources.ts';
import type { Source } from '../../sources/source.ts';
import type { LocalBigQuery, LocalTable } from '../bigquery/server.ts';

export interface FollowedService {
  sqlDirectory: string;
  /** What is served and what is there at the start. */
  endpoints: readonly Endpoint[];
  sources: readonly Source[];
  bigquery: Pick<LocalBigQuery, 'putTable' | 'removeTable'>;
  /** A table with its rows, as the service read it at the start. */
  readTable(source: Source): Promise<LocalTable>;
  /** Everything that is wrong with an endpoint, its queries compared with the tables. */
  check(endpoint: InspectedEndpoint, sources: readonly Source[]): Promise<DefinitionFault[]>;
  /** Lets both functions serve these endpoints. */
  serve(endpoints: readonly Endpoint[]): Promise<void>;
  /** How to call an endpoint that is new. */
  describeCall(endpoint: Endpoint, sources: readonly Source[]): Promise<string>;
  terminal: Pick<Terminal, 'print' | 'note'>;
}

/** The files by which a table changes. */
const TABLE_FILES = ['schema.json', 'table.json', 'sample.ndjson'];

/**
 * Makes the function to call after each change. It never rejects. What has a fault stays as it was, and what
 * has none is served; a result that was computed from a table that has changed is not served again.
 */
export function createSqlFollower(service: FollowedService): () => Promise<void> {
  const { sqlDirectory, bigquery, terminal } = service;
  /** By the name of the folder, as `endpoint.json` and the queries have it. */
  let current = new Map(service.endpoints.map((endpoint) => [endpoint.name, endpoint]));
  let sources = new Map(service.sources.map((source) => [source.name, source]));
  const stamps = new Map(service.sources.map(({ name }) => [name, stampOf(name)]));
  /** How often a table has changed since the start. */
  const revisions = new Map<string, number>();
  /** By what was checked. */
  let checked = new Map<string, Promise<DefinitionFault[]>>();
  const tableFaults = new Map<string, string>();
  let shown = '';

  return () => follow().catch((error: unknown) => terminal.note(`sql/: ${errorMessage(error)}`));

  async function follow(): Promise<void> {
    const news: string[] = [];
    const faults = await followTables(news);
    faults.push(...(await followEndpoints(news)));
    for (const line of news) terminal.print(line);
    const block = faults.join('\n');
    if (block === shown) return;
    if (block === '') terminal.print('No fault is left.');
    else terminal.note(`\n${block}\n`);
    shown = block;
  }

  /** Returns lines about what is wrong. */
  async function followTables(news: string[]): Promise<string[]> {
    const directory = join(sqlDirectory, 'sources');
    const inspected = await inspectSources(directory);
    const faulty = new Set(inspected.faults.map(({ file }) => folderOf(directory, file)));
    for (const source of inspected.sources) {
      const { name } = source;
      const stamp = stampOf(name);
      if (faulty.has(name) || stamps.get(name) === stamp) continue;
      stamps.set(name, stamp);
      tableFaults.delete(name);
      try {
        await bigquery.putTable(await service.readTable(source));
        news.push(`table ${name}: ${sources.has(name) ? 'changed' : 'new'}`);
        sources.set(name, source);
        revise(name);
      } catch (error) {
        tableFaults.set(name, errorMessage(error));
      }
    }
    const present = new Set([...inspected.sources.map(({ name }) => name), ...faulty]);
    for (const name of [...sources.keys()].filter((name) => !present.has(name))) {
      bigquery.removeTable(name);
      for (const known of [sources, stamps, tableFaults]) known.delete(name);
      revise(name);
      news.push(`table ${name}: removed`);
    }
    sources = new Map([...sources].sort(([a], [b]) => (a < b ? -1 : 1)));
    return [...inspected.faults.map(formatFault), ...tableFaults.values()].concat(
      [...faulty].map((name) => left(`table ${name}`, sources.has(name), 'is there')),
    );
  }

  async function followEndpoints(news: string[]): Promise<string[]> {
    const inspected = inspectCatalogue(sqlDirectory);
    const faults = locateFaults(inspected.faults).map(formatFault);
    // The directory cannot be read, as during a checkout: nothing is known of the endpoints.
    if (inspected.endpoints.length === 0 && faults.length > 0) return faults;
    const next = new Map<string, Endpoint>();
    const known = checked;
    checked = new Map();
    for (const found of inspected.endpoints) {
      const { folder, endpoint } = found;
      const key = JSON.stringify([found, revisionsOf(found.queries?.query?.sql ?? '')]);
      const check = known.get(key) ?? service.check(found, [...sources.values()]);
      checked.set(key, check);
      const ofEndpoint = await check;
      const before = current.get(folder);
      const served = ofEndpoint.length === 0 ? endpoint && withRevisions(endpoint) : before;
      if (served !== undefined) next.set(folder, served);
      if (ofEndpoint.length > 0) {
        faults.push(
          ...ofEndpoint.map(formatFault),
          left(folder, before !== undefined, 'is served'),
        );
      }
    }
    await announce(next, news);
    return faults;
  }

  async function announce(next: Map<string, Endpoint>, news: string[]): Promise<void> {
    const digests = (endpoints: Map<string, Endpoint>): string =>
      JSON.stringify(
        [...endpoints].map(([name, { definitionDigest }]) => [name, definitionDigest]),
      );
    if (digests(next) === digests(current)) return;
    await service.serve([...next.values()]);
    const before = current;
    current = next;
    for (const [name, endpoint] of next) {
      const old = before.get(name);
      if (old === undefined) {
        news.push(`${name}: new`, await service.describeCall(endpoint, [...sources.values()]));
      } else if (old.definitionDigest !== endpoint.definitionDigest) news.push(`${name}: changed`);
    }
    for (const name of before.keys()) if (!next.has(name)) news.push(`${name}: removed`);
  }

  /** With another digest, so that results of the table as it was are not found. */
  function withRevisions(endpoint: Endpoint): Endpoint {
    const changed = revisionsOf(endpoint.sql);
    if (changed.length === 0) return endpoint;
    const definitionDigest = sha256Hex(JSON.stringify([endpoint.definitionDigest, changed]));
    return { ...endpoint, definitionDigest };
  }

  /** Of the tables that a query names. */
  function revisionsOf(sql: string): [string, number][] {
    const places = [...revisions.keys()].map((name) => {
      const shards = sources.get(name)?.definition.shards;
      return shards ? { name, shards } : { name };
    });
    return namedPlaces(sql, places).map(({ name }) => [name, revisions.get(name) ?? 0]);
  }

  function revise(table: string): void {
    revisions.set(table, (revisions.get(table) ?? 0) + 1);
  }

  function stampOf(table: string): string {
    return JSON.stringify(
      TABLE_FILES.map((file) => {
        const stat = statSync(join(sqlDirectory, 'sources', table, file), {
          throwIfNoEntry: false,
        });
        return stat && [stat.size, stat.mtimeMs, stat.ino];
      }),
    );
  }
}

function left(what: string, wasThere: boolean, verb: string): string {
  return wasThere
    ? `${what} ${verb} as it was before.`
    : `${what} ${verb.replace('is', 'is not')}.`;
}

/** The folder in the directory that a file lies in. */
function folderOf(directory: string, file: string): string {
  return file.slice(join(directory, '/').length).split('/')[0] ?? '';
}
