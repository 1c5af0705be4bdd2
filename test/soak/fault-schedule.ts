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
import { BIGQUERY_FAULTS, LATE, STRAY_PATH } from './bigquery-faults.ts';
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
const TURNS = [
  ...(['bigquery', 'bigquery', 'bigquery', 'firestore', 'firestore', 'both'] as const),
  ...(['pause', 'restart', 'spoil'] as const),
];
type Part = 'bigquery' | 'firestore';

export type FaultSchedule = ReturnType<typeof createFaultSchedule>;

export function createFaultSchedule(
  bigquery: BigQueryProxy,
  firestore: FirestoreProxy,
  seed: number,
  { violate, count }: Verdict,
) {
  const spans: { part: Part; fromMs: number; toMs: number; reasons: readonly Reason[] }[] = [];
  const holds: { text: string; delayMs: number; hasCome: () => void }[] = [];
  const random = createRandom(seed);
  const dealTurn = createDeck(TURNS, random);
  const dealBigQuery = createDeck(BIGQUERY_FAULTS, random);
  const dealFirestore = createDeck(
    FIRESTORE_FAULTS.flatMap(([name, fault]) =>
      FIRESTORE_PHASES.map(([phase, isHit]) => ({ name: `${name} for ${phase}`, fault, isHit })),
    ),
    random,
  );
  let bigqueryFault: BigQueryProxy['fault'] = () => 'pass';
  bigquery.fault = decide;
  bigquery.onAnswer = (tookMs) => addSlowness('bigquery', tookMs);
  firestore.onAnswer = (tookMs) => addSlowness('firestore', tookMs);

  const schedule = {
    /** The current fault. */
    now: 'none',
    nextTurn: dealTurn,
    /** Starts the next fault and ends the current one. */
    begin: (of: Part | 'both'): void => {
      schedule.end();
      const names: string[] = [];
      const begin = (part: Part, reasons: readonly Reason[]): void =>
        void spans.push({ part, fromMs: Date.now(), toMs: Infinity, reasons });
      if (of !== 'firestore') {
        const { name, faultOf, reason } = dealBigQuery();
        names.push(name);
        bigqueryFault = faultOf;
        begin('bigquery', [reason, ...LATE]);
      }
      if (of !== 'bigquery') {
        const { name, fault, isHit } = dealFirestore();
        names.push(`Firestore ${name}`);
        firestore.fault = (call) => (isHit(call) ? fault : 'pass');
        begin('firestore', []);
      }
      schedule.now = names.join(' and ');
    },
    end: (): void => {
      bigqueryFault = () => 'pass';
      firestore.fault = () => 'pass';
      firestore.endStalls();
      for (const span of spans) if (span.toMs === Infinity) span.toMs = Date.now();
      schedule.now = 'none';
    },
    /** Counts a time in which this program, through which all calls go, did not run as slowness of both parts. */
    addStandstill: (tookMs: number): void => {
      addSlowness('bigquery', tookMs);
      addSlowness('firestore', tookMs);
    },
    /** Delays the call that starts the next query with this text; resolves when the call has arrived. */
    hold: (text: string, delayMs: number) =>
      new Promise<void>((hasCome) => holds.push({ text, delayMs, hasCome })),
    wasFaulty: (part: Part, fromMs: number, toMs: number) => between(part, fromMs, toMs).length > 0,
    /** The errors that a request in this time may get because of BigQuery's faults. */
    reasons: (fromMs: number, toMs: number): ReadonlySet<string> =>
      new Set(between('bigquery', fromMs, toMs).flatMap(({ reasons }) => reasons)),
  };
  return schedule;

  function decide(call: BigQueryCall): BigQueryFault {
    if (call.url.startsWith(STRAY_PATH)) violate(`A redirect was followed to ${call.url}`);
    const isStart = call.kind === 'insert' || call.kind === 'query';
    const body = isStart ? JSON.stringify(call.body) : '';
    const hold = holds.find(({ text }) => body.includes(text));
    if (hold === undefined) return bigqueryFault(call);
    holds.splice(holds.indexOf(hold), 1);
    hold.hasCome();
    return { delayMs: hold.delayMs };
  }

  function between(part: Part, fromMs: number, toMs: number): typeof spans {
    return spans.filter((span) => span.part === part && span.fromMs <= toMs && span.toMs >= fromMs);
  }

  /** A part that is slow because the machine is busy counts as faulty. */
  function addSlowness(part: Part, tookMs: number): void {
    if (tookMs < SLOW_MS[part]) return;
    count(`slow by itself: ${part}`);
    const toMs = Date.now();
    const reasons: readonly Reason[] = part === 'bigquery' ? LATE : [];
    spans.push({ part, fromMs: toMs - tookMs, toMs, reasons });
  }
}
