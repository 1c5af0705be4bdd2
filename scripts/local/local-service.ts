// Runs the local service: both functions, a local BigQuery, a Firestore emulator and a scheduler.
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FirestoreServer } from '@firestore-emulator/server';
import { KEY_SHAPE } from '../../functions/keys/authenticate.ts';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import { SETTINGS, parseConfig } from '../../functions/config.ts';
import { sha256Hex } from '../../functions/core/hashes.ts';
import { textsOf } from '../../functions/core/parameter-type.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { createFirestoreKeyStore } from '../../functions/google/key-store.ts';
import { queryPath } from '../../functions/http/routes.ts';
import { buildConsole } from '../bundle/console-page.ts';
import { checkEndpoint } from '../check/check-endpoint.ts';
import { readCatalogue } from '../check/read-catalogue.ts';
import type { Terminal } from '../cli/command.ts';
import { PROJECT_DIRECTORY } from '../cli/project.ts';
import { type LocalBigQuery, createLocalBigQuery } from './bigquery/server.ts';
import { type FunctionProcess, startFunction } from './function-process.ts';
import { type GoogleSql, startGoogleSql } from './googlesql/engine.ts';
import { createSqlFollower } from './live/follow-sql.ts';
import { watchDirectory } from './live/watch-directory.ts';
import { LOCAL } from './local-defaults.ts';
import {
  type Example,
  type ExampleValues,
  findExample,
  ownExample,
} from './examples/find-example.ts';
import { type RunLocally, createRunLocally } from './examples/run-locally.ts';
import { readSources } from '../sources/read-sources.ts';
import type { Source } from '../sources/source.ts';
import { createCutNotes } from './logs/cut-notes.ts';
import { readExportDirectory } from './logs/export-directory.ts';
import { newSampleLogs } from './logs/sample-logs.ts';
import type { SampleLogs } from './logs/sample-logs.ts';
import { readSampleRows } from './logs/sample-rows.ts';
import { startScheduler } from './scheduler.ts';
import { freePort, requireFreePort } from './tcp-ports.ts';

export interface LocalServiceOptions {
  /** Directory with endpoints/, routines/ and sources/. */
  sqlDirectory: string;
  /** Directory of files with the rows of the tables; undefined for sample rows. */
  logsDirectory: string | undefined;
  /** Seconds between two warming runs. */
  warmSeconds: number;
  terminal: Terminal;
  /** Ends the service. */
  signal: AbortSignal;
}

/** The state that the parts of a local service share while they start. */
interface Starting extends LocalServiceOptions {
  catalogue: Catalogue;
  /** Called at the end, in reverse order. */
  cleanUps: (() => Promise<void> | void)[];
}

interface StartedBigQuery extends LocalBigQuery {
  engine: GoogleSql;
  /** What a user should know of the rows. */
  notes: () => string[];
}

const FIRESTORE_START_MS = 10_000;
const SAMPLE_INTERVAL_MS = 5000;
/** How long the search for examples that give rows may delay the start. */
const EXAMPLES_MS = 10_000;

/**
 * Starts everything and prints how to use it. Resolves once `signal` has ended it. Rejects with one line if
 * a part does not start or ends by itself. In both cases nothing is left running.
 */
export async function runLocalService(options: LocalServiceOptions): Promise<void> {
  const cleanUps: Starting['cleanUps'] = [];
  try {
    const failure = await serve({
      ...options,
      catalogue: readCatalogue(options.sqlDirectory),
      cleanUps,
    });
    if (failure !== undefined) throw new Error(failure);
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    for (const cleanUp of cleanUps.reverse()) {
      await Promise.resolve(cleanUp()).catch((error: unknown) =>
        options.terminal.note(String(error)),
      );
    }
  }
}

