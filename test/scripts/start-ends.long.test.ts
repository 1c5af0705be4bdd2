// Tests of ending `npm start` in every way: no process and no port is left.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../scripts/cli/tcp-ports.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';

/** Longer than it takes, also on a machine that is busy. */
const END_MS = 20_000;
const POLL_MS = 100;
/** npm, the program, the engine with its shells, and both functions. */
const PROCESSES_MIN = 6;

interface Process {
  pid: number;
  parent: number;
  command: string;
}

let started: Process[] = [];

/** All processes of this machine but those that have ended and wait for their parent to notice. */
function processes(): Process[] {
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
function familyOf(pid: number, all = processes()): Process[] {
  const children = all.filter(({ parent }) => parent === pid);
  return [
    ...all.filter((one) => one.pid === pid),
    ...children.flatMap((child) => familyOf(child.pid, all)),
  ];
}

function leftOver(): Process[] {
  const now = processes();
  return started.filter(({ pid, command }) =>
    now.some((one) => one.pid === pid && one.command === command),
  );
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isConnected = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return isConnected;
}

/** Resolves once the service runs; `launcher` is in a process group of its own, as in a terminal. */
async function start(ports: readonly number[], launcher: string[]): Promise<void> {
  const [program = '', ...args] = launcher;
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      PORT: String(ports[0]),
      WARM_PORT: String(ports[1]),
      FIRESTORE_EMULATOR_HOST: '',
      CONSOLE: 'off',
    },
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  while (!text.includes('Ctrl-C')) {
    if (child.exitCode !== null) throw new Error(`npm start has ended: ${text}`);
    await delay(POLL_MS);
  }
  // A list of processes is no snapshot: what is started meanwhile may be missing in it.
  const untilMs = performance.now() + END_MS;
  started = familyOf(child.pid ?? -1);
  while (started.length < PROCESSES_MIN && performance.now() < untilMs) {
    await delay(POLL_MS);
    started = familyOf(child.pid ?? -1);
  }
}

/** The oldest process whose command matches. */
function pidOf(pattern: RegExp): number {
  const found = started.find(({ command }) => pattern.test(command));
  if (found === undefined) throw new Error(`no ${String(pattern)} in ${JSON.stringify(started)}`);
  return found.pid;
}

/** Of tables without rows, so that it starts soon. */
const START = ['npm', 'start', '--', '--sql', TEST_SQL];
const NPM = /^npm start/;
const SHELL_OF_NPM = /^\S*sh -c node scripts\/start\.ts/;
const PROGRAM = /^\S*node scripts\/start\.ts/;
const group = (): number => -(started[0]?.pid ?? 0);

afterEach(() => {
  for (const { pid } of leftOver()) process.kill(pid, 'SIGKILL');
  started = [];
});

it.each<[string, string[], () => void]>([
  ['npm is told to end', START, () => process.kill(pidOf(NPM), 'SIGTERM')],
  ['npm is killed', START, () => process.kill(pidOf(NPM), 'SIGKILL')],
  ['its shell is killed', START, () => process.kill(pidOf(SHELL_OF_NPM), 'SIGKILL')],
  ['the program is killed', START, () => process.kill(pidOf(PROGRAM), 'SIGKILL')],
  ['timeout ends', ['timeout', '300', ...START], () => process.kill(-group(), 'SIGTERM')],
  ['Ctrl-C is pressed', START, () => process.kill(group(), 'SIGINT')],
  ['the terminal closes', START, () => process.kill(group(), 'SIGHUP')],
])('all processes end when %s', async (_, launcher, end) => {
  const ports = [await freePort(), await freePort()];
  await start(ports, launcher);
  expect(started.length).toBeGreaterThanOrEqual(PROCESSES_MIN);
  expect(await Promise.all(ports.map(isOpen))).toEqual([true, true]);
  end();
  const untilMs = performance.now() + END_MS;
  while (performance.now() < untilMs && leftOver().length > 0) await delay(POLL_MS);
  expect(leftOver()).toEqual([]);
  expect(await Promise.all(ports.map(isOpen))).toEqual([false, false]);
});
