// The soak: two `query` processes, `warm`, one Firestore, mixed traffic, faults that come and go.
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Firestore } from '@google-cloud/firestore';
import { type Catalogue, loadCatalogue } from '../../functions/endpoints/catalogue.ts';
import { cacheKey } from '../../functions/results/cache-key.ts';
import { sha256Hex } from '../../functions/core/hashes.ts';
import { parseParameters } from '../../functions/endpoints/parameters.ts';
import { createFirestoreKeyStore } from '../../functions/google/key-store.ts';
import { createFirestoreResultStore } from '../../functions/google/result-store.ts';
import { createMain, runMain } from '../../scripts/cli/command.ts';
import { positiveInteger } from '../../scripts/cli/options.ts';
import { type FunctionProcess, startFunction } from '../../scripts/local/function-process.ts';
import { createLocalBigQuery } from '../../scripts/local/bigquery/server.ts';
import { startGoogleSql } from '../../scripts/local/googlesql/engine.ts';
import { readLogSources } from '../../scripts/local/logs/log-sources.ts';
import { freePort } from '../../scripts/local/tcp-ports.ts';
import { startBigQueryProxy } from '../support/bigquery-proxy.ts';
import { connectFirestore, projectOf, provideFirestore } from '../support/firestore-emulators.ts';
import { startFirestoreProxy } from '../support/firestore-proxy.ts';
import { INSTANCE_HEAP } from '../support/instance-heap.ts';
import { TEST_SCOPE } from '../support/scope.ts';
import { FaultSchedule, createRandom } from './fault-schedule.ts';
import { NOW, QUESTIONS, type Question, Versions, firstRows, versionOf } from './known-logs.ts';
import { Memory } from './memory.ts';

const API_KEY = 'sqk_soak-key-that-opens-everything-00000000000000';
const CACHING_SECONDS = 20;
const WARMING_SECONDS = 6;
const QUERY_SECONDS = 6;
const STORE_SECONDS = 1;
const KEY_CACHE_SECONDS = 15;
/** Longest time that a request may take: its deadline, the calls of Firestore after it, a busy machine. */
const ANSWER_MS_MAX = QUERY_SECONDS * 1000 + 4 * STORE_SECONDS * 1000 + 3000;
/** How long a fault that is over may still show: in a run that others wait for, in a call on its way. */
const AFTERMATH_MS = {
  bigquery: QUERY_SECONDS * 1000 + 1000,
  firestore: STORE_SECONDS * 1000 + 1500,
};
const WORKERS = 10;
const PAUSE_MS = 200;
const MEMORY_MS = 5000;
const VIOLATIONS_SHOWN = 50;
const MEMORY_SECONDS_MIN = 240;

const cleanUps: (() => unknown)[] = [];
const violations: string[] = [];
const counts: Record<string, number> = {};
let random = createRandom(0);

export const main = createMain('npm run soak --', (program) =>
  program
    .description(
      'Sends mixed traffic through two instances of query while faults come and go. Fails when an answer was wrong, too old or an error where the table of errors promises rows, or when memory grew; every violation is printed.',
    )
    .option('--seconds <n>', 'how long', positiveInteger(86_400), 600)
    .option('--seed <n>', 'another one is another mix', positiveInteger(1_000_000), 1)
    .addHelpText('after', '\nExample:\n  npm run soak -- --seconds 60')
    .action(async ({ seconds, seed }) => {
      random = createRandom(seed + 1);
      try {
        await soak(seconds, seed);
      } finally {
        for (const cleanUp of cleanUps.reverse()) await cleanUp();
      }
      if (violations.length > 0) throw new Error(`${violations.length} violations`);
    }),
);

