// Faults that come and go: the same seed gives the same ones.
import type { BigQueryFault, BigQueryProxy } from '../support/bigquery-proxy.ts';
import type { FirestoreCall, FirestoreFault, FirestoreProxy } from '../support/firestore-proxy.ts';

/** mulberry32: small, and good enough to mix traffic and faults. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const BIGQUERY_FAULTS: [string, BigQueryFault][] = [
  ['slow', { delayMs: 1500 }],
  ['quota', { code: 403, reason: 'rateLimitExceeded' }],
  ['500s', { code: 500, reason: 'backendError' }],
  ['cut', 'cut'],
  ['cut after the work', 'cut-after'],
  ['stalled', 'stall'],
  ['unfinished', { unfinishedAfterMs: 1000 }],
];
const FIRESTORE_FAULTS: [string, FirestoreFault][] = [
  ['unavailable', 'unavailable'],
  ['stalled', 'stall'],
  ['slow', { delayMs: 600 }],
];
const FIRESTORE_PHASES: [string, (call: FirestoreCall) => boolean][] = [
  ['everything', () => true],
  ['keys', ({ collection }) => collection === 'apiKeys'],
  ['reads', ({ collection, method }) => collection === 'results' && method === 'BatchGetDocuments'],
  ['leases', ({ collection }) => collection === 'leases'],
  ['writes', ({ collection, method }) => collection === 'results' && method === 'Commit'],
];

export type Part = 'bigquery' | 'firestore';

export class FaultSchedule {
  readonly #bigquery: BigQueryProxy;
  readonly #firestore: FirestoreProxy;
  readonly #random: () => number;
  readonly #spans: { part: Part; fromMs: number; toMs: number }[] = [];
  now = 'none';

  constructor(bigquery: BigQueryProxy, firestore: FirestoreProxy, seed: number) {
    this.#bigquery = bigquery;
    this.#firestore = firestore;
    this.#random = createRandom(seed);
  }

  /** Begins the next fault, of one part or, seldom, of both. */
  begin(): void {
    const roll = this.#random();
    const names: string[] = [];
    if (roll < 0.55) {
      const [name, fault] = this.#pick(BIGQUERY_FAULTS);
      names.push(`BigQuery ${name}`);
      this.#bigquery.fault = ({ kind }) => {
        // A job has to be there before it can be unfinished.
        const isFor = typeof fault !== 'object' || !('unfinishedAfterMs' in fault);
        return isFor || kind === 'results' ? fault : 'pass';
      };
      this.#open('bigquery');
    }
    if (roll >= 0.4) {
      const [name, fault] = this.#pick(FIRESTORE_FAULTS);
      const [phase, isHit] = this.#pick(FIRESTORE_PHASES);
      names.push(`Firestore ${name} for ${phase}`);
      this.#firestore.fault = (call) => (isHit(call) ? fault : 'pass');
      this.#open('firestore');
    }
    this.now = names.join(' and ');
  }

  end(): void {
    this.#bigquery.fault = () => 'pass';
    this.#firestore.fault = () => 'pass';
    this.#firestore.endStalls();
    for (const span of this.#spans) if (span.toMs === Infinity) span.toMs = Date.now();
    this.now = 'none';
  }

  wasFaulty(part: Part, fromMs: number, toMs: number): boolean {
    return this.#spans.some(
      (span) => span.part === part && span.fromMs <= toMs && span.toMs >= fromMs,
    );
  }

  #open(part: Part): void {
    this.#spans.push({ part, fromMs: Date.now(), toMs: Infinity });
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }
}
