// The HTTP function `warm`: Cloud Scheduler posts to it; it does one run at a time and answers with a report.
import { randomUUID } from 'node:crypto';
import type { HttpFunction, Response } from '@google-cloud/functions-framework';
import { REASONS, ServiceError, errorBody, toServiceError, usualError } from './core/errors.ts';
import { catalogueDigest } from './endpoints/catalogue.ts';
import { TOLD_SHARE, WARM_ACCOUNT, dayOf } from './core/day-bytes.ts';
import { createRunningQueries } from './cache/running-query.ts';
import { holdLease } from './core/leases.ts';
import type { WarmRun } from './core/result-store.ts';
import { traceOf } from './http/request-headers.ts';
import { runWarming } from './warming/run.ts';
import type { WarmReport, WarmRunDeps } from './warming/terms.ts';

const LEASE_NAME = 'warm';

/**
 * Answers every request itself and never rejects. 503 makes the scheduler try again: there was work and
 * nothing could be refreshed, or Firestore failed. IAM refuses all callers but the scheduler.
 */
export function createWarm(deps: Omit<WarmRunDeps, 'runningQueries'>): HttpFunction {
  const { clock, leaseStore, refreshStore, log } = deps;
  const runningQueries = createRunningQueries(deps);
  const isStopping = (): boolean => deps.shutdown?.isStopping() ?? false;

  return async (req, res) => {
    const trace = { 'logging.googleapis.com/trace': traceOf(deps.project, req.headers) };
    try {
      if (req.method !== 'POST') {
        throw new ServiceError('METHOD_NOT_ALLOWED', 'Only POST is supported.');
      }
      if (isStopping()) throw usualError('INSTANCE_STOPPING');
      const nowMs = clock.nowMs();
      const untilMs = nowMs + deps.leaseSeconds * 1000;
      const lease = await leaseStore
        .acquire(LEASE_NAME, { owner: randomUUID(), untilMs }, nowMs)
        .catch(rethrowUnavailable);
      if (lease === undefined) {
        log.write('INFO', 'Warming is already running.', { event: 'warm_skipped', ...trace });
        return respond(res, 200, JSON.stringify({ skipped: 'already running' }));
      }
      const run = holdLease(lease, deps, (held) => runOnce(() => held.isLost() || isStopping()));
      const report = await (deps.shutdown?.inTime(run) ?? run);
      logReport(report, trace);
      const isInVain =
        report.refreshed + report.unchanged === 0 && report.failed.length + report.leftOver > 0;
      respond(res, isInVain ? 503 : 200, JSON.stringify(report));
    } catch (error) {
      const serviceError = toServiceError(error);
      const { reason } = serviceError;
      log.write('ERROR', 'Warming failed.', { event: 'warm_failed', reason, error, ...trace });
      respond(res, REASONS[reason].code, errorBody(serviceError));
    }
  };

  /** One run, recorded for the commands that wait for it. */
  async function runOnce(isOver: () => boolean): Promise<WarmReport> {
    const demands = await refreshStore.list().catch(rethrowUnavailable);
    const run = { catalogueDigest: catalogueDigest(deps.catalogue.endpoints), demands };
    try {
      await runningQueries.settleDebts();
      const spentBytes = await spentToday().catch(rethrowUnavailable);
      const report = await runWarming({ ...deps, runningQueries }, demands, isOver, spentBytes);
      logBytes(report, spentBytes + report.countedBytes);
      await record({ ...run, counts: countsOf(report) });
      return report;
    } catch (error) {
      await record({ ...run, counts: undefined });
      throw error;
    }
  }

  /** What warming has read since midnight (UTC); not asked for without a bound. */
  async function spentToday(): Promise<number> {
    if (deps.warmBytesPerDay === 0) return 0;
    return leaseStore.bytesOf(WARM_ACCOUNT, dayOf(clock.nowMs()));
  }

  function logBytes({ overBytes }: WarmReport, spent: number): void {
    const { warmBytesPerDay } = deps;
    if (overBytes === 0 && (warmBytesPerDay === 0 || spent < TOLD_SHARE * warmBytesPerDay)) return;
    const message = 'Warming has used up, or is ahead of, its bytes of the day.';
    log.write('WARNING', message, { event: 'warm_bytes', overBytes, spent, warmBytesPerDay });
  }

  /** If this fails, the run still counts; only a command that waits for it waits in vain. */
  async function record(run: WarmRun): Promise<void> {
    await refreshStore.recordRun(run).catch((error: unknown) => {
      log.write('WARNING', 'The run cannot be recorded.', { event: 'warm_record_failed', error });
    });
  }

  /** Counts only: parameters of tenants are in the answer to the scheduler, never in the log. */
  function logReport(report: WarmReport, trace: Record<string, unknown>): void {
    for (const { endpoint, reason } of report.failed) {
      const fields = { event: 'warm_entry_failed', endpoint, reason };
      log.write('ERROR', 'An entry could not be refreshed.', fields);
    }
    const { failed, leftOver, overKeyCap } = report;
    if (overKeyCap > 0) {
      const fields = { event: 'warm_over_key_cap', overKeyCap };
      log.write('WARNING', 'API keys read more results than they may keep warm.', fields);
    }
    const severity = failed.length + leftOver > 0 ? 'WARNING' : 'INFO';
    log.write(severity, 'Warming is done.', { event: 'warm', ...countsOf(report), ...trace });
  }
}

function countsOf(report: WarmReport): Record<string, number | boolean> {
  return { ...report, failed: report.failed.length };
}

function rethrowUnavailable(cause: unknown): never {
  throw usualError('RESULT_STORE_UNAVAILABLE', cause);
}

function respond(res: Response, code: number, body: string): void {
  if (code === 405) res.set('Allow', 'POST');
  res.status(code).set('Cache-Control', 'no-store').type('json').send(body);
}
