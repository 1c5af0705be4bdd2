// Whether processes keep the memory they need after their warm-up.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from '../support/median.ts';

/** The last part of a run may use this much more than the part after the warm-up, at most. */
const MEMORY_GROWTH = { factor: 1.25, mib: 32 };

/** Resident memory of processes over time. */
export class Memory {
  readonly #samples: { pid: number; mib: number[] }[] = [];

  add(pid: number): void {
    this.#samples.push({ pid, mib: [] });
  }

  async sample(): Promise<void> {
    for (const { pid, mib } of this.#samples) {
      try {
        const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
        mib.push(Number(stdout.trim()) / 1024);
      } catch {
        // It has ended.
      }
    }
  }

  /** Medians of the second and of the last quarter, where the last is much more, of who has lived long enough. */
  growths(samplesMin: number): string[] {
    return this.#samples.flatMap(({ pid, mib }) => {
      if (mib.length < samplesMin) return [];
      const quarter = Math.floor(mib.length / 4);
      const early = median(mib.slice(quarter, 2 * quarter));
      const late = median(mib.slice(-quarter));
      const isFlat = late <= early * MEMORY_GROWTH.factor || late <= early + MEMORY_GROWTH.mib;
      return isFlat
        ? []
        : [`memory of process ${pid}: ${early.toFixed()} MiB, then ${late.toFixed()}`];
    });
  }

  toString(): string {
    return this.#samples.map(({ mib }) => `${mib.at(-1)?.toFixed() ?? '?'}`).join(' ');
  }
}
