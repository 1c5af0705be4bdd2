// Detects the end of npm, which started this program: npm does not end the programs that it started.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const INTERVAL_MS = 500;
const SHELL = /^(?:.*\/)?-?(?:ba|da|z|k|a)?sh$/;

/**
 * Calls `ended` once npm, or the shell between npm and this program, has ended. Does nothing if the
 * program was not started by npm: its parent may then end first on purpose (nohup). Returns a function
 * that stops the watch.
 */
export function onLauncherEnd(
  env: Readonly<Record<string, string | undefined>>,
  ended: () => void,
): () => void {
  if (env.npm_lifecycle_event === undefined) return () => undefined;
  const parent = process.ppid;
  // Some shells stay between npm and the program, others become the program.
  const grandparent = SHELL.test(commandOf(parent)) ? parentOf(parent) : undefined;
  const timer = setInterval(() => {
    const isParentGone = process.ppid !== parent;
    // A process whose parent has ended gets another parent, even if the old one is a zombie.
    const isGrandparentGone = grandparent !== undefined && parentOf(parent) !== grandparent;
    if (isParentGone || isGrandparentGone) {
      clearInterval(timer);
      ended();
    }
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Undefined for a process that has ended. */
function parentOf(pid: number): number | undefined {
  try {
    const text =
      process.platform === 'linux'
        ? // `pid (name) state ppid …`, where a name may contain anything.
          readFileSync(`/proc/${pid}/stat`, 'utf8')
            .replace(/^.*\) \S+ /s, '')
            .split(' ')[0]
        : ps('ppid=', pid);
    return Number(text);
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
      : ps('comm=', pid);
  } catch {
    return '';
  }
}

function ps(column: string, pid: number): string {
  return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim();
}
