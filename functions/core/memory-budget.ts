// Bounds the bytes that an instance keeps in memory at once, and shares them among owners.
import type { Clock } from './clock.ts';
import { usualError } from './errors.ts';

/** What one run, or one call of a store, may keep in memory. */
export type MemoryShare = ReturnType<ReturnType<typeof createMemoryBudget>>;

/** How much an owner may use, as a multiple of what is then free. */
const SHARE = 3;
/** How long a reading with an owner waits for room, in all. */
const WAIT_MS_MAX = 2000;

/** One owner gets at most three quarters; several leave some for the next ("dynamic queue length thresholds", Choudhury and Hahne, 1998). */
export function hasShare(bytes: number, { own, all, max }: Record<'own' | 'all' | 'max', number>) {
  return own + bytes <= SHARE * (max - all - bytes);
}

interface Holder {
  owner: string | undefined;
  held: number;
  /** Present while it waits for room: takes it if there is enough. */
  retry?: (() => void) | undefined;
}

/**
 * Opens readings, which together take at most `bytesMax`, plus the bytes of the one that started first: it never waits, so that
 * there is no deadlock. The others are served in the order of their start, and refused when they have waited too long.
 */
export function createMemoryBudget(bytesMax: number, clock: Clock) {
  /** Those that have bytes or wait for some, in the order of their start. */
  const holders = new Set<Holder>();

  /** The reading ends when the signal aborts. Without an owner it waits until then. */
  return function open(signal: AbortSignal, owner?: string) {
    const own: Holder = { owner, held: 0 };
    let waitMsLeft = WAIT_MS_MAX;
    signal.addEventListener('abort', () => release(0));
    return { take, release, isWaiting: () => own.retry !== undefined };

    /** Waits for room if there is none. Rejects with INSTANCE_BUSY if the reading has waited too long, or has ended. */
    async function take(bytes: number): Promise<void> {
      if (signal.aborted) throw usualError('INSTANCE_BUSY');
      holders.add(own);
      if (!hasRoom(bytes)) await waitForRoom(bytes);
      else own.held += bytes;
    }

    async function waitForRoom(bytes: number): Promise<void> {
      const startedMs = clock.nowMs();
      const over = new AbortController();
      const late = owner === undefined ? undefined : clock.wait(waitMsLeft, over.signal);
      void late?.then(() => over.abort()).then(serve);
      const isTaken = await new Promise<boolean>((resolve) => {
        own.retry = () => {
          const hasEnded = over.signal.aborted || signal.aborted;
          if (!hasEnded && !hasRoom(bytes)) return;
          own.retry = undefined;
          if (!hasEnded) own.held += bytes;
          resolve(!hasEnded);
        };
      });
      over.abort();
      waitMsLeft -= clock.nowMs() - startedMs;
      if (isTaken) return;
      release(0);
      throw usualError('INSTANCE_BUSY');
    }

    /** Subtracts bytes that have left memory: all, once the reading has ended. */
    function release(bytes: number): void {
      own.held = signal.aborted ? 0 : own.held - bytes;
      if (own.held === 0 && own.retry === undefined) holders.delete(own);
      serve();
    }

    /** The bytes of the first reading do not count: it may be slow, and others must not wait for it. */
    function hasRoom(bytes: number): boolean {
      const [first, ...others] = holders;
      const ofOwner = others.filter((one) => one.owner === owner);
      return (
        own === first || hasShare(bytes, { own: sum(ofOwner), all: sum(others), max: bytesMax })
      );
    }
  };

  function serve(): void {
    for (const { retry } of holders) retry?.();
  }
}

function sum(readings: readonly { held: number }[]): number {
  return readings.reduce((bytes, { held }) => bytes + held, 0);
}
