// The processes of this machine: what one has started, what it takes, and its end.
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** Tests that need the files of Linux for processes and devices, and are skipped elsewhere. */
export const describeOnLinux = (name: string, tests: () => void): void =>
  (process.platform === 'linux' ? describe : describe.skip)(name, tests);

/** All processes of this machine but those that have ended and wait for their parent to notice. */
export function processes(): Process[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((row) => /^\s*(\d+)\s+(\d+)\s+([^Z\s]\S*)\s+(.*)$/.exec(row))
    .filter((row) => row !== null)
    .map(([, pid, parent, , command = '']) => ({
      pid: Number(pid),
      parent: Number(parent),
      command,
    }));
}

/** A process and all that it has started, in the order of their start. */
export function familyOf(pid: number | undefined, all = processes()): Process[] {
  const children = all.filter(({ parent }) => parent === pid);
  return [
    ...all.filter((one) => one.pid === pid),
    ...children.flatMap((child) => familyOf(child.pid, all)),
  ];
}

/** Kills a process and waits for its end. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Resident memory of a process in MiB: the current and the highest value. Throws if there is no such process. */
export function memoryMib(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
}

/** The processor time of a process, in whole seconds on Linux. */
export function cpuSeconds(pid: number | undefined): number {
  const time = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' });
  const [seconds = 0, minutes = 0] = time.trim().split(':').map(Number).reverse();
  return minutes * 60 + seconds;
}

/** The processor time of this process: unlike the clock, it is the same on a busy machine. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
