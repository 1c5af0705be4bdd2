// Runs the local service: the functions, a local BigQuery or Google's, a Firestore emulator and a scheduler.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { COMPILED_CATALOGUE } from '../../functions/endpoints/catalogue.ts';
import { KEY_SHAPE } from '../../functions/keys/authenticate.ts';
import { SETTINGS, parseConfig } from '../../functions/config.ts';
import { sha256Hex } from '../../functions/core/bytes.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { createFirestore } from '../../functions/firestore/client.ts';
import { queryPath } from '../../functions/http/routes.ts';
import { buildConsole } from '../compile/console-page.ts';
import { compileCatalogue } from '../compile/inspect-catalogue.ts';
import { startGoogleSql } from '../local-bigquery/index.ts';
import type { Progress } from '../cli/progress.ts';
import { PROJECT_DIRECTORY, LOCAL } from '../cli/project.ts';
import { readSources } from '../sources/read-sources.ts';
import { ownExample, queryString } from './own-example.ts';
import { startInProcessFirestore } from './firestore-emulator.ts';
import { type FunctionProcess, startFunction } from './function-process.ts';
import { type BigQueryPlace, cancelRunning, connectToBigQuery } from './google-bigquery.ts';
import { type FollowingService, createSqlFollower } from './live/follow-sql.ts';
import { watchDirectory } from './live/watch-directory.ts';
import { startLocalBigQuery } from './local-bigquery.ts';
import type { LocalOptions, QueriedBigQuery, Starting } from './local-bigquery.ts';
import { startScheduler } from './scheduler.ts';
import { requireFreePort } from '../cli/tcp-ports.ts';

interface LocalServiceOptions
  extends Omit<Starting, 'endpoints' | 'cleanUps' | 'doing'>, LocalOptions {
  /** The tables in Google's BigQuery to query, at a cost; undefined for the local BigQuery. */
  bigquery: BigQueryPlace | undefined;
  progress: Progress;
  /** Seconds between two warming runs; undefined for none. */
  warmSeconds: number | undefined;
}

const DEFAULT_API_KEY = 'local-dev-key';
const FIRESTORE_START_MS = 10_000;

/** Resolves once `signal` has ended it. Rejects with one line if a part fails. In both cases nothing is left running. */
export async function runLocalService(options: LocalServiceOptions): Promise<void> {
  const cleanUps: Starting['cleanUps'] = [];
  try {
    const failure = await serve(options, cleanUps);
    if (failure !== undefined) throw new Error(failure);
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    for (const cleanUp of cleanUps.reverse()) {
      const ended = Promise.resolve(cleanUp());
      await ended.catch((error: unknown) => options.terminal.note(String(error)));
    }
  }
}

