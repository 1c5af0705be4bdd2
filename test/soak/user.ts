// The users of a soak test: they send a random mix of requests to an instance, and check every answer.
import type { Firestore, Timestamp } from '@google-cloud/firestore';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import { pickOf } from '../support/random.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { projectOf } from '../support/service/firestore-emulators.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { LATE } from './bigquery-faults.ts';
import {
  type ChangingTables,
  QUESTIONS,
  type Question,
  newEmptyQuestion,
  newQuestion,
} from './changing-tables.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import type { Instance } from './places.ts';
import {
  type Answer,
  ENDPOINTS,
  type HostileRequest,
  type RawRequest,
  ask,
  askRaw,
  createHostileBodies,
  hostileRequests,
  reasonOf,
} from './requests.ts';
import {
  AFTERMATH_MS,
  ANSWER_MS_MAX,
  API_KEY,
  CACHING_SECONDS,
  MEMORY_HIT_MS_MAX,
  PAUSE_MS,
  SHARED_MS,
} from './settings.ts';
import type { StoredResults } from './stored-results.ts';
import type { Verdict } from './verdict.ts';

export interface Traffic {
  tables: ChangingTables;
  faults: FaultSchedule;
  firestore: Firestore;
  /** Undefined if the emulator ignores preconditions, and with them the order of writes. */
  stored: StoredResults | undefined;
  catalogue: Catalogue;
  random: () => number;
  verdict: Verdict;
}

export type Users = ReturnType<typeof createUsers>;

interface Options {
  isConditional?: boolean;
  body?: Omit<RawRequest, 'target'>;
}

