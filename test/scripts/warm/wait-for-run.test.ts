// Tests of the wait of `npm run warm -- run --wait` for a run of its own bundle.
import { type RecordedRun } from '../../../scripts/warm/operator-store.ts';
import { waitForRun } from '../../../scripts/warm/wait-for-run.ts';

it.each([
  [
    'ends with an error once another deployment has replaced the bundle',
    ['before', 'other', 'other'],
    'warm runs another bundle: another deployment has replaced this one, or this one was not deployed.',
  ],
  [
    'goes on after runs of the bundle before, which may end or start during the deployment',
    ['before', 'before', 'own'],
    undefined,
  ],
])('a wait for a run of a bundle %s', async (_, catalogues, fault) => {
  const counts: NonNullable<RecordedRun['counts']> = {
    ...{ live: 1, refreshed: 1, failed: 0, leftOver: 0, jobs: 1 },
  };
  /** Runs with these catalogues end one after the other. */
  const runs = catalogues.map((catalogueDigest, index): RecordedRun => ({
    ...{ catalogueDigest, demands: new Map(), counts, endedAtMs: index + 1 },
  }));
  let polls = 0;
  const lastRun = () => {
    const run = runs[Math.min(polls, runs.length) - 1];
    polls += 1;
    return Promise.resolve({ ...(run && { run }), nowMs: 0 });
  };
  const waiting = waitForRun({
    ...{ store: { lastRun }, digest: 'own', timeoutSeconds: 10 },
    start: () => Promise.resolve(),
    isMet: (run: RecordedRun) => run.catalogueDigest === 'own',
    note: () => undefined,
  });
  if (fault === undefined) expect(await waiting).toBe(counts);
  else await expect(waiting).rejects.toThrow(fault);
});
