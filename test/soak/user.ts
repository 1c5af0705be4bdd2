// A user of one instance: sends a random mix of requests and checks every answer.
import type { Firestore } from '@google-cloud/firestore';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import { cacheKey } from '../../functions/results/cache-key.ts';
import { sha256Hex } from '../../functions/core/hashes.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { createFirestoreResultStore } from '../../functions/google/result-store.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import { type HostileBody, hostileRequests, madeUpKey } from './hostile-requests.ts';
import type { Instance } from './instance.ts';
import {
  QUESTIONS,
  type Question,
  type Versions,
  newEmptyQuestion,
  newQuestion,
  versionOf,
} from './known-logs.ts';
import { pickOf } from '../support/random.ts';
import { type Answer, ENDPOINTS, type RawRequest, ask, askRaw, reasonOf } from './requests.ts';
import {
  AFTERMATH_MS,
  ANSWER_MS_MAX,
  CACHING_SECONDS,
  KEY_CACHE_SECONDS,
  MEMORY_HIT_MS_MAX,
  MEMORY_SECONDS,
  PAUSE_MS,
  STORE_SECONDS,
} from './settings.ts';
import type { StoredResults } from './stored-results.ts';
import type { Verdict } from './verdict.ts';

export interface Traffic {
  versions: Versions;
  faults: FaultSchedule;
  firestore: Firestore;
  /** Undefined if the emulator ignores preconditions, and with them the order of writes. */
  stored: StoredResults | undefined;
  catalogue: Catalogue;
  bodies: readonly HostileBody[];
  /** Opens everything. */
  apiKey: string;
  /** Opens only the project `p1`. */
  restrictedKey: string;
  random: () => number;
  verdict: Verdict;
}

export interface User {
  /** Sends one random request, or a flood. Never rejects. */
  act(): Promise<void>;
  /** Sends a question and checks the answer; undefined if there is none. Never rejects. */
  askRows(question: Question): Promise<Outcome | undefined>;
}

/** The version of the rows or the reason of the error; neither if the rows are wrong. */
export interface Outcome {
  version?: number;
  reason?: string;
}

type RawRows = Pick<RawRequest, 'headers' | 'body'>;

const FLOOD_KEYS = 60;
/** An address for documentation (RFC 5737). The last address of X-Forwarded-For counts. */
const FLOOD_ADDRESS = '198.51.100.7';
/** Time from a write of newer rows until no request gets older ones, from an open read or from memory. */
const SHARED_MS = (2 * STORE_SECONDS + MEMORY_SECONDS + 1) * 1000;
/** A key is looked up again at most this long before it expires in memory. */
const KEY_CLOCK_MS = 500;

