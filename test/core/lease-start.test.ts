// Table test of whose query runs when an instance takes a lease that another one has left: its own, or the one before.
import { type LeasedQuery, leaseStart } from '../../functions/core/leases.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');

// Nobody knows whether a query without a job was sent: only the same key may send it again, and not at another's account.
it.each<[changes: Partial<LeasedQuery>, own: Partial<LeasedQuery>, runs: string]>([
  [{}, {}, 'earlier'],
  [{ jobId: 'j' }, {}, 'earlier'],
  [{ jobId: 'j', keyName: 'other', account: 'other' }, {}, 'earlier'],
  [{ keyName: 'other' }, {}, 'own'],
  [{ account: 'shop' }, {}, 'own'],
  [{}, { account: 'shop' }, 'own'],
  [{ account: 'shop' }, { account: 'shop' }, 'own'],
  [{ endsAtMs: NOW + 1 }, {}, 'earlier'],
  [{ endsAtMs: NOW }, {}, 'own, after the earlier one is ended'],
  [{ startedAtMs: NOW }, {}, 'earlier'],
  [{ startedAtMs: NOW + 1 }, {}, 'own, after the earlier one is ended'],
])('after a query with %j, one with %j finds: %s', (changes, own, runs) => {
  const OWN: LeasedQuery = {
    ...{ requestId: 'own', startedAtMs: NOW, endsAtMs: NOW + 60_000, keyName: 'shop' },
    ...{ endpointId: 'e', resultDigest: 'd', parameters: {} },
  };
  const EARLIER = { ...OWN, requestId: 'earlier', startedAtMs: NOW - 10_000 };
  const start = leaseStart({ ...OWN, ...own }, { ...EARLIER, ...changes }, NOW);
  const ends = start.overdue === undefined ? '' : ', after the earlier one is ended';
  expect(`${start.query?.requestId}${ends}`).toBe(runs);
  expect(start.isJoined).toBe(runs === 'earlier');
});
