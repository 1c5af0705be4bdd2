// Processor time and memory of a process, and the load generator's process.
import { readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { kill } from '../support/kill.ts';
import { type Credential, type Encoding, headersFor } from './answers.ts';
import type { Load, LoadResult } from './client.ts';

/** Length of the ticks of `/proc/<pid>/stat`, the same on every Linux. */
const TICK_MS = 10;

/** Processor time of a process since its start, in milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Resident memory of a process in MiB: the current and the highest value. */
export function memoryMib(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
}

export type LoadClient = ReturnType<typeof startLoadClient>;

export function startLoadClient() {
  const client = spawn(process.execPath, ['test/bench/client.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(client.stdout);
  const ended = once(client, 'exit').then(() => {
    throw new Error('The load generator has ended.');
  });
  // Only a load that is running reports it.
  ended.catch(() => undefined);
  return {
    /** Runs one load; the caller waits for its end before the next. Throws if an answer is not 200. */
    run: async (
      load: Omit<Load, 'headers'>,
      encoding: Encoding = 'gzip',
      credential?: Credential,
    ): Promise<LoadResult> => {
      const headers = headersFor(encoding, credential);
      client.stdin.write(`${JSON.stringify({ ...load, headers })}\n`);
      const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
      const result = JSON.parse(line) as LoadResult;
      const { '200': good = 0, ...others } = result.answers;
      if (good === 0 || Object.keys(others).length > 0) {
        throw new Error(`${load.urls[0]} answers ${JSON.stringify(result.answers)}, not 200.`);
      }
      return result;
    },
    stop: () => kill(client),
  };
}
