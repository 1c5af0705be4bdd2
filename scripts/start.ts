// `npm start`: the whole service on this machine, with local logs and no cloud account.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FirestoreServer } from '@firestore-emulator/server';
import { KEY_SHAPE } from '../functions/authenticate.ts';
import { type Catalogue, loadCatalogue } from '../functions/catalogue.ts';
import { parseConfig } from '../functions/config.ts';
import { sha256Hex } from '../functions/core/cache-key.ts';
import type { Endpoint } from '../functions/core/endpoint.ts';
import { createFirestore } from '../functions/google/firestore-client.ts';
import { createFirestoreKeyStore } from '../functions/google/key-store.ts';
import { exitWithUsage, runCommand } from './cli/command.ts';
import { buildConsole } from './bundle/console-page.ts';
import { startFunction } from './local/function-process.ts';
import { startScheduler } from './local/scheduler.ts';
import { type LocalBigQuery, createLocalBigQuery } from './local/bigquery/server.ts';
import { startGoogleSql } from './local/googlesql/engine.ts';
import { readLogFiles } from './local/logs/log-files.ts';
import { readLogSources } from './local/logs/log-sources.ts';
import { newSampleLogs, sampleLogs } from './local/logs/sample-logs.ts';
import { freePort, requireFreePort } from './local/tcp-ports.ts';

const USAGE = `Usage: npm start -- [--logs DIR] [--warm-seconds N]

Serves the endpoints of sql/endpoints on this machine: the function under Google's functions
framework, a local BigQuery on GoogleSQL's reference engine, and a Firestore emulator.

  --logs DIR   newline-delimited JSON instead of the sample logs: DIR/function_relay_logs.ndjson
               and DIR/edge_logs.ndjson, rows as "bq extract" writes them
  --warm-seconds N
               how often results that somebody looks at are computed anew (default: 300)
  --help       this text

Environment:
  PORT                      port of the service (default: 8080)
  WARM_PORT                 port of the warming function (default: PORT + 1)
  LOCAL_API_KEY             the API key that works (default: local-dev-key)
  CONSOLE                   whether / is the console (default here: on)
  FIRESTORE_EMULATOR_HOST   a Firestore emulator that runs already; otherwise one starts here
  and every setting of the service (see the README)
`;

const PROJECT = 'local-project';
const DATASET = 'logs';
const SQL_DIRECTORY = 'sql';
const FIRESTORE_START_MS = 10_000;
const SAMPLE_INTERVAL_MS = 5000;
/** As many rows of a table as the engine takes; the oldest make room for new ones. */
const SAMPLE_ROWS_MAX = 25_000;

/** Ends what was started, last first. */
const cleanUps: (() => Promise<void> | void)[] = [];
/** Aborted by Ctrl-C, by the end of the terminal, and by whoever stops the process. */
const interrupted = new AbortController();

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      logs: { type: 'string' },
      'warm-seconds': { type: 'string', default: '300' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) exitWithUsage(USAGE);
  // Again and again: whoever presses Ctrl-C twice must not leave the functions behind.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interrupted.abort());
  }
  try {
    const failure = await serve(values.logs, parseSeconds(values['warm-seconds']));
    if (failure !== undefined) throw new Error(failure);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
  } finally {
    for (const cleanUp of cleanUps.reverse()) {
      await Promise.resolve(cleanUp()).catch((error: unknown) => console.error(error));
    }
  }
});
// A client that still tries to reach something that is gone must not keep the process.
process.exit();

/**
 * Starts everything and prints how to use it. Resolves when it is interrupted, or to a sentence when
 * a part ends by itself; every step that an interruption can follow looks for it.
 */
async function serve(
  logsDirectory: string | undefined,
  warmSeconds: number,
): Promise<string | undefined> {
  const { signal } = interrupted;
  const port = await requireFreePort(process.env.PORT || '8080', 'PORT');
  const warmPort = await requireFreePort(process.env.WARM_PORT || String(port + 1), 'WARM_PORT');
  const apiKey = process.env.LOCAL_API_KEY || 'local-dev-key';
  if (!KEY_SHAPE.test(apiKey) || apiKey.includes("'")) {
    throw new Error('LOCAL_API_KEY must have 8 to 256 printable characters, without quotes.');
  }
  const catalogue = loadCatalogue(SQL_DIRECTORY);
  parseConfig({ ...process.env, GOOGLE_CLOUD_PROJECT: PROJECT });
  signal.throwIfAborted();

  const bigquery = await startBigQuery(logsDirectory, catalogue);
  signal.throwIfAborted();
  const firestoreHost = process.env.FIRESTORE_EMULATOR_HOST || (await startFirestore());
  const env = {
    ...process.env,
    CONSOLE: process.env.CONSOLE || 'on',
    GOOGLE_CLOUD_PROJECT: PROJECT,
    BIGQUERY_DATASET: DATASET,
    BIGQUERY_EMULATOR_HOST: bigquery.url,
    FIRESTORE_EMULATOR_HOST: firestoreHost,
  };
  if (env.CONSOLE === 'on') await buildConsole();
  await storeLocalKey(firestoreHost, apiKey);
  signal.throwIfAborted();

  const warm = await startFunction({ target: 'warm', source: '.', port: warmPort, env });
  cleanUps.push(() => warm.stop());
  signal.throwIfAborted();
  const query = await startFunction({ target: 'query', source: '.', port, env });
  cleanUps.push(() => query.stop());
  signal.throwIfAborted();

  printBanner({ url: query.url, apiKey, catalogue, logsDirectory, firestoreHost, bigquery });
  cleanUps.push(startScheduler(warm.url, warmSeconds));
  const stopped = once(signal, 'abort').then(() => undefined);
  return Promise.race([query.failed, warm.failed, stopped]);
}

