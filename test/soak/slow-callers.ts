// The callers of slow queries: each has an API key of its own, asks in some rhythm, and comes back for the rows or does not.
import { setTimeout as delay } from 'node:timers/promises';
import type { Firestore } from '@google-cloud/firestore';
import { sha256Hex } from '../../functions/core/bytes.ts';
import { pickOf } from '../support/random.ts';
import { storeKey } from '../support/world.ts';
import type { Place, Started } from './places.ts';
import { ENDPOINTS, ask, reasonOf } from './requests.ts';
import { type Customer, JOB_BYTES, type Ledger, type Question } from './slow-ledger.ts';

/** With the name of its instance, and what its definitions say. */
export type SlowPlace = Place<Started & { name: string; version: string }>;

export const KEY_PREFIX = 'sqk_slow-';
/** The longest query, and the longest of the endpoint whose jobs may be stopped before the next run of warming. */
const MS_MAX = { 'slow.long': 20_000, 'slow.brief': 8000 };
/** How long whoever asks again may have to wait for the rows of a query, on a busy machine. */
const ROWS_MS_MAX = 90_000;
/** Their query may be written down, and BigQuery may never have had it. */
const UNSENT = new Set(['QUERY_STARTING', 'RESULT_STORE_UNAVAILABLE', 'QUERY_ENGINE_UNAVAILABLE']);
const WAITS = ['respond-async', 'wait=1', 'wait=1', 'wait=2', 'wait=3', 'wait=5', undefined];
/** How many questions, and how many of them at once. */
const RHYTHMS = [
  [1, 1],
  [4, 1],
  [8, 8],
  [20, 1],
  [20, 4],
  [30, 30],
] as const;

export function createCallers(
  places: readonly SlowPlace[],
  firestore: Firestore,
  ledger: Ledger,
  random: () => number,
) {
  const customers: Customer[] = [];
  const questions: Question[] = [];
  return { customers, visit };

  async function visit(): Promise<void> {
    const customer = await newCustomer();
    const [number, atOnce] = pickOf(RHYTHMS, random);
    const wait = pickOf(WAITS, random);
    const comesBack = random() < 0.4;
    for (let asked = 0; asked < number; asked += atOnce)
      await Promise.all(Array.from({ length: atOnce }, () => get(customer, wait, comesBack)));
  }

  async function newCustomer(): Promise<Customer> {
    const name = `customer-${customers.length}`;
    const apiKey = `${KEY_PREFIX}${name}-${'0'.repeat(30)}`;
    const bytesPerDay = random() < 0.6 ? 8 * JOB_BYTES : undefined;
    const customer = { name, apiKey, digest: sha256Hex(apiKey), bytesPerDay };
    customers.push(customer);
    await storeKey(firestore, apiKey, { name, ...(bytesPerDay ? { bytesPerDay } : {}) });
    return customer;
  }

  /** Of its own, or one that another key has asked. */
  function newQuestion(): Question {
    if (questions.length > 0 && random() < 0.2) return pickOf(questions.slice(-20), random);
    const endpoint = random() < 0.7 ? 'slow.long' : 'slow.brief';
    const ms = Math.round(50 * (MS_MAX[endpoint] / 50) ** random());
    const question = { endpoint, id: String(questions.length), ms };
    questions.push(question);
    return question;
  }

  async function get(customer: Customer, wait: string | undefined, comesBack: boolean) {
    const question = newQuestion();
    const untilMs = Date.now() + question.ms + ROWS_MS_MAX;
    const answers: string[] = [];
    for (;;) {
      const { isDone, answered, retrySeconds } = await askOnce(customer, question, wait);
      answers.push(answered);
      if (isDone || !comesBack) return;
      if (Date.now() > untilMs) {
        const what = `${customer.name}, id=${question.id}, ${question.ms} ms, ${wait}`;
        return ledger.violate('no rows in the end', `${what}: ${answers.join(', ')}`);
      }
      await delay(retrySeconds * 1000);
    }
  }

  async function askOnce(customer: Customer, question: Question, wait: string | undefined) {
    const { endpoint, id, ms } = question;
    const place = pickOf(places, random);
    const { version, instance, name } = place;
    const headers = { 'X-API-KEY': customer.apiKey, ...(wait ? { Prefer: wait } : {}) };
    const target = `${ENDPOINTS}${endpoint}?id=${id}&ms=${ms}`;
    const close = ledger.opens(question, customer);
    const answer = await ask(instance.running.url, { target, headers }).catch(() => undefined);
    close(answer === undefined || UNSENT.has(reasonOf(answer) ?? ''));
    // The instance was killed or replaced in between.
    if (place.instance !== instance || instance.isStopping() || answer === undefined) {
      if (!instance.isStopping()) ledger.violate('no answer', `${customer.name} from ${name}`);
      return { isDone: false, answered: 'stopped', retrySeconds: 1 };
    }
    const hasRows = ledger.judge(question, customer, version, answer);
    const answered = `${answer.status} ${reasonOf(answer) ?? ''}`;
    const retrySeconds = Number(answer.headers.get('retry-after') ?? 1);
    // Until tomorrow.
    const isDone = hasRows || (answered === '429 BYTES_PER_DAY' && retrySeconds > 60);
    return { isDone, answered, retrySeconds: Math.min(5, retrySeconds) };
  }
}
