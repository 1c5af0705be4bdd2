// Chooses faults and events in an order that the seed determines, and knows which fault was active when.
import type { Reason } from '../../functions/core/errors.ts';
import type {
  BigQueryCall,
  BigQueryFault,
  BigQueryProxy,
} from '../support/bigquery/bigquery-proxy.ts';
import type {
  FirestoreCall,
  FirestoreFault,
  FirestoreProxy,
} from '../support/service/firestore-proxy.ts';
import { BIGQUERY_FAULTS, STRAY_PATH } from './bigquery-faults.ts';
import { createDeck, createRandom } from '../support/random.ts';
import { SLOW_MS } from './settings.ts';
import type { Verdict } from './verdict.ts';

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

/** The kinds of turns: faults of one part or of both, or an event. */
export const TURNS = [
  ...['bigquery', 'bigquery', 'bigquery', 'firestore', 'firestore', 'both'],
  ...['pause', 'restart', 'spoil'],
] as const;
export type Turn = 'bigquery' | 'firestore' | 'both' | 'pause' | 'restart' | 'spoil';
export type Part = 'bigquery' | 'firestore';

interface Span {
  part: Part;
  fromMs: number;
  toMs: number;
  reasons: readonly Reason[];
}

interface Hold {
  text: string;
  delayMs: number;
  hasCome: () => void;
}

export class FaultSchedule {
  readonly #firestore: FirestoreProxy;
  readonly #violate: Verdict['violate'];
  readonly #count: Verdict['count'];
  readonly #spans: Span[] = [];
  readonly #holds: Hold[] = [];
  readonly #dealTurn: () => Turn;
  readonly #dealBigQuery: () => (typeof BIGQUERY_FAULTS)[number];
  readonly #dealFirestore: () => [string, FirestoreFault, (call: FirestoreCall) => boolean];
  #bigqueryFault: (call: BigQueryCall) => BigQueryFault = () => 'pass';
  now = 'none';

  constructor(
    bigquery: BigQueryProxy,
    firestore: FirestoreProxy,
    seed: number,
    { violate, count }: Verdict,
  ) {
    this.#firestore = firestore;
    this.#violate = violate;
    this.#count = count;
    const random = createRandom(seed);
    this.#dealTurn = createDeck(TURNS as readonly Turn[], random);
    this.#dealBigQuery = createDeck(BIGQUERY_FAULTS, random);
    this.#dealFirestore = createDeck(
      FIRESTORE_FAULTS.flatMap(([name, fault]) =>
        FIRESTORE_PHASES.map(([phase, isHit]): [string, FirestoreFault, typeof isHit] => [
          `${name} for ${phase}`,
          fault,
          isHit,
        ]),
      ),
      random,
    );
    bigquery.fault = (call) => this.#decide(call);
    bigquery.onAnswer = (tookMs) => this.#addSlowness('bigquery', tookMs);
    firestore.onAnswer = (tookMs) => this.#addSlowness('firestore', tookMs);
  }

  next(): Turn {
    return this.#dealTurn();
  }

  /** Starts the next fault and ends the current one. */
  begin(of: 'bigquery' | 'firestore' | 'both'): void {
    this.end();
    const names: string[] = [];
    if (of !== 'firestore') {
      const { name, fault, kinds, reason } = this.#dealBigQuery();
      names.push(`BigQuery ${name}`);
      this.#bigqueryFault = ({ kind }) =>
        kinds === undefined || kinds.includes(kind) ? fault : 'pass';
      this.#open('bigquery', [reason, 'QUERY_DEADLINE_EXCEEDED']);
    }
    if (of !== 'bigquery') {
      const [name, fault, isHit] = this.#dealFirestore();
      names.push(`Firestore ${name}`);
      this.#firestore.fault = (call) => (isHit(call) ? fault : 'pass');
      this.#open('firestore', []);
    }
    this.now = names.join(' and ');
  }

  end(): void {
    this.#bigqueryFault = () => 'pass';
    this.#firestore.fault = () => 'pass';
    this.#firestore.endStalls();
    for (const span of this.#spans) if (span.toMs === Infinity) span.toMs = Date.now();
    this.now = 'none';
  }

  /** Counts a time in which this program, through which all calls go, did not run as slowness of both parts. */
  addStandstill(tookMs: number): void {
    this.#addSlowness('bigquery', tookMs);
    this.#addSlowness('firestore', tookMs);
  }

  /** Delays the insert of the next job that contains this text; resolves when the insert has arrived. */
  hold(text: string, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#holds.push({ text, delayMs, hasCome: resolve });
    });
  }

  wasFaulty(part: Part, fromMs: number, toMs: number): boolean {
    return this.#between(part, fromMs, toMs).length > 0;
  }

  /** The errors that a request in this time may get because of BigQuery's faults. */
  reasons(fromMs: number, toMs: number): ReadonlySet<string> {
    return new Set(this.#between('bigquery', fromMs, toMs).flatMap(({ reasons }) => reasons));
  }

  #decide(call: BigQueryCall): BigQueryFault {
    if (call.url.startsWith(STRAY_PATH)) this.#violate(`A redirect was followed to ${call.url}`);
    if (call.kind === 'insert' && this.#holds.length > 0) {
      const body = JSON.stringify(call.body);
      const index = this.#holds.findIndex(({ text }) => body.includes(text));
      const [hold] = index === -1 ? [] : this.#holds.splice(index, 1);
      if (hold !== undefined) {
        hold.hasCome();
        return { delayMs: hold.delayMs };
      }
    }
    return this.#bigqueryFault(call);
  }

  #between(part: Part, fromMs: number, toMs: number): Span[] {
    return this.#spans.filter(
      (span) => span.part === part && span.fromMs <= toMs && span.toMs >= fromMs,
    );
  }

  /** A part that is slow because the machine is busy counts as faulty. */
  #addSlowness(part: Part, tookMs: number): void {
    if (tookMs < SLOW_MS[part]) return;
    this.#count(`slow by itself: ${part}`);
    const toMs = Date.now();
    const reasons: Reason[] = part === 'bigquery' ? ['QUERY_DEADLINE_EXCEEDED'] : [];
    this.#spans.push({ part, fromMs: toMs - tookMs, toMs, reasons });
  }

  #open(part: Part, reasons: readonly Reason[]): void {
    this.#spans.push({ part, fromMs: Date.now(), toMs: Infinity, reasons });
  }
}
