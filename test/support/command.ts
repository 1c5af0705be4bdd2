// Runs a script of this project as a user does, in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a script to its end. */
export async function runScript(
  script: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<CommandResult> {
  const running = startScript(script, args, env);
  const [code] = (await once(running.child, 'close')) as [number | null];
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

export interface RunningScript {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  /** Resolves once stdout matches; rejects when the script ends before. */
  until: (pattern: RegExp) => Promise<void>;
}

export function startScript(
  script: string,
  args: string[] = [],
  env: Record<string, string> = {},
): RunningScript {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(stdout)) resolve();
        };
        child.stdout.on('data', look);
        child.on('close', () => reject(new Error(`ended without ${String(pattern)}: ${stderr}`)));
        look();
      }),
  };
}
