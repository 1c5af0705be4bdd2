// Tests of the wait of `npm run warm -- run --wait` for a run of its own bundle.
import { type RecordedRun } from '../../../scripts/warm/operator-store.ts';
import { waitForRun } from '../../../scripts/warm/wait-for-run.ts';

const COUNTS: NonNullable<RecordedRun['counts']> = {
  ...{ live: 1, refreshed: 1, failed: 0, leftOver: 0, jobs: 1 },
};

/** Waits for a run of the catalogue `own`, while runs with these catalogues end one after the other. */
function waitWhile(catalogues: readonly string[]) {
  const runs = catalogues.map((catalogueDigest, index): RecordedRun => ({
    ...{ catalogueDigest, demands: new Map(), counts: COUNTS, endedAtMs: index + 1 },
  }));
  let polls = 0;
  const lastRun = () => {
    const run = runs[Math.min(polls, runs.length) - 1];
    polls += 1;
    return Promise.resolve({ ...(run && { run }), nowMs: 0 });
  };
  const start = () => Promise.resolve();
  const isMet = (run: RecordedRun) => run.catalogueDigest === 'own';
  const note = () => undefined;
  const wait = { store: { lastRun }, start, isMet, note, timeoutSeconds: 10, digest: 'own' };
  return waitForRun(wait);
}

describe('a wait for a run of a bundle', () => {
  it('ends with an error once another deployment has replaced the bundle', async () => {
    await expect(waitWhile(['before', 'other', 'other'])).rejects.toThrow(
      'warm runs another bundle: another deployment has replaced this one, or this one was not deployed.',
    );
  });

  it('goes on after runs of the bundle before, which may end or start during the deployment', async () => {
    expect(await waitWhile(['before', 'before', 'own'])).toBe(COUNTS);
  });
});
