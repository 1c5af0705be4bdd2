// `npm run doctor`: whether the database of the results answers, and what the last run of warming did.
import { counted } from '../cli/table.ts';
import { withFirestore } from '../keys/key-register.ts';
import { type RecordedRun, createOperatorStore } from '../warm/operator-store.ts';
import { type Deployment, logCommand, warmCommand } from './deployment.ts';
import { type Finding, fault, orRight, span } from './finding.ts';

/** Three runs. */
const RECENT_MS = 15 * 60_000;
const MORE_TIME =
  'add warming.batchOver, or raise WARM_CONCURRENCY or cacheWarmingSeconds: docs/troubleshooting-operations.md#warming-does-not-run';

/** Calls `use` with a database of the deployment. */
export function inDatabase(
  { project, timeoutMs, hosts }: Deployment,
  database: string,
  use: Parameters<typeof withFirestore<Finding[]>>[1],
): Promise<Finding[]> {
  // Its client retries most errors for some seconds.
  const where = { project, database, timeoutMs: 1.5 * timeoutMs, emulatorHost: hosts.firestore };
  return withFirestore(where, use);
}

export function checkWarming(of: Deployment): Promise<Finding[]> {
  return inDatabase(of, of.database, async (firestore, inTime) => {
    const { run, nowMs } = await inTime(createOperatorStore(firestore).lastRun());
    return orRight('Warming: the last run refreshed all results', faultsOfRun(run, nowMs, of));
  });
}

export function faultsOfRun(
  run: RecordedRun | undefined,
  nowMs: number,
  of: Deployment,
): Finding[] {
  const again = warmCommand(of, 'run', '--wait');
  if (run === undefined) return [fault(`No run of warm is recorded in ${of.database}`, again)];
  const faults: Finding[] = [];
  const ageMs = nowMs - run.endedAtMs;
  if (ageMs > RECENT_MS) {
    const what = `The last run of warm ended ${span(ageMs)} ago`;
    faults.push(fault(what, warmCommand(of, 'status')));
  }
  const { counts } = run;
  if (counts === undefined) {
    return [...faults, fault('The last run of warm failed', logCommand(of, 'warm_failed'))];
  }
  const { failed = 0, leftOver = 0, listingCut = false, overBytes = 0 } = counts;
  if (failed) {
    const what = `The last run of warm could not refresh ${counted(Number(failed), 'result')}`;
    faults.push(fault(what, logCommand(of, 'warm_entry_failed')));
  }
  if (leftOver) {
    const what = `The last run of warm had no time for ${counted(Number(leftOver), 'result')}`;
    faults.push(fault(what, MORE_TIME));
  }
  if (listingCut) {
    faults.push(fault('Warming does not list all results that are read', 'raise WARM_MAX_ENTRIES'));
  }
  if (overBytes) {
    const what = `WARM_BYTES_PER_DAY left out ${counted(Number(overBytes), 'result')}`;
    faults.push(fault(what, 'raise it, or see docs/reference/cost.md#bounds'));
  }
  return faults;
}
