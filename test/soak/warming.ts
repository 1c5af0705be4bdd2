// Posts to `warm` as the scheduler does, and checks every report.
import type { WarmReport } from '../../functions/warming/run.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import { AFTERMATH_MS, STORE_SECONDS } from './settings.ts';
import type { Verdict } from './verdict.ts';

export interface Warming {
  /** Runs warming once. */
  post(): Promise<void>;
  /** Announces a document that no run can read. */
  expectUnreadable(): {
    /** The document exists from this instant on. */
    since(ms: number): void;
    /** Resolves when a run that began later has counted it. */
    seen: Promise<void>;
    /** The document is deleted. */
    end(): void;
  };
}

const ANSWER_MS_MAX = 60_000;
/** Reasons for failed entries while Firestore fails. */
const STORE_REASONS = ['STORE_FAILED', 'RESULT_STORE_UNAVAILABLE'];

export function createWarming(url: string, faults: FaultSchedule, verdict: Verdict): Warming {
  const { violate, count } = verdict;
  let planted: { fromMs: number; hasSeen: () => void } | undefined;
  let lastPlantedMs = -Infinity;

  return {
    post,
    expectUnreadable() {
      let hasSeen = (): void => undefined;
      const seen = new Promise<void>((resolve) => (hasSeen = resolve));
      const mine = { fromMs: Infinity, hasSeen };
      planted = mine;
      return {
        since: (ms) => void (mine.fromMs = ms),
        seen,
        end: () => {
          planted = undefined;
          lastPlantedMs = Date.now();
        },
      };
    },
  };

  async function post(): Promise<void> {
    const sentMs = Date.now();
    const before = planted;
    try {
      const response = await fetch(url, {
        method: 'POST',
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      const report = (await response.json()) as Partial<WarmReport>;
      count(`warm ${response.status}`);
      count('refreshed', report.refreshed ?? 0);
      // An instance that a busy machine lets wait takes its deadline for Firestore's; it gives up no sooner than that.
      const isStoreLate =
        Date.now() - sentMs >= STORE_SECONDS * 1000 &&
        JSON.stringify(report).includes('RESULT_STORE_UNAVAILABLE');
      if (isStoreLate) count('slow by itself: warm');
      const isFaulty =
        isStoreLate ||
        (['bigquery', 'firestore'] as const).some((part) =>
          faults.wasFaulty(part, sentMs - AFTERMATH_MS[part], Date.now()),
        );
      if (response.status !== 200 && !(response.status === 503 && isFaulty)) {
        violate(`warm: ${response.status} ${JSON.stringify(report).slice(0, 500)} (${faults.now})`);
      }
      judgeFailed(report, sentMs);
      judgeUnreadable(report, sentMs, before);
    } catch (error) {
      violate(`warm: no answer: ${String((error as Error).cause ?? error)} (${faults.now})`);
    }
  }

  /** An entry may fail only because of a current fault. */
  function judgeFailed({ failed = [] }: Partial<WarmReport>, sentMs: number): void {
    const ofBigQuery = faults.reasons(sentMs - AFTERMATH_MS.bigquery, Date.now());
    const isStoreFaulty = faults.wasFaulty(
      'firestore',
      sentMs - AFTERMATH_MS.firestore,
      Date.now(),
    );
    for (const { endpoint, parameters, reason } of failed) {
      count(`not warmed: ${reason}`);
      if (ofBigQuery.has(reason) || (isStoreFaulty && STORE_REASONS.includes(reason))) continue;
      violate(`warm: ${endpoint} ${JSON.stringify(parameters)}: ${reason} (${faults.now})`);
    }
  }

  function judgeUnreadable(
    { unreadable }: Partial<WarmReport>,
    sentMs: number,
    before: typeof planted,
  ): void {
    // The run was skipped, or the answer is an error.
    if (unreadable === undefined) return;
    if (before !== undefined && before === planted && sentMs >= before.fromMs) {
      count('unreadable documents counted', unreadable);
      if (unreadable === 1) before.hasSeen();
      else violate(`warm: ${unreadable} unreadable documents in place of 1`);
    } else if (before === undefined && planted === undefined && sentMs > lastPlantedMs) {
      if (unreadable > 0) violate(`warm: ${unreadable} unreadable documents in place of 0`);
    }
  }
}
