// Follows the changes of `sql/` while the local service runs: serves what is right, and says what is wrong.
import { statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { errorMessage } from '../../../functions/core/describe-error.ts';
import { sha256Hex } from '../../../functions/core/hashes.ts';
import { inspectCatalogue } from '../../compile/inspect-catalogue.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { InspectedEndpoint } from '../../compile/inspect-endpoint.ts';
import { namedPlaces } from '../../compile/table-places.ts';
import { type DefinitionFault, formatFault } from '../../faults/definition-fault.ts';
import { locateFaults } from '../../faults/locate-faults.ts';
import type { Terminal } from '../../cli/command.ts';
import { inspectSources } from '../../sources/read-sources.ts';
import type { Source } from '../../sources/source.ts';
import type { LocalBigQuery } from '../../local-bigquery/index.ts';
import { type NotedTable, someNames } from '../rows/local-rows.ts';

export interface FollowedService {
  sqlDirectory: string;
  /** What is served and what is there at the start. */
  endpoints: readonly Endpoint[];
  sources: readonly Source[];
  bigquery: Pick<LocalBigQuery, 'putTable' | 'removeTable'>;
  /** A table with its rows, as the service reads it at the start. */
  readTable(source: Source): Promise<NotedTable | undefined>;
  /** Everything that is wrong with an endpoint, its queries compared with the tables. */
  check(endpoint: InspectedEndpoint, sources: readonly Source[]): Promise<DefinitionFault[]>;
  /** Lets both functions serve these endpoints. */
  serve(endpoints: readonly Endpoint[], sources: readonly Source[]): Promise<void>;
  /** How to call an endpoint that is new. */
  describeCall(endpoint: Endpoint, sources: readonly Source[]): Promise<string>;
  terminal: Pick<Terminal, 'print' | 'note'>;
  /** The service ends: nothing is said any more. */
  signal: AbortSignal;
}

/** What is wrong, and what that holds up. */
interface Faults {
  /** One line each. */
  lines: string[];
  /** What goes on as it was before. */
  kept: string[];
  /** What is new, and so is not there. */
  missing: string[];
}

/** The most lines of news, and of faults, at once; `npm run check` tells all. */
const LINES_MAX = 20;
/** The most new endpoints whose call is told at once. */
const CALLS_MAX = 5;
/** The files by which a table changes. */
const TABLE_FILES = ['schema.json', 'table.json', 'sample.ndjson'];

/**
 * Makes the function to call after each change. It never rejects, and resolves to false if not even the
 * faults could be found out, as during a checkout. What has a fault stays as it was, and what
 * has none is served; a result that was computed from a table that has changed is not served again.
 */
export function createSqlFollower(service: FollowedService): () => Promise<boolean> {
  const { sqlDirectory, bigquery, terminal } = service;
  /** By the name of the folder, as `endpoint.json` and the queries have it. */
  let current = new Map(service.endpoints.map((endpoint) => [endpoint.name, endpoint]));
  let sources = new Map(service.sources.map((source) => [source.name, source]));
  const stamps = new Map(service.sources.map(({ name }) => [name, stampOf(name)]));
  /** How often a table has changed since the start. */
  const revisions = new Map<string, number>();
  /** By what was checked. */
  let checked = new Map<string, DefinitionFault[]>();
  const tableFaults = new Map<string, string>();
  let shown = '';
  let describing = Promise.resolve();

  return follow;

  async function follow(): Promise<boolean> {
    const news: string[] = [];
    const faults: Faults = { lines: [], kept: [], missing: [] };
    let added: Endpoint[] | undefined;
    try {
      await followTables(news, faults);
      added = await followEndpoints(news, faults);
    } catch (error) {
      faults.lines.push(`${sqlDirectory}: ${errorMessage(error)}`);
    }
    const isDone = added !== undefined;
    if (service.signal.aborted) return isDone;
    for (const line of firstOf(news)) terminal.print(line);
    // Looking for values that give rows takes longer than the next change should wait.
    describing = describing.then(() => describeCalls(added?.slice(0, CALLS_MAX) ?? []));
    const block = formatFaults(faults);
    if (block === shown) return isDone;
    if (block === '') terminal.print('No fault is left.');
    else terminal.note(`\n${block}\n`);
    shown = block;
    return isDone;
  }

  async function describeCalls(endpoints: readonly Endpoint[]): Promise<void> {
    for (const endpoint of endpoints) {
      const call = await service.describeCall(endpoint, [...sources.values()]);
      if (!service.signal.aborted) terminal.print(call);
    }
  }

  async function followTables(news: string[], faults: Faults): Promise<void> {
    const directory = join(sqlDirectory, 'sources');
    const inspected = await inspectSources(directory);
    const faulty = new Set(
      inspected.faults.map(({ file }) => relative(directory, file).split(sep)[0] ?? ''),
    );
    for (const source of inspected.sources) {
      const { name } = source;
      const stamp = stampOf(name);
      if (faulty.has(name) || stamps.get(name) === stamp) continue;
      try {
        const table = await service.readTable(source);
        if (table === undefined) continue;
        await bigquery.putTable(table);
        news.push(`table ${name}: ${sources.has(name) ? 'changed' : 'new'}`, ...table.notes());
        sources.set(name, source);
        revise(name);
        tableFaults.delete(name);
      } catch (error) {
        // A file that is still being written: the next change is under way.
        if (stampOf(name) !== stamp) continue;
        tableFaults.set(name, errorMessage(error));
      }
      stamps.set(name, stamp);
    }
    const present = new Set([...inspected.sources.map(({ name }) => name), ...faulty]);
    for (const name of [...sources.keys(), ...tableFaults.keys()]) {
      if (present.has(name)) continue;
      for (const known of [stamps, tableFaults]) known.delete(name);
      if (!sources.delete(name)) continue;
      bigquery.removeTable(name);
      revise(name);
      news.push(`table ${name}: removed`);
    }
    sources = new Map([...sources].sort(([a], [b]) => (a < b ? -1 : 1)));
    faults.lines.push(...inspected.faults.map(formatFault), ...tableFaults.values());
    for (const name of new Set([...faulty, ...tableFaults.keys()])) {
      (sources.has(name) ? faults.kept : faults.missing).push(`table ${name}`);
    }
  }

  /** Returns the endpoints that are new; undefined if nothing can be said of them at the moment. */
  async function followEndpoints(news: string[], faults: Faults): Promise<Endpoint[] | undefined> {
    const inspected = inspectCatalogue(sqlDirectory, [...current.keys()]);
    faults.lines.push(...locateFaults(inspected.faults).map(formatFault));
    // The directory cannot be read, as during a checkout: nothing is known of the endpoints.
    if (inspected.endpoints.length === 0) {
      faults.kept.push(...current.keys());
      return undefined;
    }
    const next = new Map<string, Endpoint>();
    const nowChecked: typeof checked = new Map();
    for (const found of inspected.endpoints) {
      const { folder, endpoint } = found;
      const key = JSON.stringify([found, revisionsOf(found.queries?.query?.sql ?? '')]);
      const ofEndpoint = checked.get(key) ?? (await service.check(found, [...sources.values()]));
      nowChecked.set(key, ofEndpoint);
      const before = current.get(folder);
      const served = ofEndpoint.length === 0 ? endpoint && withRevisions(endpoint) : before;
      if (served !== undefined) next.set(folder, served);
      if (ofEndpoint.length === 0) continue;
      faults.lines.push(...ofEndpoint.map(formatFault));
      (before === undefined ? faults.missing : faults.kept).push(folder);
    }
    checked = nowChecked;
    return announce(next, news);
  }

  /** Returns the endpoints that are new. */
  async function announce(next: Map<string, Endpoint>, news: string[]): Promise<Endpoint[]> {
    const added: Endpoint[] = [];
    const digests = (endpoints: Map<string, Endpoint>): string =>
      JSON.stringify(
        [...endpoints].map(([name, { definitionDigest }]) => [name, definitionDigest]),
      );
    if (digests(next) === digests(current)) return added;
    await service.serve([...next.values()], [...sources.values()]);
    const before = current;
    current = next;
    for (const [name, endpoint] of next) {
      const old = before.get(name);
      if (old === undefined) {
        news.push(`${name}: new`);
        added.push(endpoint);
      } else if (old.definitionDigest !== endpoint.definitionDigest) news.push(`${name}: changed`);
    }
    for (const name of before.keys()) if (!next.has(name)) news.push(`${name}: removed`);
    return added;
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
    const places = [...revisions.keys()].map((name) => ({
      name,
      shards: sources.get(name)?.definition.shards,
    }));
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

/** Empty without a fault. A fault of a routine is one of each endpoint that calls it, and is said once. */
function formatFaults({ lines, kept, missing }: Faults): string {
  const ends = [
    kept.length === 0 ? [] : `As before: ${someNames(kept)}`,
    missing.length === 0 ? [] : `Not served: ${someNames(missing)}`,
  ];
  return [...firstOf([...new Set(lines)]), ...ends.flat()].join('\n');
}

function firstOf(lines: readonly string[]): string[] {
  const more = lines.length - LINES_MAX;
  return more <= 0 ? [...lines] : [...lines.slice(0, LINES_MAX), `… and ${more} more`];
}