async function soak(seconds: number, seed: number): Promise<void> {
  const engine = await startGoogleSql();
  cleanUps.push(() => engine.close());
  const rows = firstRows();
  const sources = await readLogSources('sql/sources');
  const nowMs = Date.parse(NOW);
  const bigquery = await createLocalBigQuery({
    engine,
    tables: sources.map((source) => ({ ...source, rows: rows[source.name] ?? [] })),
    clock: { nowMs: () => nowMs },
    freshMs: 0,
  });
  cleanUps.push(() => bigquery.close());
  const host = await firestoreHost();
  const firestore = connectFirestore(host);
  cleanUps.push(() => firestore.terminate());
  await createFirestoreKeyStore(firestore).set(sha256Hex(API_KEY), {
    name: 'soak',
    endpoints: ['*'],
  });

  const bigqueryProxy = await startBigQueryProxy(bigquery.url);
  cleanUps.push(() => bigqueryProxy.close());
  const firestoreProxy = await startFirestoreProxy(host);
  cleanUps.push(() => firestoreProxy.close());

  const source = createService();
  const start = async (target: 'query' | 'warm'): Promise<FunctionProcess> => {
    const started = await startFunction({
      target,
      source,
      port: await freePort(),
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        NODE_OPTIONS: INSTANCE_HEAP,
        METADATA_SERVER_DETECTION: 'none',
        GOOGLE_CLOUD_PROJECT: projectOf(firestore),
        FIRESTORE_EMULATOR_HOST: firestoreProxy.host,
        BIGQUERY_EMULATOR_HOST: bigqueryProxy.url,
        QUERY_TIMEOUT_SECONDS: String(QUERY_SECONDS),
        FIRESTORE_TIMEOUT_SECONDS: String(STORE_SECONDS),
        KEY_CACHE_SECONDS: String(KEY_CACHE_SECONDS),
        LEASE_SECONDS: '2',
        MEMORY_CACHE_SECONDS: '1',
        WARM_BUDGET_SECONDS: '10',
      },
    });
    cleanUps.push(() => started.stop());
    void started.failed.then((sentence) => violate(sentence));
    return started;
  };
  const [warm, ...queries] = [await start('warm'), await start('query'), await start('query')];

  const versions = new Versions(bigquery);
  const faults = new FaultSchedule(bigqueryProxy, firestoreProxy, seed);
  const untilMs = Date.now() + seconds * 1000;
  const traffic = { versions, faults, firestore, catalogue: loadCatalogue(join(source, 'sql')) };
  const memory = new Memory([warm, ...queries].map(({ pid }) => pid));
  const repeat = async (work: () => Promise<unknown>, pauseMs: () => number): Promise<void> => {
    while (Date.now() < untilMs) {
      await work();
      await delay(Math.min(pauseMs(), Math.max(0, untilMs - Date.now())));
    }
  };
  // The first requests load the clients; the deadline is not about them.
  for (const query of queries)
    await ask(query.url, `${QUESTIONS[0]?.endpoint}?${QUESTIONS[0]?.query}`);
  const users = queries.map(({ url }) => createUser(url, traffic));
  const short = Math.min(1, seconds / 60);
  await Promise.all([
    ...Array.from({ length: WORKERS }, () =>
      repeat(
        () => (users[Math.floor(random() * users.length)] as () => Promise<void>)(),
        () => random() * 2 * PAUSE_MS,
      ),
    ),
    repeat(
      () => versions.add(),
      () => 2000,
    ),
    repeat(
      () => post(warm.url, faults),
      () => 4000,
    ),
    repeat(
      () => memory.sample(),
      () => MEMORY_MS,
    ),
    repeat(
      () => {
        report(memory, faults);
        // Nobody looks at them here, and they would be this program's own leak.
        (bigqueryProxy.calls as unknown[]).length = 0;
        (firestoreProxy.calls as unknown[]).length = 0;
        return Promise.resolve();
      },
      () => 30_000,
    ),
    (async () => {
      await delay(3000);
      while (Date.now() < untilMs) {
        faults.begin();
        count('faults');
        count(`fault: ${faults.now}`);
        await delay((5000 + random() * 7000) * Math.max(short, 0.5));
        faults.end();
        await delay((12_000 + random() * 8000) * short);
      }
    })(),
  ]);
  if (seconds >= MEMORY_SECONDS_MIN) for (const growth of memory.growths()) violate(growth);
  if ((counts['200'] ?? 0) < seconds) violate('Hardly any request was answered with rows.');
  if (seconds >= 20 && (counts.refreshed ?? 0) === 0) violate('Nothing was ever warmed.');
  report(memory, faults);
  say(`${violations.length === 0 ? 'Passed' : `FAILED: ${violations.length} violations`}\n`);
}

