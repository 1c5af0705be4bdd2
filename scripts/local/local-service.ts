// Runs the local service: both functions, a local BigQuery, a Firestore emulator and a scheduler.
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FirestoreServer } from '@firestore-emulator/server';
import { KEY_SHAPE } from '../../functions/keys/authenticate.ts';
import { type Catalogue, loadCatalogue } from '../../functions/endpoints/catalogue.ts';
import { SETTINGS, parseConfig } from '../../functions/config.ts';
import { sha256Hex } from '../../functions/core/hashes.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { createFirestoreKeyStore } from '../../functions/google/key-store.ts';
import { queryConfiguration } from '../../functions/google/query-configuration.ts';
import { queryPath } from '../../functions/http/routes.ts';
import { buildConsole } from '../bundle/console-page.ts';
import type { Terminal } from '../cli/command.ts';
import { PROJECT_DIRECTORY } from '../cli/project.ts';
import { type LocalBigQuery, createLocalBigQuery } from './bigquery/server.ts';
import { startFunction } from './function-process.ts';
import { startGoogleSql } from './googlesql/engine.ts';
import { LOCAL } from './local-defaults.ts';
import { readLogFiles } from './logs/log-files.ts';
import { readSources } from '../sources/read-sources.ts';
import { newSampleLogs, sampleLogs } from './logs/sample-logs.ts';
import { startScheduler } from './scheduler.ts';
import { freePort, requireFreePort } from './tcp-ports.ts';

export interface LocalServiceOptions {
  /** Directory with endpoints/, routines/ and sources/. */
  sqlDirectory: string;
  /** Directory of files with log records; undefined for sample logs. */
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

const FIRESTORE_START_MS = 10_000;
const SAMPLE_INTERVAL_MS = 5000;
/** The most rows of a table that the engine can hold; new rows replace the oldest. */
const SAMPLE_ROWS_MAX = 25_000;

/**
 * Starts everything and prints how to use it. Resolves once `signal` has ended it. Rejects with one line if
 * a part does not start or ends by itself. In both cases nothing is left running.
 */
export async function runLocalService(options: LocalServiceOptions): Promise<void> {
  const cleanUps: Starting['cleanUps'] = [];
  try {
    const failure = await serve({
      ...options,
      catalogue: loadCatalogue(options.sqlDirectory),
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

  const bigquery = await startBigQuery(starting);
  signal.throwIfAborted();
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

  terminal.print(banner(starting, { url: query.url, apiKey, firestoreHost, bigquery }));
  cleanUps.push(startScheduler(warm.url, starting.warmSeconds, terminal));
  const stopped = once(signal, 'abort').then(() => undefined);
  return Promise.race([query.failed, warm.failed, stopped]);
}

async function startBigQuery(starting: Starting): Promise<LocalBigQuery> {
  const { logsDirectory, sqlDirectory, catalogue, cleanUps } = starting;
  const sources = await readSources(join(sqlDirectory, 'sources'));
  const nowMs = Date.now();
  const samples: Readonly<Record<string, object[]>> = sampleLogs({ nowMs });
  const tables =
    logsDirectory === undefined
      ? sources.map((source) => ({ ...source, rows: samples[source.name] ?? [] }))
      : await readLogFiles(logsDirectory, sources);
  const engine = await startGoogleSql();
  cleanUps.push(() => engine.close());
  const isSample = logsDirectory === undefined;
  const bigquery = await createLocalBigQuery({
    engine,
    tables,
    ...(isSample ? { rowsMax: SAMPLE_ROWS_MAX } : {}),
  });
  cleanUps.push(() => bigquery.close());
  if (isSample) {
    const names = sources.map(({ name }) => name);
    cleanUps.push(keepLogsComing(bigquery, names, nowMs));
  } else await tryQueries(bigquery, catalogue);
  return bigquery;
}

/** Runs each query once, so that logs that are too large for the engine are refused at the start. */
async function tryQueries(bigquery: LocalBigQuery, catalogue: Catalogue): Promise<void> {
  for (const endpoint of catalogue.endpoints) {
    const examples = Object.entries(endpoint.parameters).map(
      ([name, { example }]) => [name, example] as const,
    );
    const bound = { sql: endpoint.sql, parameters: Object.fromEntries(examples) };
    const response = await fetch(`${bigquery.url}/projects/${LOCAL.project}/queries`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(queryConfiguration(bound, LOCAL.dataset)),
    });
    const { error } = (await response.json()) as { error?: { message: string } };
    if (error !== undefined) throw new Error(`${endpoint.name} on these logs: ${error.message}`);
  }
}

/** Adds sample logs as time passes, so that the newest buckets fill; returns a function that stops it. */
function keepLogsComing(
  bigquery: LocalBigQuery,
  tableNames: readonly string[],
  nowMs: number,
): () => void {
  let fromMs = nowMs;
  const timer = setInterval(() => {
    const toMs = Date.now();
    const rows = Object.entries(newSampleLogs({ fromMs, toMs }));
    fromMs = toMs;
    for (const [table, added] of rows) {
      if (tableNames.includes(table)) void bigquery.appendRows(table, added);
    }
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
  running: { url: string; apiKey: string; firestoreHost: string; bigquery: LocalBigQuery },
): string {
  const { url, apiKey, firestoreHost, bigquery } = running;
  const curls = catalogue.endpoints.map((endpoint) => {
    const address = `${url}${queryPath(endpoint.name)}?${exampleQuery(endpoint)}`;
    return `  curl --compressed -H 'X-API-KEY: ${apiKey}' '${address}'`;
  });
  return `
Saved query endpoints run on ${url}
  Console    ${url}/
  BigQuery   ${bigquery.url} (GoogleSQL on ${logsDirectory ?? 'sample logs that keep coming'})
  Firestore  ${firestoreHost}
  API key    ${apiKey}

Try:
${curls.join('\n')}

Ctrl-C ends everything. Each request is one line of JSON:
`;
}

/** The required parameters of an endpoint and those with a fixed list, with their examples. */
function exampleQuery(endpoint: Endpoint): string {
  const examples = Object.entries(endpoint.parameters)
    .filter(([, parameter]) => parameter.required || parameter.enum !== undefined)
    .map(([name, parameter]): [string, string] => [name, parameter.example]);
  return new URLSearchParams(examples).toString();
}