/** Resolves to a sentence if a part ends by itself; checks for an interruption after every step. */
async function serve(options: LocalServiceOptions, cleanUps: Starting['cleanUps']) {
  const { signal, terminal, sqlDirectory, warmSeconds } = options;
  const { doing, stop: endProgress } = options.progress;
  const given = terminal.env;
  const isGoogles = options.bigquery !== undefined;
  const port = await requireFreePort(given.PORT || '8080', 'PORT');
  const warmPort =
    warmSeconds === undefined
      ? undefined
      : await requireFreePort(given.WARM_PORT || String(port + 1), 'WARM_PORT');
  const apiKey = given.LOCAL_API_KEY || DEFAULT_API_KEY;
  if (!KEY_SHAPE.test(apiKey) || apiKey.includes("'")) {
    const rule = '8 to 256 printable characters, without spaces and single quotes';
    throw new Error(`LOCAL_API_KEY must have ${rule}.`);
  }
  const ofLocal = { ...LOCAL, location: given[SETTINGS.location.name] };
  const { project, dataset, location } = options.bigquery ?? ofLocal;
  const settings = {
    ...given,
    [SETTINGS.project.name]: project,
    [SETTINGS.dataset.name]: dataset,
    [SETTINGS.location.name]: location,
  };
  const config = parseConfig(settings);
  signal.throwIfAborted();

  const sources = await readSources(join(sqlDirectory, 'sources'));
  doing('starting GoogleSQL');
  const engine = await startGoogleSql();
  cleanUps.push(() => engine.close());
  const follower = createSqlFollower({ sqlDirectory, engine, terminal, signal }, sources);
  doing('checking the endpoints');
  const endpoints = await follower.begin();
  signal.throwIfAborted();
  const starting: Starting = { ...options, endpoints, cleanUps, doing };
  const bigquery = isGoogles
    ? await connectToBigQuery(starting, config)
    : await startLocalBigQuery(starting, engine, sources, options);
  signal.throwIfAborted();
  doing('starting the functions and the console');
  let firestoreHost = given[SETTINGS.firestoreEmulatorHost.name];
  if (!firestoreHost) {
    const { host, stop } = await startInProcessFirestore();
    cleanUps.push(stop);
    if (isGoogles) cleanUps.push(() => cancelRunning(config, host));
    firestoreHost = host;
  }
  const compiledFile = join(mkdtempSync(join(tmpdir(), 'saved-queries-')), COMPILED_CATALOGUE);
  cleanUps.push(() => rmSync(dirname(compiledFile), { recursive: true, force: true }));
  // Both functions read it at their start.
  writeFileSync(compiledFile, compileCatalogue({ endpoints }));
  const env = {
    ...settings,
    // On BigQuery itself a query costs money.
    [SETTINGS.console.name]: given[SETTINGS.console.name] || (isGoogles ? 'on' : 'examples'),
    [SETTINGS.mcp.name]: given[SETTINGS.mcp.name] || 'on',
    [SETTINGS.bigQueryEmulatorHost.name]: bigquery.emulatorHost,
    [SETTINGS.firestoreEmulatorHost.name]: firestoreHost,
    [SETTINGS.catalogue.name]: compiledFile,
  };
  if (env[SETTINGS.console.name] !== 'off') await buildConsole();
  const keys = { project, database: config.keysDatabase, emulatorHost: firestoreHost };
  const named = endpoints.flatMap(({ name, mustBeNamed }) => (mustBeNamed ? name : []));
  await storeLocalKey(starting, apiKey, ['*', ...named], keys);
  signal.throwIfAborted();

  const start = async (target: string, functionPort: number): Promise<FunctionProcess> => {
    const onLogged = (logged: string) => target === 'query' && bigquery.onLogged?.(logged);
    const how = { source: PROJECT_DIRECTORY, env, cancelsJobs: isGoogles, onLogged };
    const started = await startFunction({ target, port: functionPort, ...how });
    cleanUps.push(() => started.stop());
    signal.throwIfAborted();
    return started;
  };
  const warm = warmPort === undefined ? undefined : await start('warm', warmPort);
  const query = await start('query', port);
  const functions = warm === undefined ? [query] : [query, warm];

  const running = { url: query.url, apiKey, bigquery };
  const service: FollowingService = {
    bigquery: bigquery.tables,
    readTable: (source) => bigquery.readTable(source),
    async serve(changed) {
      await Promise.all(functions.map((each) => each.replaceCatalogue(changed)));
    },
    describeCall: (endpoint) => `  ${curlCommand(running, endpoint, ownExample(endpoint))}`,
  };
  const onChange = () => follower.follow(service);
  cleanUps.push(await watchDirectory(sqlDirectory, { onBlind: terminal.note, onChange }));
  signal.throwIfAborted();

  endProgress();
  for (const note of bigquery.notes) terminal.note(note);
  const isOn = ({ name }: { name: string }): boolean => env[name as keyof typeof env] !== 'off';
  const has = { console: isOn(SETTINGS.console), mcp: isOn(SETTINGS.mcp) };
  const warming = warm && `${warm.url} every ${warmSeconds} s`;
  terminal.print(banner(starting, running, { firestoreHost, warming }, has));
  if (warm !== undefined && warmSeconds !== undefined) {
    cleanUps.push(startScheduler(warm.url, warmSeconds, terminal));
  }
  const stopped = once(signal, 'abort').then(() => undefined);
  return Promise.race([...functions.map(({ failed }) => failed), stopped]);
}

interface Running {
  url: string;
  apiKey: string;
  bigquery: QueriedBigQuery;
}

async function storeLocalKey(
  { signal }: Starting,
  apiKey: string,
  mayUse: readonly string[],
  where: Parameters<typeof createFirestore>[0],
): Promise<void> {
  const firestore = createFirestore(where);
  const key = { name: 'local', endpoints: mayUse, createdAt: new Date() };
  const stored = firestore.doc(`apiKeys/${sha256Hex(apiKey)}`).set(key);
  await Promise.race([
    stored.then(() => firestore.terminate()),
    delay(FIRESTORE_START_MS, undefined, { ref: false, signal }).then(() => {
      const place = `${where.emulatorHost} (FIRESTORE_EMULATOR_HOST)`;
      throw new Error(`Firestore does not answer at ${place}.`);
    }),
  ]);
}

function banner(
  { endpoints }: Starting,
  running: Running,
  { firestoreHost, warming }: { firestoreHost: string; warming: string | undefined },
  has: { console: boolean; mcp: boolean },
): string {
  const { url, apiKey, bigquery } = running;
  const calls = endpoints.map((endpoint) => ({ endpoint, values: ownExample(endpoint) }));
  const curls = calls.map(({ endpoint, values }) => `  ${curlCommand(running, endpoint, values)}`);
  const links = calls.map((call) => `  ${url}/#${call.endpoint.name}?${queryString(call.values)}`);
  return `
Saved query endpoints run on ${url}
  Console    ${url}/${has.mcp ? `\n  MCP        ${url}/mcp` : ''}
  BigQuery   ${bigquery.description}
  Firestore  ${firestoreHost}
  Warming    ${warming ?? 'off (--warm-seconds)'}
  API key    ${apiKey}
${bigquery.costs === undefined ? '' : `\n${bigquery.costs}\n`}
Try:
${curls.join('\n')}
${has.console ? `\nThe same in the console:\n${links.join('\n')}\n` : ''}
Ctrl-C ends everything. Each request is one line of JSON:
`;
}

function curlCommand({ url, apiKey }: Running, { name }: Endpoint, values: CanonicalParameters) {
  const query = queryString(values);
  const address = `${url}${queryPath(name)}${query === '' ? '' : `?${query}`}`;
  return `curl --compressed -H 'X-API-KEY: ${apiKey}' '${address}'`;
}
