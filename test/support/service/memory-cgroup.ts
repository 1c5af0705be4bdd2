// A control group with a bound on memory, as an instance in the cloud has one; needs root on Linux.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryCgroup {
  /** Processes that `start` starts are in the group, and their memory counts from their start. */
  with<T>(start: () => Promise<T>): Promise<T>;
  /** Empty groups only. */
  remove(): void;
}

/** A group of version 1 or 2; where it cannot be made, a sentence that says why. */
export function createMemoryCgroup(mib: number): MemoryCgroup | string {
  try {
    const { parent, limit } = ownGroup();
    const group = join(parent, `saved-queries-${process.pid}-${mib}`);
    mkdirSync(group);
    writeFileSync(join(group, limit), String(mib * 1024 * 1024));
    const move = (to: string): void => writeFileSync(join(to, 'cgroup.procs'), String(process.pid));
    return {
      async with(start) {
        // A child begins in the group of its parent, and Node sizes its heap by the group at its start.
        move(group);
        try {
          return await start();
        } finally {
          move(parent);
        }
      },
      remove: () => rmdirSync(group),
    };
  } catch (error) {
    return `no control group for memory can be made here: ${String(error)}`;
  }
}

function ownGroup(): { parent: string; limit: string } {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  const v1 = lines.map((line) => /^\d+:(?:.*,)?memory(?:,.*)?:(.*)$/.exec(line)?.[1]).find(Boolean);
  if (v1 !== undefined) {
    return { parent: join('/sys/fs/cgroup/memory', v1), limit: 'memory.limit_in_bytes' };
  }
  const v2 = lines.map((line) => /^0::(.*)$/.exec(line)?.[1]).find(Boolean) ?? '/';
  return { parent: join('/sys/fs/cgroup', v2), limit: 'memory.max' };
}
