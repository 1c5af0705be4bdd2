// Bounds the bytes of BigQuery answers that an instance keeps in memory at once, and shares them among owners.
import { once } from 'node:events';
import type { Clock } from '../core/clock.ts';
import { usualError } from '../core/errors.ts';
import { hasShare } from '../core/fair-share.ts';

/** The bytes of one run. */
export type Reading = ReturnType<ReturnType<typeof createReadingBudget>['open']>;

interface Reader {
  owner: string | undefined;
  held: number;
  waiting: { bytes: number; go: () => void } | undefined;
  /** Ends the reading, and frees its bytes at once. */
  refuse: () => void;
}

/** How long a reading with an owner waits for room, in all. */
const WAIT_MS_MAX = 2000;

/**
 * All readings together take at most `bytesMax`, plus the bytes of the one that started first: it never
 * waits, so that there is no deadlock. When another has waited too long, the owner with the most bytes must
 * give way: the latest reading of that owner is refused, or the waiting one if it belongs to that owner.
 */
export function createReadingBudget(bytesMax: number, clock: Clock) {
  /** The readers that have bytes or wait for some, in the order of their start. */
  const readers = new Set<Reader>();

  return { open };

  /** Opens a reading for this owner; without an owner it waits as long as its run lasts. */
  function open(owner?: string) {
    const { promise: refused, reject } = Promise.withResolvers<never>();
    // Without this, a refusal that no caller awaits would be an unhandled rejection.
    refused.catch(() => undefined);
    const reader: Reader = { owner, held: 0, waiting: undefined, refuse };
    let isClosed = false;
    let waitMsLeft = WAIT_MS_MAX;

    return {
      /** Waits for room if there is none. Rejects with INSTANCE_BUSY if the signal aborts before, or the reading has ended. */
      take(bytes: number, signal: AbortSignal): Promise<void> | undefined {
        if (isClosed || signal.aborted) return Promise.reject(usualError('INSTANCE_BUSY'));
        readers.add(reader);
        if (!hasRoom(reader, bytes)) return waitForRoom(bytes, signal);
        reader.held += bytes;
        return undefined;
      },
      /** Subtracts bytes that have left memory; changes nothing once the reading has ended. */
      release(bytes: number): void {
        reader.held -= bytes;
        settle(reader);
      },
      close,
      isWaiting: () => reader.waiting !== undefined,
      /** Rejects with INSTANCE_BUSY when the reading has to end: its run must abort. Never resolves. */
      refused,
    };

    async function waitForRoom(bytes: number, signal: AbortSignal): Promise<void> {
      const startedMs = clock.nowMs();
      const over = new AbortController();
      const room = new Promise<void>((resolve) => {
        reader.waiting = { bytes, go: resolve };
      });
      const end = AbortSignal.any([signal, over.signal]);
      if (owner !== undefined) {
        void clock.wait(waitMsLeft, end).then(() => {
          if (!end.aborted) makeRoomFor(reader, bytes);
        });
      }
      await Promise.race([room, refused, once(end, 'abort')]).finally(() => over.abort());
      waitMsLeft = Math.max(0, waitMsLeft - (clock.nowMs() - startedMs));
      if (reader.waiting === undefined && !isClosed) return;
      reader.waiting = undefined;
      if (!isClosed) settle(reader);
      throw usualError('INSTANCE_BUSY');
    }

    function refuse(): void {
      close();
      reject(usualError('INSTANCE_BUSY'));
    }

    function close(): void {
      if (isClosed) return;
      isClosed = true;
      reader.held = 0;
      reader.waiting = undefined;
      settle(reader);
    }
  }

  /** The bytes of the first reader do not count: it may be slow, and others must not wait for it. */
  function hasRoom(reader: Reader, bytes: number): boolean {
    const [first, ...others] = readers;
    if (reader === first) return true;
    const all = sum(others);
    const own = sum(others.filter(({ owner }) => owner === reader.owner));
    return hasShare(bytes, { own, all, max: bytesMax });
  }

  function makeRoomFor(reader: Reader, bytes: number): void {
    while (reader.waiting !== undefined) {
      const largest = largestOwnerThan(reader.owner, bytes);
      (largest ?? reader).refuse();
    }
  }

  /** The latest reader of the owner with the most bytes, if those are more than this owner would have. */
  function largestOwnerThan(owner: string | undefined, bytes: number): Reader | undefined {
    const byOwner = Map.groupBy(readers, (reader) => reader.owner);
    let most = sum(byOwner.get(owner) ?? []) + bytes;
    let latest: Reader | undefined;
    for (const reader of readers) {
      const held = sum(byOwner.get(reader.owner) ?? []);
      if (reader.owner === owner || reader.held === 0 || held < most) continue;
      most = held;
      latest = reader;
    }
    return latest;
  }

  /** Removes a reader that has ended, and resumes waiting readers for which there is room. */
  function settle(changed: Reader): void {
    if (changed.held === 0 && changed.waiting === undefined) readers.delete(changed);
    for (const reader of readers) {
      const { waiting } = reader;
      if (waiting === undefined || !hasRoom(reader, waiting.bytes)) continue;
      reader.waiting = undefined;
      reader.held += waiting.bytes;
      waiting.go();
    }
  }
}

function sum(readers: readonly Reader[]): number {
  return readers.reduce((bytes, { held }) => bytes + held, 0);
}
