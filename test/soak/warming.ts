// Posts to `warm` as the scheduler does, and checks every report.
import type { WarmReport } from '../../functions/warming/terms.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import { AFTERMATH_MS, STORE_SECONDS } from './settings.ts';
import type { Verdict } from './verdict.ts';

export type Warming = ReturnType<typeof createWarming>;

const ANSWER_MS_MAX = 60_000;
/** Reasons for failed entries while Firestore fails. */
const STORE_REASONS = ['STORE_FAILED', 'RESULT_STORE_UNAVAILABLE'];

/** What a run may find. */
type Faults = Pick<FaultSchedule, 'now' | 'wasFaulty' | 'reasons'>;

export function createWarming(url: string, faults: Faults, { violate, count }: Verdict) {
  /** Posts that were open when the process was killed have no answer. */
  let isDown = false;
  /** How many documents no run can read. Runs are judged that began after `sinceMs`: since then it is so. */
  let unreadable = { count: 0, sinceMs: 0 };

  return {
    /** Changes how many documents no run can read. */
    changeUnreadable: async (
      documentCount: number,
      change: () => Promise<unknown>,
    ): Promise<void> => {
      unreadable = { count: documentCount, sinceMs: Infinity };
      await change();
      unreadable.sinceMs = Date.now();
    },
    /** Whether a run must end soon, because its report is waited for. */
    isAwaited: (): boolean => unreadable.count > 0,
    /** Ends the process and starts another one at the same address; what is posted before it runs may fail. */
    restart: async (restarted: () => Promise<unknown>): Promise<void> => {
      isDown = true;
      await restarted();
      isDown = false;
    },
    /** Runs warming once. */
    post: async (): Promise<void> => {
      const sentMs = Date.now();
      const wasDown = isDown;
      try {
        const signal = AbortSignal.timeout(ANSWER_MS_MAX);
        const response = await fetch(url, { method: 'POST', signal });
        judge(response.status, (await response.json()) as Partial<WarmReport>, sentMs);
      } catch (error) {
        if (wasDown || isDown) return count('warm killed during a run');
        violate(`warm: no answer: ${String((error as Error).cause ?? error)} (${faults.now})`);
      }
    },
  };

  function judge(status: number, report: Partial<WarmReport>, sentMs: number): void {
    count(`warm ${status}`);
    count('refreshed', report.refreshed ?? 0);
    count('unchanged', report.unchanged ?? 0);
    // An instance that a busy machine lets wait takes its deadline for Firestore's; it gives up no sooner than that.
    const isStoreLate =
      Date.now() - sentMs >= STORE_SECONDS * 1000 &&
      JSON.stringify(report).includes('RESULT_STORE_UNAVAILABLE');
    if (isStoreLate) count('slow by itself: warm');
    const isFaulty = isStoreLate || wasFaulty('bigquery', sentMs) || wasFaulty('firestore', sentMs);
    if (status !== 200 && !(status === 503 && isFaulty)) {
      violate(`warm: ${status} ${JSON.stringify(report).slice(0, 500)} (${faults.now})`);
    }
    // An entry may fail only because of a current fault.
    const allowed = new Set([
      ...faults.reasons(sentMs - AFTERMATH_MS.bigquery, Date.now()),
      ...(wasFaulty('firestore', sentMs) ? STORE_REASONS : []),
    ]);
    for (const { endpoint, parameters, reason } of report.failed ?? []) {
      count(`not warmed: ${reason}`);
      if (allowed.has(reason)) continue;
      violate(`warm: ${endpoint} ${JSON.stringify(parameters)}: ${reason} (${faults.now})`);
    }
    // Without a number the run was skipped, or the answer is an error.
    if (report.unreadable === undefined || sentMs < unreadable.sinceMs) return;
    count('unreadable documents counted', report.unreadable);
    if (report.unreadable !== unreadable.count) {
      violate(`warm: ${report.unreadable} unreadable documents in place of ${unreadable.count}`);
    }
  }

  function wasFaulty(part: 'bigquery' | 'firestore', sentMs: number): boolean {
    return faults.wasFaulty(part, sentMs - AFTERMATH_MS[part], Date.now());
  }
}