/** The service with shorter times, in a directory of its own. */
function createService(): string {
  const directory = mkdtempSync(join(tmpdir(), 'soak-'));
  cleanUps.push(() => rmSync(directory, { recursive: true, force: true }));
  for (const path of ['functions', 'sql', 'package.json']) {
    cpSync(path, join(directory, path), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  const change = (path: string, changed: (text: string) => string): void => {
    const file = join(directory, 'sql', path);
    writeFileSync(file, changed(readFileSync(file, 'utf8')));
  };
  change('endpoint.schema.json', (text) => text.replace('"minimum": 60', '"minimum": 1'));
  for (const name of readdirSync(join(directory, 'sql/endpoints'))) {
    change(`endpoints/${name}/endpoint.json`, (text) =>
      text
        .replace(/"cachingSeconds": \d+/, `"cachingSeconds": ${CACHING_SECONDS}`)
        .replace(/"cacheWarmingSeconds": \d+/, `"cacheWarmingSeconds": ${WARMING_SECONDS}`),
    );
  }
  return directory;
}

async function firestoreHost(): Promise<string> {
  const emulator = await provideFirestore();
  cleanUps.push(() => emulator.stop());
  return emulator.host;
}

interface Traffic {
  versions: Versions;
  faults: FaultSchedule;
  firestore: Firestore;
  catalogue: Catalogue;
}

interface Answer {
  status: number;
  headers: Headers;
  body: string;
  sentMs: number;
  gotMs: number;
}

async function ask(
  url: string,
  target: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sentMs = Date.now();
  const response = await fetch(`${url}/api/endpoints/query/${target}`, {
    headers: { 'X-API-KEY': API_KEY, ...headers },
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const body = await response.text();
  return { status: response.status, headers: response.headers, body, sentMs, gotMs: Date.now() };
}

/** Sends one request of a mix to one instance and judges the answer. */
function createUser(url: string, traffic: Traffic): () => Promise<void> {
  const { versions, faults, firestore, catalogue } = traffic;
  const resultStore = createFirestoreResultStore(firestore);
  /** What was seen under an ETag, by question: a 304 says that it is still so. */
  const seen = new Map<string, { etag: string; version: number }>();
  // The instance has looked the key up at some time between the two.
  let keyFromMs = -Infinity;
  let keyToMs = -Infinity;
  /** When the requests were sent that can have looked it up again. */
  const sentMs = new Set<number>();
  const askHere = (target: string, headers?: Record<string, string>): Promise<Answer> => {
    if (headers?.['X-API-KEY'] === undefined) sentMs.add(Date.now());
    return ask(url, target, headers);
  };

  return async () => {
    const roll = random();
    try {
      if (roll < 0.05) await expectRefusal('bad request', badTarget(), 400);
      else if (roll < 0.08) {
        await expectRefusal('unknown key', goodTarget(), 401, {
          'X-API-KEY': `sqk_${unknownKey()}`,
        });
      } else if (roll < 0.1) await expectRefusal('unknown endpoint', 'no.such?project=a', 404);
      else await expectRows(pick(), roll < 0.3);
    } catch (error) {
      violate(`${url}: no answer: ${String((error as Error).cause ?? error)} (${faults.now})`);
    }
  };

  function pick(): Question {
    // A few are popular and stay warm; now and then there is one that nobody has asked for.
    const roll = random();
    if (roll < 0.03) {
      const project = `nobody-${Math.floor(random() * 1e9)}`;
      const endpoint = QUESTIONS[0]?.endpoint as Question['endpoint'];
      return {
        endpoint,
        query: `project=${project}&interval=1hr`,
        project: undefined,
        interval: '',
      };
    }
    return QUESTIONS[Math.floor(random() ** 2 * QUESTIONS.length)] as Question;
  }

  function goodTarget(): string {
    const { endpoint, query } = QUESTIONS[0] as Question;
    return `${endpoint}?${query}`;
  }

  function badTarget(): string {
    const targets = [
      'usage.api-counts?project=a&interval=yearly',
      'usage.api-counts?project=(&interval=daily',
      'functions.invocation-stats?interval=1hr',
      'functions.invocation-stats?project=a&project=b',
    ];
    return targets[Math.floor(random() * targets.length)] as string;
  }

  function unknownKey(): string {
    return `made-up-${Math.floor(random() * (random() < 0.5 ? 3 : 1e9))}`;
  }

  async function expectRefusal(
    what: string,
    target: string,
    code: number,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const answer = await askHere(target, headers);
    count(`${what} ${answer.status}`);
    if (answer.status === code) return;
    const isMadeUp = headers['X-API-KEY'] !== undefined;
    if (reasonOf(answer) === 'KEY_STORE_UNAVAILABLE' && wasFaulty('firestore', answer)) {
      if (!isMadeUp) judgeKey(answer);
      return;
    }
    violate(`${url}: ${what} got ${answer.status} ${answer.body.slice(0, 200)} (${faults.now})`);
  }

  async function expectRows(question: Question, isConditional: boolean): Promise<void> {
    const name = `${question.endpoint}?${question.query}`;
    const known = isConditional ? seen.get(name) : undefined;
    const answer = await askHere(name, known ? { 'If-None-Match': known.etag } : {});
    count(String(answer.status));
    const tookMs = answer.gotMs - answer.sentMs;
    if (tookMs > ANSWER_MS_MAX) violate(`${name}: took ${tookMs} ms`);
    if (answer.status === 304 && known !== undefined) judgeAge(name, known.version, answer);
    else if (answer.status === 200) {
      const version = versionOf(question, answer.body);
      if (version === undefined) return violate(`${name}: wrong rows: ${answer.body}`);
      if (question.project !== undefined) judgeAge(name, version, answer);
      const etag = answer.headers.get('etag') ?? '';
      if (seen.size < 500 || seen.has(name)) seen.set(name, { etag, version });
    } else return judgeFailure(question, name, answer);
    rememberKey(answer);
    return undefined;
  }

  /** The rows are at least as new as `Age` says, and never as old as they may be kept. */
  function judgeAge(name: string, version: number, { headers, sentMs, gotMs }: Answer): void {
    const age = Number(headers.get('age'));
    const status = headers.get('cache-status') ?? '';
    count(status.replace(/ttl=\d+/, 'ttl'));
    if (!(age < CACHING_SECONDS)) violate(`${name}: Age ${age} (${status})`);
    const isStatic = name.includes('function_id=g');
    if (!isStatic && !versions.isPossible(version, sentMs - (age + 1) * 1000, gotMs)) {
      violate(`${name}: rows of version ${version} of ${versions.latest}, Age ${age} (${status})`);
    }
  }

  /** Errors are right only where a part that the answer needs is, or was just, faulty. */
  async function judgeFailure(question: Question, name: string, answer: Answer): Promise<void> {
    const reason = reasonOf(answer) ?? '';
    count(`${answer.status} ${reason}`);
    const problem = `${name}: ${answer.status} ${answer.body.slice(0, 300)} after ${answer.gotMs - answer.sentMs} ms`;
    if (reason === 'KEY_STORE_UNAVAILABLE') {
      judgeKey(answer);
      if (!wasFaulty('firestore', answer))
        violate(`${problem}, Firestore was fine (${faults.now})`);
      return;
    }
    const isOfBigQuery = [429, 503, 504].includes(answer.status) && reason.startsWith('QUERY_');
    if (!isOfBigQuery) return violate(`${problem} (${faults.now})`);
    if (!wasFaulty('bigquery', answer))
      return violate(`${problem}, BigQuery was fine (${faults.now})`);
    if (wasFaulty('firestore', answer)) return undefined;
    const endpoint = catalogue.resolve(question.endpoint);
    if (endpoint === undefined) return undefined;
    const key = cacheKey(TEST_SCOPE, endpoint, parseParameters(endpoint, question.query));
    const [entry, document] = await Promise.all([
      resultStore.get(key),
      firestore.collection('results').doc(key).get(),
    ]);
    const writtenMs = document.updateTime?.toMillis() ?? Infinity;
    // One second, for clocks of two programs and for what is under way.
    if (entry && writtenMs < answer.sentMs - 1000 && entry.freshUntilMs > answer.gotMs + 1000) {
      violate(`${problem}, with a fresh entry in Firestore (${faults.now})`);
    }
    return undefined;
  }

  function wasFaulty(part: 'bigquery' | 'firestore', { sentMs, gotMs }: Answer): boolean {
    return faults.wasFaulty(part, sentMs - AFTERMATH_MS[part], gotMs);
  }

  /** A key is in memory for so long after it was looked up, and then nobody needs Firestore for it. */
  function rememberKey(answer: Answer): void {
    if (answer.sentMs < keyToMs + KEY_CACHE_SECONDS * 1000) return;
    // The one that looked it up may have been sent before this one, and wait for rows still.
    const endsMs = keyFromMs + KEY_CACHE_SECONDS * 1000 - 500;
    keyFromMs = Math.min(answer.sentMs, ...[...sentMs].filter((ms) => ms >= endsMs));
    keyToMs = answer.gotMs;
    sentMs.clear();
  }

  function judgeKey(answer: Answer): void {
    const isKnown = answer.sentMs > keyToMs && answer.gotMs < keyFromMs + KEY_CACHE_SECONDS * 1000;
    if (isKnown) violate(`${url}: KEY_STORE_UNAVAILABLE for a key in memory (${faults.now})`);
  }
}

async function post(url: string, faults: FaultSchedule): Promise<void> {
  const sentMs = Date.now();
  try {
    const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(60_000) });
    const report = (await response.json()) as { refreshed?: number; error?: object };
    count(`warm ${response.status}`);
    count('refreshed', report.refreshed ?? 0);
    const isFaulty = (['bigquery', 'firestore'] as const).some((part) =>
      faults.wasFaulty(part, sentMs - AFTERMATH_MS[part], Date.now()),
    );
    if (response.status !== 200 && !(response.status === 503 && isFaulty)) {
      violate(`warm: ${response.status} ${JSON.stringify(report).slice(0, 500)} (${faults.now})`);
    }
  } catch (error) {
    violate(`warm: no answer: ${String((error as Error).cause ?? error)} (${faults.now})`);
  }
}

function reasonOf({ body }: Answer): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error: { details: { reason: string }[] } };
    return error.details[0]?.reason;
  } catch {
    return undefined;
  }
}

function violate(sentence: string): void {
  violations.push(sentence);
  if (violations.length <= VIOLATIONS_SHOWN) say(`VIOLATION ${clockTime()} ${sentence}\n`);
}

function count(name: string, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by;
}

function report(memory: Memory, faults: FaultSchedule): void {
  say(
    `${clockTime()} violations ${violations.length}, MiB (warm query query) ${String(memory)}, ` +
      `fault ${faults.now}, ${JSON.stringify(counts)}\n`,
  );
}

function clockTime(): string {
  return new Date().toISOString().slice(11, 19);
}

function say(text: string): void {
  process.stdout.write(text);
}

if (import.meta.main) void runMain(main);
