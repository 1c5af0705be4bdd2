// What tests of queries that outlive their requests share: what they ask, and what they are told.
import { gunzipSync } from 'node:zlib';
import type { ServiceError } from '../../functions/core/errors.ts';
import type { Served } from '../../functions/cache/reading.ts';
import { type Instance, STATS, type World } from '../support/world.ts';

export const MIB = 1024 * 1024;
export const BOUND = { keyName: 'agent', bytesPerDay: 45 * MIB };

/** The bytes of the key with a bound, and how many of its queries are not counted yet. */
export const spent = async ({ leaseStore }: World): Promise<[number, number]> => [
  await leaseStore.bytesOf(BOUND.keyName, '2026-11-20'),
  leaseStore.open.length,
];

/** Of the query: when it was started, and which one it is. */
export function rowOf({ entry }: Pick<Served, 'entry'>) {
  const { result } = JSON.parse(gunzipSync(entry.body).toString()) as {
    result: { timestamp: string; avg_duration: number; count: number }[];
  };
  const [row] = result;
  const project = String.fromCharCode(row?.avg_duration ?? 0);
  return { startedMs: Date.parse(row?.timestamp ?? ''), sqlLength: row?.count, project };
}

/** Asks as told, one request after the other, until there are rows. Returns when the last was sent. */
export async function askUntilRows(
  world: World,
  instance: () => Instance,
  asked: Parameters<Instance['ask']>[1] = {},
) {
  const { advance, clock, settled } = world;
  for (let times = 1; times <= 60; times += 1) {
    const askedMs = clock.nowMs();
    const outcome = await settled(instance().ask(STATS, asked));
    if ('served' in outcome) return { served: outcome.served, askedMs };
    const { retryAfterSeconds = 1 } = outcome.error as ServiceError;
    await advance(retryAfterSeconds);
  }
  throw new Error('There were no rows.');
}
