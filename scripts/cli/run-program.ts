// Runs another program, such as terraform, and waits for its end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../functions/core/describe-error.ts';

interface ProgramOptions {
  directory: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Standard output is shown, shown as standard error, captured, or dropped together with standard error. */
  output: 'inherit' | 'stderr' | 'pipe' | 'ignore';
  /** Standard error is shown and captured. What would be dropped is captured too, and not shown. */
  keepsErrors?: boolean;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Its exit code is 0 if `isDone`; there is no such program if `isMissing`; `stdout` and `stderr` are empty unless they are kept.
 *
 * A signal to this process takes effect when the program has ended, so that none keeps running. It is not
 * passed on: a terminal sends Ctrl-C to the program itself, and terraform treats a second one as an order to
 * stop without saving what it has done.
 */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  { directory, env, output, keepsErrors = false }: ProgramOptions,
) {
  let received: NodeJS.Signals | undefined;
  const remember = (signal: NodeJS.Signals): void => void (received = signal);
  for (const signal of SIGNALS) process.on(signal, remember);
  try {
    const isSilent = output === 'ignore';
    const shown = output === 'stderr' ? process.stderr : isSilent && keepsErrors ? 'pipe' : output;
    const errors = keepsErrors ? 'pipe' : isSilent ? output : 'inherit';
    const child = spawn(program, args, { stdio: ['inherit', shown, errors], cwd: directory, env });
    if (!isSilent) child.stderr?.pipe(process.stderr, { end: false });
    const [[code], stdout, stderr] = await Promise.all([
      once(child, 'close') as Promise<[number | null]>,
      child.stdout === null ? '' : text(child.stdout),
      child.stderr === null ? '' : text(child.stderr),
    ]);
    return { code, isDone: code === 0, isMissing: false, stdout, stderr };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return { code: null, isDone: false, isMissing: true, stdout: '', stderr: '' };
  } finally {
    for (const signal of SIGNALS) process.off(signal, remember);
    if (received !== undefined) {
      process.kill(process.pid, received);
      // Elapses only if the signal does not end the process.
      await delay(1000);
    }
  }
}
