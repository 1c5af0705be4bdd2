// The local BigQuery of the local service, with its rows.
import { join } from 'node:path';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { Source } from '../sources/read-sources.ts';
import { createLocalBigQuery } from '../local-bigquery/index.ts';
import type { GoogleSql, LocalBigQuery } from '../local-bigquery/index.ts';
import { readExportDirectory } from './rows/export-directory.ts';
import { isRequestTable, requestRows } from './rows/request-rows.ts';
import { isSampleTable, sampleLogs } from './rows/sample-logs.ts';
import { readSampleRows } from './rows/sample-rows.ts';
import type { Terminal } from '../cli/command.ts';
import type { FollowingService } from './live/follow-sql.ts';

export interface Starting {
  sqlDirectory: string;
  endpoints: readonly Endpoint[];
  terminal: Terminal;
  signal: AbortSignal;
  doing: (step: string) => void;
  /** Called at the end, in reverse order. */
  cleanUps: (() => Promise<void> | void)[];
}

export interface QueriedBigQuery {
  /** The value of BIGQUERY_EMULATOR_HOST for the functions. */
  emulatorHost: string | undefined;
  description: string;
  /** What each call costs, for the user; undefined if nothing. */
  costs: string | undefined;
  notes: readonly string[];
  tables: FollowingService['bigquery'];
  /** Gets what `query` logs; absent if the tables are not local. */
  onLogged?: (logged: string) => void;
  readTable: FollowingService['readTable'];
}

const SAMPLE_INTERVAL_MS = 5000;
/** The newest; a query can read all of them at once. */
const REQUEST_TABLE = { rowsMax: 20_000, notes: () => [] };

export interface LocalOptions {
  /** Directory of files with the rows of the tables; undefined for sample rows. */
  logsDirectory: string | undefined;
  /** The least time that each query of an endpoint takes. */
  querySeconds: number | undefined;
}

export async function startLocalBigQuery(
  starting: Starting,
  engine: GoogleSql,
  sources: readonly Source[],
  { logsDirectory, querySeconds = 0 }: LocalOptions,
): Promise<QueriedBigQuery> {
  const { sqlDirectory, cleanUps, signal, doing } = starting;
  doing('reading the rows of the tables');
  const nowMs = Date.now();
  const rows =
    logsDirectory === undefined
      ? await readSampleRows(join(sqlDirectory, 'sources'), sources, nowMs)
      : { generated: [], tables: await readExportDirectory(logsDirectory, sources, signal) };
  const requests = new Set(sources.filter(isRequestTable).map(({ name }) => name));
  const bounded = <T extends { name: string } | undefined>(table: T) =>
    table && requests.has(table.name) ? { ...table, ...REQUEST_TABLE } : table;
  const tables = rows.tables.map(bounded);
  const bigquery = await createLocalBigQuery({
    engine,
    tables,
    // The functions label the queries of endpoints.
    queryMs: ({ endpoint }) => (endpoint === undefined ? 0 : querySeconds * 1000),
  });
  cleanUps.push(() => bigquery.close());
  // The names of tables to which sample logs are added; `sql/` may gain and lose such tables.
  const generated = new Set<string>(rows.generated);
  if (logsDirectory === undefined) cleanUps.push(keepLogsComing(bigquery, generated, nowMs));
  signal.throwIfAborted();
  return {
    emulatorHost: bigquery.url,
    description: `${bigquery.url} (GoogleSQL on ${logsDirectory ?? 'sample rows'})`,
    costs: undefined,
    notes: tables.flatMap(({ notes }) => notes()),
    tables: bigquery,
    onLogged(logged) {
      for (const source of sources.filter(isRequestTable)) {
        // The table may have been removed from sql/ by now.
        const rows = requestRows(source, logged, Date.now());
        bigquery.appendRows(source.name, rows).catch(() => undefined);
      }
    },
    async readTable(source) {
      if (logsDirectory !== undefined) {
        return bounded((await readExportDirectory(logsDirectory, [source], signal, true))[0]);
      }
      const read = await readSampleRows(join(sqlDirectory, 'sources'), [source], Date.now());
      if (read.generated.length === 0) generated.delete(source.name);
      for (const name of read.generated) generated.add(name);
      return bounded(read.tables[0]);
    },
  };
}

/** Adds sample logs as time passes, so that the newest buckets fill; returns a function that stops it. */
function keepLogsComing(bigquery: LocalBigQuery, tables: ReadonlySet<string>, nowMs: number) {
  let fromMs = nowMs;
  const timer = setInterval(() => {
    const toMs = Date.now();
    for (const table of [...tables].filter(isSampleTable)) {
      // The table may have been removed from sql/ by now.
      bigquery.appendRows(table, sampleLogs(table, { fromMs, toMs })).catch(() => undefined);
    }
    fromMs = toMs;
  }, SAMPLE_INTERVAL_MS);
  return () => clearInterval(timer);
}