/** Resolves to a sentence if a part ends by itself; checks for an interruption after every step. */
async function serve(starting: Starting): Promise<string | undefined> {
  const { signal, terminal, sqlDirectory, cleanUps } = starting;
  const given = terminal.env;
  const port = await requireFreePort(given.PORT || '8080', 'PORT');
  const warmPort = await requireFreePort(given.WARM_PORT || String(port + 1), 'WARM_PORT');
  const apiKey = given.LOCAL_API_KEY || 'local-dev-key';
  if (!KEY_SHAPE.test(apiKey) || apiKey.includes("'")) {
    throw new Error('LOCAL_API_KEY must have 8 to 256 printable characters, without quotes.');
  }
  const { firestoreDatabase, keysDatabase = firestoreDatabase } = parseConfig({
    ...given,
    [SETTINGS.project.name]: LOCAL.project,
  });
  signal.throwIfAborted();

  const sources = await readSources(join(sqlDirectory, 'sources'));
  const bigquery = await startBigQuery(starting, sources);
  signal.throwIfAborted();
  const examples = await findExamples(starting, sources, bigquery.url);
  const firestoreHost =
    given[SETTINGS.firestoreEmulatorHost.name] || (await startFirestore(cleanUps));
  const env = {
    ...given,
    [SETTINGS.console.name]: given[SETTINGS.console.name] || 'on',
    [SETTINGS.project.name]: LOCAL.project,
    [SETTINGS.dataset.name]: LOCAL.dataset,
    [SETTINGS.bigQueryEmulatorHost.name]: bigquery.url,
    [SETTINGS.firestoreEmulatorHost.name]: firestoreHost,
    [SETTINGS.sqlDirectory.name]: resolve(sqlDirectory),
  };
  if (env[SETTINGS.console.name] === 'on') await buildConsole();
  await storeLocalKey(starting, { firestoreHost, database: keysDatabase, apiKey });
  signal.throwIfAborted();

  const source = PROJECT_DIRECTORY;
  const warm = await startFunction({ target: 'warm', source, port: warmPort, env });
  cleanUps.push(() => warm.stop());
  signal.throwIfAborted();
  const query = await startFunction({ target: 'query', source, port, env });
  cleanUps.push(() => query.stop());
  signal.throwIfAborted();

  cleanUps.push(
    await followSql(starting, {
      sources,
      bigquery,
      url: query.url,
      apiKey,
      functions: [query, warm],
    }),
  );
  signal.throwIfAborted();

  for (const note of [...bigquery.notes(), ...examples.notes]) terminal.note(note);
  terminal.print(
    banner(starting, {
      ...{ url: query.url, apiKey, firestoreHost, bigquery },
      examples: examples.found,
      hasConsole: env[SETTINGS.console.name] === 'on',
    }),
  );
  cleanUps.push(startScheduler(warm.url, starting.warmSeconds, terminal));
  const stopped = once(signal, 'abort').then(() => undefined);
  return Promise.race([query.failed, warm.failed, stopped]);
}

/** `notes` gives what a user should know of the rows; a table that is cut after that is noted at once. */
async function startBigQuery(
  { logsDirectory, sqlDirectory, cleanUps, terminal, signal }: Starting,
  sources: readonly Source[],
): Promise<StartedBigQuery> {
  const nowMs = Date.now();
  const rows =
    logsDirectory === undefined
      ? readSampleRows(join(sqlDirectory, 'sources'), sources, nowMs)
      : { generated: [], ...(await readExportDirectory(logsDirectory, sources, signal)) };
  const engine = await startGoogleSql();
  cleanUps.push(() => engine.close());
  const cuts = createCutNotes(terminal.note);
  const bigquery = await createLocalBigQuery({ engine, tables: rows.tables, onCut: cuts.onCut });
  cleanUps.push(() => bigquery.close());
  if (rows.generated.length > 0) cleanUps.push(keepLogsComing(bigquery, rows.generated, nowMs));
  return { ...bigquery, engine, notes: () => [...rows.notes(), ...cuts.take()] };
}

/** Serves changes of `sql/` as they come; returns a function that ends it. */
async function followSql(
  { catalogue, sqlDirectory, logsDirectory, terminal, signal }: Starting,
  running: {
    sources: readonly Source[];
    bigquery: StartedBigQuery;
    url: string;
    apiKey: string;
    functions: readonly FunctionProcess[];
  },
): Promise<() => Promise<void>> {
  const { bigquery, functions, sources } = running;
  const run = createRunLocally(bigquery.url);
  return watchDirectory(
    sqlDirectory,
    createSqlFollower({
      sqlDirectory,
      endpoints: catalogue.endpoints,
      sources,
      bigquery,
      async readTable(source) {
        const { tables } =
          logsDirectory === undefined
            ? readSampleRows(join(sqlDirectory, 'sources'), [source], Date.now())
            : await readExportDirectory(logsDirectory, [source], signal);
        return tables[0] ?? source;
      },
      check: (inspected, present) => checkEndpoint(bigquery.engine, present, inspected),
      async serve(endpoints) {
        await Promise.all(functions.map((each) => each.replaceCatalogue(endpoints)));
      },
      async describeCall(endpoint, present) {
        const { values } = await findExample(endpoint, present, run);
        return `  ${curlCommand(running, endpoint, values)}`;
      },
      terminal,
    }),
  );
}