async function startBigQuery(
  logsDirectory: string | undefined,
  catalogue: Catalogue,
): Promise<LocalBigQuery> {
  const sources = await readLogSources(join(SQL_DIRECTORY, 'sources'));
  const nowMs = Date.now();
  const samples = sampleLogs({ nowMs }) as unknown as Record<string, object[]>;
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
  if (isSample) keepLogsComing(bigquery, nowMs);
  else await tryQueries(bigquery, catalogue);
  return bigquery;
}

/** Runs each query once: logs that are too large for the engine are better refused here. */
async function tryQueries(bigquery: LocalBigQuery, catalogue: Catalogue): Promise<void> {
  for (const endpoint of catalogue.endpoints) {
    const response = await fetch(`${bigquery.url}/projects/${PROJECT}/queries`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query: endpoint.sql,
        useLegacySql: false,
        parameterMode: 'NAMED',
        defaultDataset: { datasetId: DATASET },
        queryParameters: Object.entries(endpoint.parameters).map(([name, { example }]) => ({
          name,
          parameterType: { type: 'STRING' },
          parameterValue: { value: example },
        })),
      }),
    });
    const { error } = (await response.json()) as { error?: { message: string } };
    if (error !== undefined) throw new Error(`${endpoint.name} on these logs: ${error.message}`);
  }
}

/** Sample logs go on as real ones would, so that the newest buckets fill while somebody looks. */
function keepLogsComing(bigquery: LocalBigQuery, nowMs: number): void {
  let fromMs = nowMs;
  const timer = setInterval(() => {
    const toMs = Date.now();
    const rows = Object.entries(newSampleLogs({ fromMs, toMs }));
    fromMs = toMs;
    for (const [table, added] of rows) void bigquery.appendRows(table, added as object[]);
  }, SAMPLE_INTERVAL_MS);
  cleanUps.push(() => clearInterval(timer));
}

async function startFirestore(): Promise<string> {
  const port = await freePort();
  const server = new FirestoreServer();
  await server.start(port);
  cleanUps.push(() => server.stop());
  return `127.0.0.1:${port}`;
}

async function storeLocalKey(firestoreHost: string, apiKey: string): Promise<void> {
  const firestore = createFirestore({
    project: PROJECT,
    database: process.env.FIRESTORE_DATABASE || '(default)',
    emulatorHost: firestoreHost,
  });
  const key = { name: 'local', endpoints: ['*'], createdAtMs: Date.now() };
  const stored = createFirestoreKeyStore(firestore).set(sha256Hex(apiKey), key);
  await Promise.race([
    stored.then(() => firestore.terminate()),
    delay(FIRESTORE_START_MS, undefined, { ref: false, signal: interrupted.signal }).then(() => {
      throw new Error(`Firestore does not answer at ${firestoreHost} (FIRESTORE_EMULATOR_HOST).`);
    }),
  ]);
}

function printBanner(running: {
  url: string;
  apiKey: string;
  catalogue: Catalogue;
  logsDirectory: string | undefined;
  firestoreHost: string;
  bigquery: LocalBigQuery;
}): void {
  const { url, apiKey, catalogue, logsDirectory, firestoreHost, bigquery } = running;
  const curls = catalogue.endpoints.map((endpoint) => {
    const address = `${url}/api/endpoints/query/${endpoint.name}?${exampleQuery(endpoint)}`;
    return `  curl --compressed -H 'X-API-KEY: ${apiKey}' '${address}'`;
  });
  console.log(`
Saved query endpoints run on ${url}
  Console    ${url}/
  BigQuery   ${bigquery.url} (GoogleSQL on ${logsDirectory ?? 'sample logs that keep coming'})
  Firestore  ${firestoreHost}
  API key    ${apiKey}

Try:
${curls.join('\n')}

Ctrl-C ends everything. Each request is one line of JSON:
`);
}

/** The required parameters of an endpoint and those with a fixed list, with their examples. */
function exampleQuery(endpoint: Endpoint): string {
  const examples = Object.entries(endpoint.parameters)
    .filter(([, parameter]) => parameter.required || parameter.enum !== undefined)
    .map(([name, parameter]) => [name, parameter.example] as [string, string]);
  return new URLSearchParams(examples).toString();
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds < 1 || seconds > 86_400) {
    throw new Error(`--warm-seconds must be a whole number from 1 to 86400, not ${text}.`);
  }
  return seconds;
}
