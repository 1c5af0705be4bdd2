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
}

/** How long a reading with an owner waits for room, in all. */
const WAIT_MS_MAX = 2000;

/**
 * All readings together take at most `bytesMax`, plus the bytes of the one that started first: it never waits, so that
 * there is no deadlock. The others are served in the order of their start, and refused when they have waited too long.
 */
export function createReadingBudget(bytesMax: number, clock: Clock) {
  /** The readers that have bytes or wait for some, in the order of their start. */
  const readers = new Set<Reader>();

  return { open };

  /** Opens a reading for this owner; without an owner it waits as long as its run lasts. */
  function open(owner?: string) {
    const reader: Reader = { owner, held: 0, waiting: undefined };
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
    };

    async function waitForRoom(bytes: number, signal: AbortSignal): Promise<void> {
      const startedMs = clock.nowMs();
      const over = new AbortController();
      const room = new Promise<void>((resolve) => {
        reader.waiting = { bytes, go: resolve };
      });
      const end = AbortSignal.any([signal, over.signal]);
      const late = owner === undefined ? [] : [clock.wait(waitMsLeft, end)];
      await Promise.race([room, ...late, once(end, 'abort')]).finally(() => over.abort());
      waitMsLeft = Math.max(0, waitMsLeft - (clock.nowMs() - startedMs));
      if (reader.waiting === undefined && !isClosed) return;
      reader.waiting = undefined;
      if (!isClosed) settle(reader);
      throw usualError('INSTANCE_BUSY');
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
    const ofOwner = sum(others.filter(({ owner }) => owner === reader.owner));
    return hasShare(bytes, { own: ofOwner, all, max: bytesMax });
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