export function createUsers(traffic: Traffic) {
  const { tables, faults, firestore, stored, catalogue, random } = traffic;
  const { violate, count } = traffic.verdict;
  const bodies = createHostileBodies();
  /** The last ETag and body, by question: a 304 confirms the body. */
  const seen = new Map<string, { etag: string; body: string }>();

  return {
    /** Sends one random request. Never rejects. */
    act: async (instance: Instance): Promise<void> => {
      const roll = random();
      if (roll < 0.13) {
        const hostile = pickOf(hostileRequests(bodies, API_KEY, random), random);
        return void (await settle(instance, expectRefusal(instance, hostile)));
      }
      const isWithBody = roll < 0.16;
      const options = isWithBody
        ? { body: pickOf(bodies, random) }
        : { isConditional: roll < 0.35 };
      const question = isWithBody ? popular() : anyQuestion();
      await settle(instance, expectRows(instance, question, options));
    },
    /** Sends a question and checks the answer: the reason of its error, empty for rows; undefined if there is none. Never rejects. */
    askRows: (instance: Instance, question: Question) =>
      settle(instance, expectRows(instance, question)),
  };

  async function settle<T>(instance: Instance, asked: Promise<T>): Promise<T | undefined> {
    const startedMs = Date.now();
    try {
      return await asked;
    } catch (error) {
      // After a pause longer than its keep-alive timeout an instance closes idle connections.
      if (instance.wasPaused(startedMs - PAUSE_MS, Date.now())) count('cut at a pause');
      else {
        const cause = String((error as Error).cause ?? error);
        violate(`${instance.running.url}: no answer: ${cause} (${faults.now})`);
      }
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

  async function expectRefusal(instance: Instance, hostile: HostileRequest): Promise<void> {
    const { name, answer: expected, ...request } = hostile;
    const answer = await askRaw(instance.running.port, request);
    const [status, reason] = [answer.status, reasonOf(answer)];
    count(`${name} ${status}`);
    judgeTime(instance, name, answer);
    if (status === expected[0] && reason === expected[1]) return;
    // Only a request with a key needs Firestore.
    const isUnknowable = request.headers?.['X-API-KEY'] && reason === 'KEY_STORE_UNAVAILABLE';
    if (isUnknowable && mayMissKeys(instance, answer)) return;
    violate(`${name} got ${status} ${answer.body.slice(0, 200)} (${faults.now})`);
  }

  async function expectRows(
    instance: Instance,
    question: Question,
    { isConditional = false, body }: Options = {},
  ): Promise<string> {
    const { target } = question;
    const known = isConditional ? seen.get(target) : undefined;
    const condition = known && { 'If-None-Match': known.etag };
    const request = {
      ...body,
      target: `${ENDPOINTS}${target}`,
      headers: { 'X-API-KEY': API_KEY, ...body?.headers, ...condition },
    };
    const { port, url } = instance.running;
    const answer = await (body ? askRaw(port, request) : ask(url, request));
    count(String(answer.status));
    judgeTime(instance, target, answer);
    const isUnchanged = answer.status === 304 && known !== undefined;
    if (!isUnchanged && answer.status !== 200) {
      await judgeFailure(instance, question, answer);
      return reasonOf(answer) ?? 'none';
    }
    const rows = isUnchanged ? known.body : answer.body;
    judgeRows(instance, question, rows, answer);
    seen.set(target, { etag: answer.headers.get('etag') ?? '', body: rows });
    return '';
  }

  function judgeTime(instance: Instance, name: string, answer: Answer): void {
    const pauseMs = wasPaused(instance, answer) ? PAUSE_MS : 0;
    const tookMs = answer.gotMs - answer.sentMs - pauseMs;
    const isOfMemory = answer.headers.get('cache-status')?.includes('detail=memory') ?? false;
    // A hit in memory may record the reader in Firestore.
    const isQuick = isOfMemory && !wasFaulty('firestore', answer);
    const maxMs = isQuick ? MEMORY_HIT_MS_MAX : ANSWER_MS_MAX;
    if (tookMs > maxMs) violate(`${name}: took ${tookMs} ms (${faults.now})`);
  }

  /** The rows must be as new as `Age` says, younger than the caching time, and the newest that are stored. */
  function judgeRows(instance: Instance, question: Question, body: string, answer: Answer): void {
    const { headers, sentMs, gotMs } = answer;
    const { target } = question;
    const age = Number(headers.get('age'));
    const status = headers.get('cache-status') ?? '';
    count(status.replace(/ttl=\d+/, 'ttl'));
    if (!(age < CACHING_SECONDS)) violate(`${target}: Age ${age} (${status})`);
    const fault = tables.faultOf(question, body, sentMs - (age + 1) * 1000, gotMs);
    if (fault)
      violate(`${target}: ${fault.what}, Age ${age} (${status}): ${body}, now ${fault.now}`);
    const newest = stored?.newestOf(keyOf(question));
    if (newest === undefined || !/; hit/.test(status) || wasPaused(instance, answer)) return;
    if (newest.seenMs + SHARED_MS > sentMs) return;
    count('hits compared with stored rows');
    // `Age` also counts from when the rows were known to be unchanged, which is never before they were computed.
    const olderMs = newest.computedAtMs - (gotMs - age * 1000);
    if (olderMs > 0) violate(`${target}: ${olderMs} ms older than the stored rows (${status})`);
  }

  /** An error is allowed only if a part that the answer needs is faulty, or was shortly before. */
  async function judgeFailure(instance: Instance, question: Question, answer: Answer) {
    const reason = reasonOf(answer) ?? '';
    count(`${answer.status} ${reason}`);
    const tookMs = answer.gotMs - answer.sentMs;
    const problem = `${question.target}: ${answer.status} ${answer.body.slice(0, 300)} after ${tookMs} ms`;
    if (reason === 'KEY_STORE_UNAVAILABLE') {
      if (!mayMissKeys(instance, answer)) violate(`${problem}, Firestore was fine (${faults.now})`);
      return;
    }
    if (reason === 'INSTANCE_STOPPING' && instance.isStopping()) return;
    if (LATE.some((late) => late === reason) && wasPaused(instance, answer)) return;
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

  function keyOf({ target }: Question): string {
    const [name = '', query = ''] = target.split('?');
    const endpoint = catalogue.resolve(name) as Endpoint;
    const scope = { ...TEST_SCOPE, project: projectOf(firestore) };
    return cacheKey(scope, endpoint, parseParameters(endpoint, query));
  }

  function wasFaulty(part: 'bigquery' | 'firestore', { sentMs, gotMs }: Answer): boolean {
    return faults.wasFaulty(part, sentMs - AFTERMATH_MS[part], gotMs);
  }

  function wasPaused(instance: Instance, { sentMs, gotMs }: Answer): boolean {
    return instance.wasPaused(sentMs - AFTERMATH_MS.bigquery, gotMs);
  }

  function mayMissKeys(instance: Instance, answer: Answer): boolean {
    return wasFaulty('firestore', answer) || wasPaused(instance, answer);
  }
}
