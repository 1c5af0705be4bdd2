// Follows the changes of `sql/` while the local service runs: serves what has no fault, and prints the faults.
import { errorMessage } from '../../../functions/core/errors.ts';
import { sha256Hex } from '../../../functions/core/bytes.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { type CheckedEndpoint, checkEndpoint } from '../../check/check-endpoint.ts';
import { inspectCatalogue } from '../../compile/inspect-catalogue.ts';
import { distinctFaults, formatFault } from '../../faults/definition-fault.ts';
import { locateFaults, locatedError } from '../../faults/json-document.ts';
import type { Terminal } from '../../cli/command.ts';
import type { GoogleSql } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import { firstOf, someNames } from '../../cli/table.ts';
import { type Faults, type TableService, createTableFollower } from './follow-tables.ts';

interface FollowedSql {
  sqlDirectory: string;
  engine: GoogleSql;
  terminal: Pick<Terminal, 'print' | 'note'>;
  /** The service ends: nothing more is reported. */
  signal: AbortSignal;
}

export interface FollowingService extends TableService {
  serve(endpoints: readonly Endpoint[]): Promise<void>;
  describeCall(endpoint: Endpoint): string;
}

const CALLS_MAX = 5;
/** `npm run check` prints all. */
const LINES_MAX = 20;

/** What has a fault stays as it was, or is not served at the start. `atStart` are the tables that are there then. */
export function createSqlFollower(
  { sqlDirectory, engine, terminal, signal }: FollowedSql,
  atStart: readonly Source[],
) {
  /** By the name of the folder, as `endpoint.json` and the queries have it. */
  let current = new Map<string, Endpoint>();
  const tables = createTableFollower(sqlDirectory, atStart);
  let checked = new Map<string, CheckedEndpoint>();
  let shown = '';

  return {
    /** The endpoints to serve at the start. The first `follow` prints the faults of others. Throws if there are none. */
    async begin(): Promise<Endpoint[]> {
      const faults: Faults = { found: [], kept: [], missing: [] };
      const next = await checkEndpoints(faults);
      if (next === undefined || (next.size === 0 && faults.found.length > 0)) {
        throw locatedError(faults.found);
      }
      current = next;
      return [...next.values()];
    },
    follow,
  };

  /** After each change. Never rejects. */
  async function follow(service: FollowingService): Promise<void> {
    const news: string[] = [];
    const faults: Faults = { found: [], kept: [], missing: [] };
    let added: Endpoint[] = [];
    try {
      await tables.follow(service, news, faults);
      const next = await checkEndpoints(faults);
      if (next === undefined) faults.kept.push(...current.keys());
      else added = await announce(service, next, news);
    } catch (error) {
      faults.found.push({ file: sqlDirectory, message: errorMessage(error) });
    }
    if (signal.aborted) return;
    for (const line of firstOf(news, LINES_MAX)) terminal.print(line);
    for (const endpoint of added.slice(0, CALLS_MAX))
      terminal.print(service.describeCall(endpoint));
    const block = formatFaults(faults);
    if (block === shown) return;
    if (block === '') terminal.print('All faults are fixed.');
    else terminal.note(`\n${block}\n`);
    shown = block;
  }

  /** Returns the endpoints to serve; undefined if nothing is known about them at the moment. */
  async function checkEndpoints(faults: Faults): Promise<Map<string, Endpoint> | undefined> {
    const inspected = inspectCatalogue(sqlDirectory, [...current.keys()]);
    faults.found.push(...locateFaults(inspected.faults));
    // The directory cannot be read, as during a checkout: nothing is known about the endpoints.
    if (inspected.endpoints.length === 0) return undefined;
    const next = new Map<string, Endpoint>();
    const nowChecked: typeof checked = new Map();
    for (const found of inspected.endpoints) {
      const { folder } = found;
      const key = JSON.stringify([found, tables.changesIn(found.queries?.query?.sql ?? '')]);
      const ofEndpoint = checked.get(key) ?? (await checkEndpoint(engine, tables.sources(), found));
      nowChecked.set(key, ofEndpoint);
      const { endpoint } = ofEndpoint;
      const before = current.get(folder);
      if (endpoint !== undefined) {
        next.set(folder, withChanges(endpoint));
        continue;
      }
      if (before !== undefined) next.set(folder, before);
      faults.found.push(...ofEndpoint.faults);
      (before === undefined ? faults.missing : faults.kept).push(folder);
    }
    checked = nowChecked;
    return next;
  }

  async function announce(service: FollowingService, next: Map<string, Endpoint>, news: string[]) {
    const digestOf = (name: string): string | undefined => current.get(name)?.definitionDigest;
    const changed = [...next].filter(([name, one]) => digestOf(name) !== one.definitionDigest);
    const removed = [...current.keys()].filter((name) => !next.has(name));
    if (changed.length + removed.length === 0) return [];
    await service.serve([...next.values()]);
    const before = current;
    const isNew = (name: string): boolean => !before.has(name);
    current = next;
    news.push(
      ...changed.map(([name]) => `${name}: ${isNew(name) ? 'new' : 'changed'}`),
      ...removed.map((name) => `${name}: removed`),
    );
    return changed.flatMap(([name, endpoint]) => (isNew(name) ? endpoint : []));
  }

  /** With other digests, so that results of the table as it was are not found. */
  function withChanges(endpoint: Endpoint): Endpoint {
    const changed = tables.changesIn(endpoint.sql);
    if (changed.length === 0) return endpoint;
    const withThem = (digest: string): string => sha256Hex(JSON.stringify([digest, changed]));
    const resultDigest = withThem(endpoint.resultDigest);
    return { ...endpoint, resultDigest, definitionDigest: withThem(endpoint.definitionDigest) };
  }
}

/** Empty without a fault. */
function formatFaults({ found, kept, missing }: Faults): string {
  const ends = [
    kept.length === 0 ? [] : `Still serving the previous version of ${someNames(kept)}`,
    missing.length === 0 ? [] : `Not served: ${someNames(missing)}`,
  ];
  return [...firstOf(distinctFaults(found).map(formatFault), LINES_MAX), ...ends.flat()].join('\n');
}
