// The processes that a process has started, as `ps` lists them.
import { execFileSync } from 'node:child_process';

export interface Process {
  pid: number;
  parent: number;
  command: string;
}

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
