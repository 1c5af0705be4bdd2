// The local BigQuery of the local service, with its rows and the examples that return rows.
import { join } from 'node:path';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { Source } from '../sources/read-sources.ts';
import { namedPlaces } from '../compile/table-places.ts';
import { createLocalBigQuery } from '../local-bigquery/index.ts';
import type { CutTable, GoogleSql, LocalBigQuery } from '../local-bigquery/index.ts';
import { type Example, findExample } from './examples/find-example.ts';
import { type RunLocally, createRunLocally } from './examples/frequent-values.ts';
import { readExportDirectory } from './rows/export-directory.ts';
import { isRequestTable, requestRows } from './rows/request-rows.ts';
import { newSampleLogs } from './rows/sample-logs.ts';
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
  /** The values with which each endpoint is shown; an endpoint may be missing. */
  examples: ReadonlyMap<Endpoint, Example>;
  notes: readonly string[];
  exampleOf(endpoint: Endpoint, sources: readonly Source[]): Promise<Example>;
  tables: FollowingService['bigquery'];
  /** Gets what `query` logs; absent if the tables are not local. */
  onLogged?: (logged: string) => void;
  readTable: FollowingService['readTable'];
}

const SAMPLE_INTERVAL_MS = 5000;
/** How long the search for examples that return rows may delay the start. */
const EXAMPLES_MS = 10_000;

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
  const { sqlDirectory, cleanUps, terminal, signal, doing } = starting;
  doing('reading the rows of the tables');
  const nowMs = Date.now();
  const rows =
    logsDirectory === undefined
      ? await readSampleRows(join(sqlDirectory, 'sources'), sources, nowMs)
      : { generated: [], ...(await readExportDirectory(logsDirectory, sources, signal)) };
  const cuts = createCutNotes(terminal.note);
  const bigquery = await createLocalBigQuery({
    engine,
    tables: rows.tables,
    onCut: cuts.onCut,
    // The functions label the queries of endpoints; the search for examples does not.
    queryMs: ({ endpoint }) => (endpoint === undefined ? 0 : querySeconds * 1000),
  });
  cleanUps.push(() => bigquery.close());
  // The names of tables to which sample logs are added; `sql/` may gain and lose such tables.
  const generated = new Set<string>(rows.generated);
  if (logsDirectory === undefined) cleanUps.push(keepLogsComing(bigquery, generated, nowMs));
  signal.throwIfAborted();
  doing('looking for values of parameters that give rows');
  const run = createRunLocally(bigquery.url);
  const examples = await findExamples(starting, sources, run);
  return {
    emulatorHost: bigquery.url,
    description: `${bigquery.url} (GoogleSQL on ${logsDirectory ?? 'sample rows'})`,
    costs: undefined,
    examples: examples.found,
    notes: [...rows.notes(), ...cuts.take(), ...examples.notes],
    exampleOf: (endpoint, present) => findExample(endpoint, present, run),
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
        return (await readExportDirectory(logsDirectory, [source], signal, true)).tables[0];
      }
      const read = await readSampleRows(join(sqlDirectory, 'sources'), [source], Date.now());
      if (read.generated.length === 0) generated.delete(source.name);
      for (const name of read.generated) generated.add(name);
      return read.tables[0];
    },
  };
}

/** Runs every query at least once, as long as there is time. */
async function findExamples(
  { endpoints, signal }: Starting,
  sources: readonly Source[],
  run: RunLocally,
): Promise<{ found: ReadonlyMap<Endpoint, Example>; notes: string[] }> {
  const untilMs = performance.now() + EXAMPLES_MS;
  const isOver = () => signal.aborted || performance.now() > untilMs;
  const found = new Map<Endpoint, Example>();
  const runInTime: RunLocally = async (query) => {
    if (isOver()) throw new Error('The search for examples is over.');
    return await run(query);
  };
  // There are no requests yet.
  const ofRequests = sources.filter(isRequestTable).map(({ name }) => ({ name }));
  const tried = endpoints.filter(({ sql }) => namedPlaces(sql, ofRequests).length === 0);
  for (const endpoint of tried) {
    if (isOver()) break;
    found.set(endpoint, await findExample(endpoint, sources, runInTime));
  }
  signal.throwIfAborted();
  const notes = [...found].flatMap(([{ name }, { fault }]) =>
    fault === undefined ? [] : [`${name}: ${fault}`],
  );
  const untried = tried.length - found.size;
  return {
    found,
    notes: untried > 0 ? [...notes, `The examples of ${untried} endpoints were not tried.`] : notes,
  };
}

/** Adds sample logs as time passes, so that the newest buckets fill; returns a function that stops it. */
function keepLogsComing(bigquery: LocalBigQuery, tables: ReadonlySet<string>, nowMs: number) {
  let fromMs = nowMs;
  const timer = setInterval(() => {
    const toMs = Date.now();
    const logs = newSampleLogs({ fromMs, toMs });
    fromMs = toMs;
    for (const [table, rows] of Object.entries(logs)) {
      // The table may have been removed from sql/ by now.
      if (tables.has(table)) bigquery.appendRows(table, rows).catch(() => undefined);
    }
  }, SAMPLE_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Reports each table that a query has read only in part, once: the answers say so too. */
function createCutNotes(note: (line: string) => void) {
  const notes = new Map<string, string>();
  let isTaken = false;
  return {
    onCut: ({ table, rowsRead, rows }: CutTable) => {
      if (notes.has(table)) return;
      const [read, all] = [rowsRead, rows].map((count) => count.toLocaleString('en-US'));
      const line = `${table}: a query read only the newest ${read} of ${all} rows, because the local engine takes 4 MiB at once: see X-Local-Rows-Cut in docs/reference/local-sql.md`;
      notes.set(table, line);
      if (isTaken) note(line);
    },
    /** The notes so far; a later one is printed at once. */
    take: (): string[] => {
      isTaken = true;
      return [...notes.values()];
    },
  };
}