/** Runs every query at least once, as long as there is time. */
async function findExamples(
  { catalogue, signal }: Starting,
  sources: readonly Source[],
  bigQueryUrl: string,
): Promise<{ found: ReadonlyMap<Endpoint, Example>; notes: string[] }> {
  const run = createRunLocally(bigQueryUrl);
  const untilMs = performance.now() + EXAMPLES_MS;
  const isOver = () => signal.aborted || performance.now() > untilMs;
  const found = new Map<Endpoint, Example>();
  const runInTime: RunLocally = async (query) => {
    if (isOver()) throw new Error('The search for examples is over.');
    return await run(query);
  };
  for (const endpoint of catalogue.endpoints) {
    if (isOver()) break;
    found.set(endpoint, await findExample(endpoint, sources, runInTime));
  }
  signal.throwIfAborted();
  const notes = [...found].flatMap(([{ name }, { fault }]) =>
    fault === undefined ? [] : [`${name}: ${fault}`],
  );
  const untried = catalogue.endpoints.length - found.size;
  return {
    found,
    notes: untried > 0 ? [...notes, `The examples of ${untried} endpoints were not tried.`] : notes,
  };
}

/** Adds sample logs as time passes, so that the newest buckets fill; returns a function that stops it. */
function keepLogsComing(
  bigquery: LocalBigQuery,
  tables: readonly (keyof SampleLogs)[],
  nowMs: number,
): () => void {
  let fromMs = nowMs;
  const timer = setInterval(() => {
    const toMs = Date.now();
    const logs = newSampleLogs({ fromMs, toMs });
    fromMs = toMs;
    for (const table of tables) void bigquery.appendRows(table, logs[table]);
  }, SAMPLE_INTERVAL_MS);
  return () => clearInterval(timer);
}

async function startFirestore(cleanUps: Starting['cleanUps']): Promise<string> {
  const port = await freePort();
  const server = new FirestoreServer();
  await server.start(port);
  cleanUps.push(() => server.stop());
  return `127.0.0.1:${port}`;
}

async function storeLocalKey(
  { signal }: Starting,
  { firestoreHost, database, apiKey }: Record<'firestoreHost' | 'database' | 'apiKey', string>,
): Promise<void> {
  const firestore = createFirestore({
    project: LOCAL.project,
    database,
    emulatorHost: firestoreHost,
  });
  const key = { name: 'local', endpoints: ['*'], createdAtMs: Date.now() };
  const stored = createFirestoreKeyStore(firestore).set(sha256Hex(apiKey), key);
  await Promise.race([
    stored.then(() => firestore.terminate()),
    delay(FIRESTORE_START_MS, undefined, { ref: false, signal }).then(() => {
      throw new Error(`Firestore does not answer at ${firestoreHost} (FIRESTORE_EMULATOR_HOST).`);
    }),
  ]);
}

function banner(
  { catalogue, logsDirectory }: Starting,
  running: {
    url: string;
    apiKey: string;
    firestoreHost: string;
    bigquery: LocalBigQuery;
    examples: ReadonlyMap<Endpoint, Example>;
    hasConsole: boolean;
  },
): string {
  const { url, apiKey, firestoreHost, bigquery, examples, hasConsole } = running;
  const calls = catalogue.endpoints.map((endpoint) => ({
    endpoint,
    values: examples.get(endpoint)?.values ?? ownExample(endpoint),
  }));
  const curls = calls.map(({ endpoint, values }) => `  ${curlCommand(running, endpoint, values)}`);
  const links = calls.map(
    ({ endpoint, values }) => `  ${url}/#${endpoint.name}?${queryString(values)}`,
  );
  return `
Saved query endpoints run on ${url}
  Console    ${url}/
  BigQuery   ${bigquery.url} (GoogleSQL on ${logsDirectory ?? 'sample rows'})
  Firestore  ${firestoreHost}
  API key    ${apiKey}

Try:
${curls.join('\n')}
${hasConsole ? `\nThe same in the console:\n${links.join('\n')}\n` : ''}
Ctrl-C ends everything. Each request is one line of JSON:
`;
}

function curlCommand(
  { url, apiKey }: { url: string; apiKey: string },
  { name }: Endpoint,
  values: ExampleValues,
): string {
  const query = queryString(values);
  const address = `${url}${queryPath(name)}${query === '' ? '' : `?${query}`}`;
  return `curl --compressed -H 'X-API-KEY: ${apiKey}' '${address}'`;
}

function queryString(values: ExampleValues): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    textsOf(value).map((text): [string, string] => [name, text]),
  );
  return new URLSearchParams(pairs).toString();
}
