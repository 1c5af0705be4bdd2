// Judges slow queries by what BigQuery knows: every run that it ever had, for which key, and what it billed.
import { setTimeout as delay } from 'node:timers/promises';
import { keyIdOf } from '../../functions/core/key-store.ts';
import type { BigQueryRuns, Run } from '../support/bigquery/bigquery-runs.ts';
import { type Answer, reasonOf } from './requests.ts';
import type { Verdict } from './verdict.ts';

export interface Customer {
  name: string;
  apiKey: string;
  digest: string;
  bytesPerDay: number | undefined;
}

/** Rows that nobody else asks for: `id` is a parameter of the query, and in its rows. */
export interface Question {
  endpoint: string;
  id: string;
  ms: number;
}

/** What each query bills. */
export const JOB_BYTES = 20 * 1024 * 1024;
/** The most queries that a key may have left. */
const LEFT_MAX = 5;
/** How long the service may take for what it does at the end of a request, on a busy machine. */
const GRACE_MS = 3000;
/** How long a job that BigQuery does not know counts as one that runs, and some time for a busy machine. */
const UNSENT_MS = 60_000 + GRACE_MS;
/** How long its estimate counts, if nobody sees its end: a minute more than it may run, and until warming asks. */
const OPEN_MS = 60_000 + UNSENT_MS + 30_000;
/** Of each kind of violation. */
const PRINTED_MAX = 5;

export type Ledger = ReturnType<typeof createLedger>;

interface Asked {
  keys: Set<string>;
  waiting: number;
  untilMs: number;
  /** When a request began and ended that got no word of BigQuery, or ended with its instance. */
  unsentSinceMs: number;
  unsentMs: number;
}

