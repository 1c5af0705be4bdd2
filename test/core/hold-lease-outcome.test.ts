// Tests of the outcome that a lease holder leaves for waiting instances.
import { type Reason, ServiceError } from '../../functions/core/errors.ts';
import { type Lease, type LeaseOutcome, holdLease } from '../../functions/core/leases.ts';
import { FakeClock } from '../support/fakes/fake-clock.ts';

async function leftBy(error: Error): Promise<LeaseOutcome | undefined> {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  let left: LeaseOutcome | undefined;
  const lease: Lease = {
    query: undefined,
    isJoined: false,
    record: () => Promise.resolve(true),
    renew: () => Promise.resolve(true),
    release: (outcome) => {
      left = outcome;
      return Promise.resolve();
    },
  };
  const terms = { clock, leaseSeconds: 10 };
  await expect(holdLease(lease, terms, () => Promise.reject(error))).rejects.toBe(error);
  return left;
}

const OF_HOLDER: Reason[] = ['INSTANCE_BUSY', 'INSTANCE_STOPPING', 'RATE_LIMITED'];
it.each(OF_HOLDER)('does not pass on %s, which concerns only the lease holder', async (reason) => {
  expect(await leftBy(new ServiceError(reason, 'Not here.'))).toBeUndefined();
});

it('passes on an error of BigQuery', async () => {
  expect(await leftBy(new ServiceError('QUERY_QUOTA_EXHAUSTED', 'No more.'))).toEqual({
    reason: 'QUERY_QUOTA_EXHAUSTED',
    message: 'No more.',
  });
});
