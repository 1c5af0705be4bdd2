// Bounds the bytes of BigQuery answers that an instance holds at once; queries beyond the bound wait.
import { ServiceError } from '../core/errors.ts';

/** The bytes that one reader holds. */
export interface Reading {
  /**
   * Counts received bytes. Returns undefined if there is room for them, else a promise that resolves
   * once there is. Rejects with INSTANCE_BUSY if the signal aborts before.
   */
  take(bytes: number, signal: AbortSignal): Promise<void> | undefined;
  /** Subtracts bytes that are no longer held. */
  release(bytes: number): void;
  /** Releases all bytes and ends the reader; a second call does nothing. */
  close(): void;
  /** Whether the reader has waited for room. */
  hasWaited(): boolean;
}

interface ReadingBudget {
  open(): Reading;
}

interface Reader {
  held: number;
  waiting: { bytes: number; go: () => void } | undefined;
}

/**
 * All readers together hold at most `bytesMax`, plus the bytes of one reader: the one that started first
 * never waits, so that there is no deadlock.
 */
export function createReadingBudget(bytesMax: number): ReadingBudget {
  /** The readers that hold bytes or wait, in the order of their start. */
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

  /** Removes a reader that has ended, and resumes waiting readers for which there is room. */
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