export function createUser(instance: Instance, traffic: Traffic): User {
  const { versions, faults, firestore, stored, catalogue, random } = traffic;
  const { violate, count } = traffic.verdict;
  const { url, port } = instance.running;
  const resultStore = createFirestoreResultStore(firestore);
  const keyStore = createKeyRegister(firestore);
  /** The last ETag and version, by question: a 304 confirms the version. */
  const seen = new Map<string, { etag: string; version: number }>();
  // The instance looked up the key at some time between these two instants.
  let keyFromMs = -Infinity;
  let keyToMs = -Infinity;
  /** When requests were sent that may have looked up the key again. */
  const sentMs = new Set<number>();

  return { act, askRows: (question) => settle(expectRows(question)) };

  async function act(): Promise<void> {
    const roll = random();
    if (roll < 0.04) await settle(expectRefusal('bad request', badRequest(), 400));
    else if (roll < 0.07) {
      const request = { target: targetOf(popular()), headers: fromElsewhere(unknownKey()) };
      await settle(expectRefusal('unknown key', request, 401));
    } else if (roll < 0.09) {
      const request = { target: `${ENDPOINTS}no.such?project=a`, headers: keyHeader() };
      await settle(expectRefusal('unknown endpoint', request, 404));
    } else if (roll < 0.13) await settle(expectHostileRefusal());
    else if (roll < 0.16) {
      count('bodies with good questions');
      await settle(expectRows(popular(), { raw: pickOf(traffic.bodies, random) }));
    } else if (roll < 0.165) await flood();
    else await settle(expectRows(anyQuestion(), { isConditional: roll < 0.35 }));
  }

  async function settle<T>(asked: Promise<T>): Promise<T | undefined> {
    const startedMs = Date.now();
    try {
      return await asked;
    } catch (error) {
      // After a pause longer than its keep-alive timeout an instance closes idle connections.
      if (instance.wasPaused(startedMs - PAUSE_MS, Date.now())) count('cut at a pause');
      else violate(`${url}: no answer: ${String((error as Error).cause ?? error)} (${faults.now})`);
      return undefined;
    }
  }

  function keyHeader(apiKey = traffic.apiKey): Record<string, string> {
    return { 'X-API-KEY': apiKey };
  }

  /** Addresses before the last one come from the client and do not count. */
  function fromElsewhere(apiKey: string, address = anyAddress()): Record<string, string> {
    return { ...keyHeader(apiKey), 'X-Forwarded-For': `${FLOOD_ADDRESS}, ${address}` };
  }

  function anyAddress(): string {
    return `203.0.113.${Math.floor(random() * 256)}`;
  }

  function unknownKey(): string {
    return `sqk_made-up-${Math.floor(random() * (random() < 0.5 ? 3 : 1e9))}`;
  }

  /** Some are requested much more often than others, and stay warm. */
  function popular(): Question {
    return QUESTIONS[Math.floor(random() ** 2 * QUESTIONS.length)] as Question;
  }

  function anyQuestion(): Question {
    const roll = random();
    if (roll < 0.03) return newEmptyQuestion(random);
    return roll < 0.06 ? newQuestion(random) : popular();
  }

  function badRequest(): RawRequest {
    const query = pickOf(
      [
        'web.visit-counts?project=a&interval=yearly',
        'web.visit-counts?project=(&interval=daily',
        'tasks.run-stats?interval=1hr',
        'tasks.run-stats?project=a&project=b',
      ],
      random,
    );
    return { target: ENDPOINTS + query, headers: keyHeader() };
  }

  function send(request: RawRequest, isRaw: boolean): Promise<Answer> {
    const isOwnKey = request.headers?.['X-API-KEY'] === traffic.apiKey;
    if (isOwnKey) sentMs.add(Date.now());
    return isRaw ? askRaw(port, request) : ask(url, request);
  }

  async function expectRefusal(
    what: string,
    request: RawRequest,
    code: number,
    { isRaw = false, reason }: { isRaw?: boolean; reason?: string } = {},
  ): Promise<void> {
    const answer = await send(request, isRaw);
    count(`${what} ${answer.status}`);
    judgeTime(what, answer);
    const isRight = answer.status === code && (reason === undefined || reasonOf(answer) === reason);
    if (isRight) return;
    const key = request.headers?.['X-API-KEY'];
    // Only a request with a key needs Firestore.
    const isUnknowable = key !== undefined && reasonOf(answer) === 'KEY_STORE_UNAVAILABLE';
    if (isUnknowable && mayMissKeys(answer)) {
      if (key === traffic.apiKey) judgeKey(answer);
      return;
    }
    violate(`${url}: ${what} got ${answer.status} ${answer.body.slice(0, 200)} (${faults.now})`);
  }

  async function expectHostileRefusal(): Promise<void> {
    const { apiKey, restrictedKey, bodies } = traffic;
    const request = pickOf(hostileRequests(bodies, apiKey, restrictedKey, random), random);
    const [code, reason] = request.answer;
    await expectRefusal(request.name, request, code, { isRaw: true, reason });
  }

  /** Sends unknown keys from one address and, at the same time, a new valid key from another one. */
  async function flood(): Promise<void> {
    const key = `sqk_first-use-${Math.floor(random() * 1e12)}`;
    await keyStore.set(sha256Hex(key), { name: 'first use', endpoints: ['*'] });
    count('floods');
    const target = targetOf(popular());
    const made = Array.from({ length: FLOOD_KEYS }, async () => {
      const answer = await send(
        { target, headers: fromElsewhere(madeUpKey(random), FLOOD_ADDRESS) },
        true,
      );
      count(`flood ${answer.status}`);
      judgeTime('flood', answer);
      const reason = reasonOf(answer) ?? '';
      if (['API_KEY_INVALID', 'KEY_LOOKUPS_EXHAUSTED'].includes(reason)) return;
      if (reason === 'KEY_STORE_UNAVAILABLE' && mayMissKeys(answer)) return;
      violate(`${url}: a made-up key got ${answer.status} ${reason} (${faults.now})`);
    });
    const used = expectRows(popular(), { headers: fromElsewhere(key) });
    await Promise.all([settle(used), ...made.map((asked) => settle(asked))]);
  }

  async function expectRows(
    question: Question,
    options: {
      isConditional?: boolean;
      raw?: RawRows | undefined;
      headers?: Record<string, string>;
    } = {},
  ): Promise<Outcome> {
    const { isConditional = false, raw, headers = keyHeader() } = options;
    const name = `${question.endpoint}?${question.query}`;
    const known = isConditional ? seen.get(name) : undefined;
    const answer = await send(
      {
        ...raw,
        target: targetOf(question),
        headers: {
          ...headers,
          ...raw?.headers,
          ...(known ? { 'If-None-Match': known.etag } : {}),
        },
      },
      raw !== undefined,
    );
    count(String(answer.status));
    judgeTime(name, answer);
    let version: number | undefined;
    if (answer.status === 304 && known !== undefined) ({ version } = known);
    else if (answer.status === 200) version = versionOf(question, answer.body);
    else {
      await judgeFailure(question, name, headers, answer);
      return { reason: reasonOf(answer) ?? '' };
    }
    if (version === undefined) {
      violate(`${name}: wrong rows: ${answer.body}`);
      return {};
    }
    judgeAge(question, name, version, answer);
    const etag = answer.headers.get('etag') ?? '';
    if (seen.size < 500 || seen.has(name)) seen.set(name, { etag, version });
    if (headers['X-API-KEY'] === traffic.apiKey) rememberKey(answer);
    return { version };
  }

  function judgeTime(name: string, answer: Answer): void {
    const tookMs = answer.gotMs - answer.sentMs - (wasPaused(answer) ? PAUSE_MS : 0);
    const isOfMemory = answer.headers.get('cache-status')?.includes('detail=memory') ?? false;
    // A hit in memory may record the reader in Firestore.
    const isQuick = isOfMemory && !wasFaulty('firestore', answer);
    const maxMs = isQuick ? MEMORY_HIT_MS_MAX : ANSWER_MS_MAX;
    if (tookMs > maxMs) violate(`${url}: ${name}: took ${tookMs} ms (${faults.now})`);
  }

  /** The rows must be as new as `Age` says, younger than the caching time, and the newest that are stored. */
  function judgeAge(question: Question, name: string, version: number, answer: Answer): void {
    const { headers, sentMs, gotMs } = answer;
    const age = Number(headers.get('age'));
    const status = headers.get('cache-status') ?? '';
    count(status.replace(/ttl=\d+/, 'ttl'));
    if (!(age < CACHING_SECONDS)) violate(`${name}: Age ${age} (${status})`);
    const hasRecords = question.project !== undefined;
    if (hasRecords && !versions.isPossible(version, sentMs - (age + 1) * 1000, gotMs)) {
      violate(`${name}: rows of version ${version} of ${versions.latest}, Age ${age} (${status})`);
    }
    const newest = stored?.newestOf(keyOf(question) ?? '');
    if (newest === undefined || !/; hit/.test(status) || wasPaused(answer)) return;
    if (newest.seenMs + SHARED_MS > sentMs) return;
    count('hits compared with stored rows');
    const olderMs = newest.computedAtMs - (gotMs - age * 1000);
    if (olderMs > 0) violate(`${name}: ${olderMs} ms older than the stored rows (${status})`);
  }

  /** An error is allowed only if a part that the answer needs is faulty, or was shortly before. */
  async function judgeFailure(
    question: Question,
    name: string,
    headers: Record<string, string>,
    answer: Answer,
  ): Promise<void> {
    const reason = reasonOf(answer) ?? '';
    count(`${answer.status} ${reason}`);
    const tookMs = answer.gotMs - answer.sentMs;
    const problem = `${url}: ${name}: ${answer.status} ${answer.body.slice(0, 300)} after ${tookMs} ms`;
    if (reason === 'KEY_STORE_UNAVAILABLE') {
      if (headers['X-API-KEY'] === traffic.apiKey) judgeKey(answer);
      if (!mayMissKeys(answer)) violate(`${problem}, Firestore was fine (${faults.now})`);
      return;
    }
    if (reason === 'INSTANCE_STOPPING' && instance.isStopping()) return;
    if (reason === 'QUERY_DEADLINE_EXCEEDED' && wasPaused(answer)) return;
    if (!faults.reasons(answer.sentMs - AFTERMATH_MS.bigquery, answer.gotMs).has(reason)) {
      return violate(`${problem}, BigQuery was not faulty in this way (${faults.now})`);
    }
    if (wasFaulty('firestore', answer)) return;
    const key = keyOf(question);
    if (key === undefined) return;
    const [entry, document] = await Promise.all([
      resultStore.get(key),
      firestore.collection('results').doc(key).get(),
    ]);
    const writtenMs = document.updateTime?.toMillis() ?? Infinity;
    // One second for the clocks of two processes and for open calls.
    if (entry && writtenMs < answer.sentMs - 1000 && entry.freshUntilMs > answer.gotMs + 1000) {
      violate(`${problem}, with a fresh entry in Firestore (${faults.now})`);
    }
  }

  function keyOf({ endpoint: name, query }: Question): string | undefined {
    const endpoint = catalogue.resolve(name);
    if (endpoint === undefined) return undefined;
    return cacheKey(TEST_SCOPE, endpoint, parseParameters(endpoint, query));
  }

  function wasFaulty(part: 'bigquery' | 'firestore', { sentMs, gotMs }: Answer): boolean {
    return faults.wasFaulty(part, sentMs - AFTERMATH_MS[part], gotMs);
  }

  function wasPaused({ sentMs, gotMs }: Answer): boolean {
    return instance.wasPaused(sentMs - AFTERMATH_MS.bigquery, gotMs);
  }

  function mayMissKeys(answer: Answer): boolean {
    return wasFaulty('firestore', answer) || wasPaused(answer);
  }

  /** Notes when the key was looked up: while it is in memory, a request does not need Firestore for it. */
  function rememberKey(answer: Answer): void {
    if (answer.sentMs < keyToMs + KEY_CACHE_SECONDS * 1000) return;
    // The request that looked it up may have been sent before this one and still wait for rows.
    const endsMs = keyFromMs + KEY_CACHE_SECONDS * 1000 - KEY_CLOCK_MS;
    keyFromMs = Math.min(answer.sentMs, ...[...sentMs].filter((ms) => ms >= endsMs));
    keyToMs = answer.gotMs;
    sentMs.clear();
  }

  function judgeKey(answer: Answer): void {
    const isKnown = answer.sentMs > keyToMs && answer.gotMs < keyFromMs + KEY_CACHE_SECONDS * 1000;
    if (isKnown) violate(`${url}: KEY_STORE_UNAVAILABLE for a key in memory (${faults.now})`);
  }
}

function targetOf({ endpoint, query }: Question): string {
  return `${ENDPOINTS}${endpoint}?${query}`;
}
