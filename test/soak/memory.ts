// Checks whether the memory of processes grows after their warm-up.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from '../support/median.ts';

/** The most by which the last quarter of a test may exceed the second quarter. */
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

  /** One sentence for each process with at least `samplesMin` samples whose memory has grown. */
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
