// Runs a command of this project: in this process, or as a script in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Main } from '../../scripts/cli/command.ts';
import { undo } from './undo.ts';

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** How a command ends that refuses: with code 2 where its words are not understood. */
export function refusal(fault: string, code = 1): CommandResult {
  return { code, stdout: '', stderr: `Error: ${fault}\n` };
}

/** All that a command prints, and its exit code unless it is 0. */
export function printedBy({ code, stdout, stderr }: CommandResult): string {
  return `${stdout}${stderr}${code === 0 ? '' : `[${code}]\n`}`;
}

/** The arguments of a command as it is typed; a quoted one may have spaces. */
export const wordsOf = (command: string): string[] =>
  (command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );

/**
 * Runs a command in this process. `env` overrides this process's variables, also for Google's clients,
 * which look for emulators there. So only one command may run at a time.
 */
export async function runCommand(
  main: Main,
  args: string[] = [],
  env: Record<string, string> = {},
  nowMs: () => number = Date.now,
): Promise<CommandResult> {
  let stdout = '';
  let stderr = '';
  const restore = stubEnv(env);
  try {
    const code = await main(args, {
      env: { ...process.env },
      print: (line) => void (stdout += `${line}\n`),
      note: (line) => void (stderr += `${line}\n`),
      nowMs,
    });
    return { code, stdout, stderr };
  } finally {
    restore();
  }
}

/** Runs a script to its end. */
export async function runScript(
  script: string,
  args: string[] = [],
  env: Record<string, string> = {},
  directory?: string,
): Promise<CommandResult> {
  const running = startScript(script, args, env, directory);
  const [code] = (await once(running.child, 'close')) as [number | null];
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

/** In a test it ends with it. */
export function startScript(
  script: string,
  args: string[] = [],
  env: Record<string, string> = {},
  directory: string = process.cwd(),
) {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  undo(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    /** Resolves once stdout matches; rejects when the script ends before. */
    until: (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(stdout)) resolve();
        };
        child.stdout.on('data', look);
        child.on('close', (code, signal) => {
          const ended = `ended by ${signal ?? code} without ${String(pattern)}`;
          reject(new Error(`${ended}: ${stdout}${stderr}`));
        });
        look();
      }),
  };
}

/** Sets variables of this process until the returned function is called, and no longer than the test. */
function stubEnv(values: Record<string, string>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  const restore = (): void => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  };
  Object.assign(process.env, values);
  undo(restore);
  return restore;
}
