// The memory of a process on Linux.
import { readFileSync } from 'node:fs';

/** Resident memory of a process in MiB: the current and the highest value. Throws if there is no such process. */
export function memoryMib(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
}
