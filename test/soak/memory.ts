// Checks whether the memory of processes grows after their warm-up.
import { median } from '../support/program.ts';
import { memoryMib } from '../support/process.ts';

/** The most by which the last minute may exceed the minute after the warm-up. */
const GROWTH_MIB_MAX = 20;
const WARM_UP_MINUTES = 3;

/** Resident memory of processes over time. */
export class Memory {
  readonly #samples = new Map<number, number[]>();

  add(pid: number): void {
    this.#samples.set(pid, []);
  }

  sample(): void {
    for (const [pid, mib] of this.#samples) {
      try {
        mib.push(memoryMib(pid).now);
      } catch {
        // It has ended.
      }
    }
  }

  /** One sentence for each process that has lived for five minutes and whose memory has grown. */
  growths(samplesPerMinute: number): string[] {
    return [...this.#samples].flatMap(([pid, mib]) => {
      const warmedUp = WARM_UP_MINUTES * samplesPerMinute;
      if (mib.length < warmedUp + 2 * samplesPerMinute) return [];
      const early = median(mib.slice(warmedUp, warmedUp + samplesPerMinute));
      const late = median(mib.slice(-samplesPerMinute));
      if (late <= early + GROWTH_MIB_MAX) return [];
      return [`memory of process ${pid}: ${early.toFixed()} MiB, then ${late.toFixed()}`];
    });
  }

  toString(): string {
    return [...this.#samples.values()].map((mib) => mib.at(-1)?.toFixed() ?? '?').join(' ');
  }
}
