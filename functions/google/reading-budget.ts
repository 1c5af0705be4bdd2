// A bound on the bytes that all readers of an instance hold at once; beyond it they wait.
import { ServiceError } from '../core/errors.ts';

/** What one reader holds. */
export interface Reading {
  /**
   * Counts bytes that have come; undefined where there is room for them, else a promise that
   * resolves once there is. Rejects with INSTANCE_BUSY when the signal aborts before.
   */
  take(bytes: number, signal: AbortSignal): Promise<void> | undefined;
  /** Bytes that are held no more. */
  release(bytes: number): void;
  /** Releases all and takes no more; does nothing the second time. */
  close(): void;
  /** Whether it has had to wait for room. */
  hasWaited(): boolean;
}

export interface ReadingBudget {
  open(): Reading;
}

interface Reader {
  held: number;
  waiting: { bytes: number; go: () => void } | undefined;
}

/**
 * All readers together hold at most `bytesMax`, and beyond it what one of them takes: the one that has
 * been reading longest always goes on, so that readers which wait for each other cannot stand still.
 */
export function createReadingBudget(bytesMax: number): ReadingBudget {
  /** Those that hold or wait, the one that began first in front. */
  const readers = new Set<Reader>();
  let heldByAll = 0;

  return { open };

  function open(): Reading {
    const reader: Reader = { held: 0, waiting: undefined };
    let isClosed = false;
    let hasWaited = false;

    return {
      take(bytes, signal) {
        if (isClosed || signal.aborted) return Promise.reject(instanceBusy());
        readers.add(reader);
        if (mayTake(reader, bytes)) {
          count(reader, bytes);
          return undefined;
        }
        hasWaited = true;
        return new Promise((resolve, reject) => {
          const stop = (): void => {
            reader.waiting = undefined;
            settle(reader);
            reject(instanceBusy());
          };
          reader.waiting = {
            bytes,
            go: () => {
              signal.removeEventListener('abort', stop);
              resolve();
            },
          };
          signal.addEventListener('abort', stop, { once: true });
        });
      },
      release(bytes) {
        count(reader, -Math.min(bytes, reader.held));
        settle(reader);
      },
      close() {
        isClosed = true;
        count(reader, -reader.held);
        settle(reader);
      },
      hasWaited: () => hasWaited,
    };
  }

  function mayTake(reader: Reader, bytes: number): boolean {
    const [first] = readers;
    return reader === first || heldByAll + bytes <= bytesMax;
  }

  function count(reader: Reader, bytes: number): void {
    reader.held += bytes;
    heldByAll += bytes;
  }

  /** Drops a reader that is at its end, and lets go on who may. */
  function settle(changed: Reader): void {
    if (changed.held === 0 && changed.waiting === undefined) readers.delete(changed);
    for (const reader of readers) {
      const { waiting } = reader;
      if (waiting === undefined || !mayTake(reader, waiting.bytes)) continue;
      reader.waiting = undefined;
      count(reader, waiting.bytes);
      waiting.go();
    }
  }
}

export function instanceBusy(): ServiceError {
  return new ServiceError(
    'INSTANCE_BUSY',
    'As many results are being read at the moment as this instance can hold. Try again shortly.',
  );
}
