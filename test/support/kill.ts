// Kills a process and waits for its end.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
