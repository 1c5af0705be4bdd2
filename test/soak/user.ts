// A user of one instance: sends a random mix of requests and checks every answer.
import type { Firestore, Timestamp } from '@google-cloud/firestore';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { cacheKey } from '../../functions/results/cache-key.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { projectOf } from '../support/service/firestore-emulators.ts';
import { LATE } from './bigquery-faults.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import { type createHostileBodies, hostileRequests } from './hostile-requests.ts';
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
  bodies: ReturnType<typeof createHostileBodies>;
  /** Opens everything. */
  apiKey: string;
  random: () => number;
  verdict: Verdict;
}

export type User = ReturnType<typeof createUser>;

/** The version of the rows or the reason of the error; neither if the rows are wrong. */
interface Outcome {
  version?: number;
  reason?: string;
}

/** Time from a write of newer rows until no request gets older ones, from an open read or from memory. */
const SHARED_MS = (2 * STORE_SECONDS + MEMORY_SECONDS + 1) * 1000;

export function createUser(instance: Instance, traffic: Traffic) {
  const { versions, faults, firestore, stored, catalogue, random, apiKey, bodies } = traffic;
  const { violate, count } = traffic.verdict;
  const { url, port } = instance.running;
  /** The last ETag and version, by question: a 304 confirms the version. */
  const seen = new Map<string, { etag: string; version: number }>();

  return {
    /** Sends one random request. Never rejects. */
    act: async (): Promise<void> => {
      const roll = random();
      if (roll < 0.13) await settle(expectRefusal());
      else if (roll < 0.16) await settle(expectRows(popular(), { body: pickOf(bodies, random) }));
      else await settle(expectRows(anyQuestion(), { isConditional: roll < 0.35 }));
    },
    /** Sends a question and checks the answer; undefined if there is none. Never rejects. */
    askRows: (question: Question) => settle(expectRows(question)),
  };

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

  /** Some are requested much more often than others, and stay warm. */
  function popular(): Question {
    return QUESTIONS[Math.floor(random() ** 2 * QUESTIONS.length)] as Question;
  }

  function anyQuestion(): Question {
    const roll = random();
    if (roll < 0.03) return newEmptyQuestion(random);
    return roll < 0.06 ? newQuestion(random) : popular();
  }

  async function expectRefusal(): Promise<void> {
    const {
      name,
      answer: expected,
      ...request
    } = pickOf(hostileRequests(bodies, apiKey, random), random);
    const answer = await askRaw(port, request);
    const [status, reason] = [answer.status, reasonOf(answer)];
    count(`${name} ${status}`);
    judgeTime(name, answer);
    if (status === expected[0] && reason === expected[1]) return;
    // Only a request with a key needs Firestore.
    const isUnknowable = request.headers?.['X-API-KEY'] && reason === 'KEY_STORE_UNAVAILABLE';
    if (isUnknowable && mayMissKeys(answer)) return;
    violate(`${url}: ${name} got ${status} ${answer.body.slice(0, 200)} (${faults.now})`);
  }

  async function expectRows(
    question: Question,
    {
      isConditional = false,
      body,
    }: { isConditional?: boolean; body?: Omit<RawRequest, 'target'> } = {},
  ): Promise<Outcome> {
    const name = `${question.endpoint}?${question.query}`;
    const known = isConditional ? seen.get(name) : undefined;
    const condition = known && { 'If-None-Match': known.etag };
    const request = {
      ...body,
      target: `${ENDPOINTS}${name}`,
      headers: { 'X-API-KEY': apiKey, ...body?.headers, ...condition },
    };
    const answer = await (body ? askRaw(port, request) : ask(url, request));
    count(String(answer.status));
    judgeTime(name, answer);
    const isUnchanged = answer.status === 304 && known !== undefined;
    if (!isUnchanged && answer.status !== 200) {
      await judgeFailure(question, name, answer);
      return { reason: reasonOf(answer) ?? '' };
    }
    const version = isUnchanged ? known.version : versionOf(question, answer.body);
    if (version === undefined) {
      violate(`${name}: wrong rows: ${answer.body}`);
      return {};
    }
    judgeAge(question, name, version, answer);
    seen.set(name, { etag: answer.headers.get('etag') ?? '', version });
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
    const newest = stored?.newestOf(keyOf(question));
    if (newest === undefined || !/; hit/.test(status) || wasPaused(answer)) return;
    if (newest.seenMs + SHARED_MS > sentMs) return;
    count('hits compared with stored rows');
    const olderMs = newest.computedAtMs - (gotMs - age * 1000);
    if (olderMs > 0) violate(`${name}: ${olderMs} ms older than the stored rows (${status})`);
  }

  /** An error is allowed only if a part that the answer needs is faulty, or was shortly before. */
  async function judgeFailure(question: Question, name: string, answer: Answer): Promise<void> {
    const reason = reasonOf(answer) ?? '';
    count(`${answer.status} ${reason}`);
    const tookMs = answer.gotMs - answer.sentMs;
    const problem = `${url}: ${name}: ${answer.status} ${answer.body.slice(0, 300)} after ${tookMs} ms`;
    if (reason === 'KEY_STORE_UNAVAILABLE') {
      if (!mayMissKeys(answer)) violate(`${problem}, Firestore was fine (${faults.now})`);
      return;
    }
    if (reason === 'INSTANCE_STOPPING' && instance.isStopping()) return;
    if (LATE.some((late) => late === reason) && wasPaused(answer)) return;
    if (!faults.reasons(answer.sentMs - AFTERMATH_MS.bigquery, answer.gotMs).has(reason)) {
      return violate(`${problem}, BigQuery was not faulty in this way (${faults.now})`);
    }
    if (wasFaulty('firestore', answer)) return;
    const entry = await firestore.collection('results').doc(keyOf(question)).get();
    const writtenMs = entry.updateTime?.toMillis() ?? Infinity;
    const freshUntilMs = (entry.get('freshUntil') as Timestamp | undefined)?.toMillis() ?? 0;
    // One second for the clocks of two processes and for open calls.
    if (writtenMs < answer.sentMs - 1000 && freshUntilMs > answer.gotMs + 1000) {
      violate(`${problem}, with a fresh entry in Firestore (${faults.now})`);
    }
  }

  function keyOf({ endpoint: name, query }: Question): string {
    const endpoint = catalogue.resolve(name) as Endpoint;
    const scope = { ...TEST_SCOPE, project: projectOf(firestore) };
    return cacheKey(scope, endpoint, parseParameters(endpoint, query));
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
}
