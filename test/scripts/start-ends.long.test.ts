// Tests of ending `npm start` in every way: no process, no port and no socket of the engine is left.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { freePort } from '../support/service/free-port.ts';
import { type Process, familyOf, processes } from '../support/process.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { undo } from '../support/undo.ts';
import { eventually } from '../support/until.ts';

it.each([
  ['npm is told to end', /^npm start/, 'SIGTERM'],
  ['npm is killed', /^npm start/, 'SIGKILL'],
  ['the program is killed', /^\S*node scripts\/start\.ts/, 'SIGKILL'],
  ['Ctrl-C is pressed', 'the group', 'SIGINT'],
  ['the terminal closes', 'the group', 'SIGHUP'],
] as const)('all processes end when %s', async (_, whom, signal) => {
  /** Longer than it takes, also on a machine that is busy. */
  const START_MS = 60_000;
  const END_MS = 20_000;
  const POLL_MS = 100;
  /** npm, the program, the engine with its shell, and both functions. */
  const PROCESSES_MIN = 5;
  const temporary = testDirectory('ends-');
  let started: Process[] = [];
  const leftOver = (): Process[] => {
    const now = processes();
    return started.filter(({ pid, command }) =>
      now.some((one) => one.pid === pid && one.command === command),
    );
  };
  undo(() => {
    for (const { pid } of leftOver()) process.kill(pid, 'SIGKILL');
  });

  /** The socket of the engine is in one. */
  const folders = (): string[] =>
    readdirSync(temporary).filter((name) => name.startsWith('googlesql-'));

  async function isOpen(port: number): Promise<boolean> {
    const socket = connect(port, '127.0.0.1');
    const isConnected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isConnected;
  }

  /** Resolves once the service runs; npm is in a process group of its own, as in a terminal. */
  async function start(ports: readonly number[]): Promise<void> {
    // Of tables without rows, so that it starts soon.
    const child = spawn('npm', ['start', '--', '--sql', TEST_SQL], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        ...process.env,
        TMPDIR: temporary,
        PORT: String(ports[0]),
        WARM_PORT: String(ports[1]),
        FIRESTORE_EMULATOR_HOST: '',
        CONSOLE: 'off',
      },
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await eventually(() => expect(text).toContain('Ctrl-C'), START_MS);
    // A list of processes is no snapshot: what is started meanwhile may be missing in it.
    const isComplete = (): boolean => (started = familyOf(child.pid)).length >= PROCESSES_MIN;
    await eventually(() => expect(isComplete()).toBe(true), END_MS, POLL_MS);
  }

  const ports = [await freePort(), await freePort()];
  await start(ports);
  expect(await Promise.all(ports.map(isOpen))).toEqual([true, true]);
  expect(folders()).toHaveLength(1);
  // The oldest process whose command matches, or all of them.
  const found = whom === 'the group' ? started[0] : started.find((one) => whom.test(one.command));
  expect(started).toContain(found);
  process.kill((found?.pid ?? 0) * (whom === 'the group' ? -1 : 1), signal);
  await eventually(() => expect(leftOver()).toEqual([]), END_MS, POLL_MS);
  // A process loses its command, by which it is found, before its ports.
  const open = (): Promise<boolean[]> => Promise.all(ports.map(isOpen));
  await eventually(async () => expect(await open()).toEqual([false, false]), END_MS, POLL_MS);
  await eventually(() => expect(folders()).toEqual([]), END_MS, POLL_MS);
});
