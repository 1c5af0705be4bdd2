// Runs another program, such as terraform, and waits for its end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../functions/core/errors.ts';

interface ProgramOptions {
  directory: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Standard output is shown, shown as standard error, or captured. */
  output: 'inherit' | 'stderr' | 'pipe';
  /** Signals are passed on, to a program that ends in order. */
  passesSignals?: boolean;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Its exit code is 0 if `isDone`; there is no such program if `isMissing`; `stdout` is empty unless it is captured.
 *
 * A signal to this process takes effect when the program has ended, so that none keeps running. By default it is not
 * passed on: a terminal sends Ctrl-C to the program itself, and terraform treats a second one as an order to
 * stop without saving what it has done.
 */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  { directory, env, output, passesSignals = false }: ProgramOptions,
) {
  let received: NodeJS.Signals | undefined;
  let pass: ((signal: NodeJS.Signals) => void) | undefined;
  const remember = (signal: NodeJS.Signals): void => {
    received = signal;
    pass?.(signal);
  };
  for (const signal of SIGNALS) process.on(signal, remember);
  try {
    const shown = output === 'stderr' ? process.stderr : output;
    const child = spawn(program, args, {
      stdio: ['inherit', shown, 'inherit'],
      cwd: directory,
      env,
    });
    pass = (signal) => void (passesSignals && child.kill(signal));
    const [[code], stdout] = await Promise.all([
      once(child, 'close') as Promise<[number | null]>,
      child.stdout === null ? '' : text(child.stdout),
    ]);
    return { code, isDone: code === 0, isMissing: false, stdout };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return { code: null, isDone: false, isMissing: true, stdout: '' };
  } finally {
    for (const signal of SIGNALS) process.off(signal, remember);
    if (received !== undefined) {
      process.kill(process.pid, received);
      // Elapses only if the signal does not end the process.
      await delay(1000);
    }
  }
}