export function createLedger({ runs, running }: BigQueryRuns, verdict: Verdict) {
  const { count } = verdict;
  /** Who waits for a question, or has, and until when. */
  const asked = new Map<string, Asked>();
  /** The runs of which a caller was told that they go on. */
  const promised = new Set<Run>();
  /** Instances that were killed: what they waited for is left without their doing. */
  const killed = new Map<string, number>();
  /** What was told not long ago: a call may still be on its way to BigQuery. */
  const told = new Set<Promise<void>>();
  const left = new Set<Customer>();
  return { violate, opens, judge, kills, sample, judgeRuns, billedOf, lostOf };

  /** Prints the first ones of each kind. */
  function violate(kind: string, sentence: string): void {
    count(`VIOLATION ${kind}`);
    if (verdict.countOf(`VIOLATION ${kind}`) <= PRINTED_MAX)
      verdict.violate(`${kind}: ${sentence}`);
  }

  /** A request for these rows is open until the returned function is called. */
  function opens({ id }: Question, { name }: Customer): (isUnsent: boolean) => void {
    const openedMs = Date.now();
    const never = { untilMs: 0, unsentSinceMs: 0, unsentMs: 0 };
    const of = asked.get(id) ?? { keys: new Set(), waiting: 0, ...never };
    asked.set(id, of);
    of.keys.add(name);
    of.waiting += 1;
    return (isUnsent) => {
      of.waiting -= 1;
      of.untilMs = Date.now();
      if (isUnsent) Object.assign(of, { unsentSinceMs: openedMs, unsentMs: of.untilMs });
    };
  }

  function kills(instance: string): void {
    killed.set(instance, Date.now());
  }

  /** Whether the answer has rows. What it says must be true of the runs in BigQuery. */
  function judge(question: Question, customer: Customer, version: string, answer: Answer): boolean {
    const { status, body, sentMs } = answer;
    const reason = reasonOf(answer);
    count(reason ? `${status} ${reason}` : String(status));
    const what = `${customer.name}, ${question.endpoint}?id=${question.id}, ${question.ms} ms: ${status}`;
    if (status === 200) {
      const rows = JSON.stringify([{ id: question.id, version }]);
      if (body !== `{"result":${rows}}`) violate('wrong rows', `${what} ${body.slice(0, 300)}`);
      return true;
    }
    const refused = `${what} ${body.slice(0, 300)}`;
    if (reason === 'QUERY_RUNNING') {
      const telling = judgePromise(question, version, what).finally(() => told.delete(telling));
      told.add(telling);
    } else if (reason === 'JOBS_RUNNING') {
      const own = [...runs.values()].filter((run) => isOf(run, customer));
      const going = own.filter(({ endedMs = Infinity }) => endedMs >= sentMs - GRACE_MS);
      const unsent = [...asked].filter(
        ([id, { keys, unsentSinceMs, unsentMs }]) =>
          keys.has(customer.name) &&
          unsentMs > sentMs - UNSENT_MS &&
          // One that had ended before was of an earlier definition.
          !own.some(
            ({ parameters, endedMs = Infinity }) =>
              parameters.id === id && endedMs >= unsentSinceMs,
          ),
      );
      const ran = going.length + unsent.length;
      if (ran < LEFT_MAX) {
        const known = [...asked].filter(([, { keys }]) => keys.has(customer.name)).slice(-20);
        const runsOf = own.slice(-20).map((run) => ({ ...run, sql: '' }));
        violate(
          'refused for others',
          `${what} JOBS_RUNNING, while ${ran} of its queries ran: ${JSON.stringify([Date.now(), known, runsOf])}`,
        );
      }
    } else if (reason === 'BYTES_PER_DAY') {
      // Also what those that run, or are about to, will bill.
      const open = [...asked.values()].filter(
        ({ keys, waiting, untilMs, unsentMs }) =>
          keys.has(customer.name) &&
          (waiting > 0 || untilMs > sentMs - GRACE_MS || unsentMs > sentMs - OPEN_MS),
      );
      const most = (startedBy(customer).length + open.length) * JOB_BYTES;
      if (most < (customer.bytesPerDay ?? Infinity)) violate('refused too soon', refused);
    } else if (status <= 500) violate('refused', refused);
    return false;
  }

  /** Whoever is told that a query goes on is told the truth. */
  async function judgePromise({ id }: Question, version: string, what: string): Promise<void> {
    await delay(GRACE_MS);
    const own = [...runs.values()].filter(
      (run) => run.parameters.id === id && versionOf(run) === version,
    );
    const going = own.find((run) => run.cancelledMs === undefined && !run.outcome);
    if (going) promised.add(going);
    else if (own.length > 0) violate('told that it goes on', `${what}, but it was stopped`);
    else violate('told that it goes on', `${what}, but BigQuery never had it`);
  }

  /** Called often: no key may have more than five running queries that no request waits for. */
  function sample(customers: readonly Customer[]): void {
    const nowMs = Date.now();
    const all = running();
    for (const customer of customers) {
      const own = all.filter((run) => {
        const of = asked.get(run.parameters.id ?? '');
        const isAlone = of?.keys.size === 1 && of.waiting === 0 && of.untilMs < nowMs - GRACE_MS;
        return run.labels.key_id === keyIdOf(customer.digest) && isAlone && !isOrphan(run);
      });
      if (own.length <= LEFT_MAX || left.has(customer)) continue;
      left.add(customer);
      violate('too many are left', `${customer.name}: ${own.length} at once`);
    }
  }

  /** At the end: no promise was broken, and no bound was passed by more than one query. */
  async function judgeRuns(customers: readonly Customer[]): Promise<void> {
    await Promise.all(told);
    for (const { cancelledMs, labels, parameters } of promised) {
      if (cancelledMs === undefined) continue;
      violate('told that it goes on', `${labels.key}, id=${parameters.id}, and cancelled later`);
    }
    for (const customer of customers) {
      const { name, bytesPerDay } = customer;
      if (bytesPerDay === undefined) continue;
      const billed = billedOf(customer);
      if (billed >= bytesPerDay) count('bounds that were reached');
      if (billed <= bytesPerDay + JOB_BYTES) continue;
      violate(
        'bound passed',
        `${name}: ${billed / JOB_BYTES} queries in place of ${bytesPerDay / JOB_BYTES}`,
      );
    }
  }

  function startedBy({ digest }: Customer): Run[] {
    return [...runs.values()].filter(({ labels }) => labels.key_id === keyIdOf(digest));
  }

  function isOf(run: Run, { name, digest }: Customer): boolean {
    const isStarter = run.labels.key_id === keyIdOf(digest);
    return isStarter || asked.get(run.parameters.id ?? '')?.keys.has(name) === true;
  }

  /** Whether the instance that started it was killed while it ran. */
  function isOrphan({ caller, endedMs = Infinity }: Run): boolean {
    const killedMs = killed.get(caller);
    return killedMs !== undefined && killedMs < endedMs;
  }

  function billedOf(customer: Customer): number {
    return startedBy(customer).filter(({ outcome }) => outcome === null).length * JOB_BYTES;
  }

  /** What nobody can know of: the only one that called for it was killed before BigQuery had named it. */
  function lostOf(customer: Customer): number {
    const isLost = (run: Run): boolean => !run.isNamed && !run.isJob && killed.has(run.caller);
    return startedBy(customer).filter(isLost).length * JOB_BYTES;
  }
}

export const versionOf = ({ sql }: Pick<Run, 'sql'>): string => /'(v\d+)'/.exec(sql)?.[1] ?? '';
