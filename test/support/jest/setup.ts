// Runs before every test file: ends the processes that its tests have started, and a worker that hangs.
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { withoutDomains } from '../../../functions/http/framework.ts';
import { isSharedEngine } from '../bigquery/shared-engine.ts';
import { beginTest, endFile, endTest } from '../undo.ts';

// As functions/index.ts: a domain would slow down every later promise of the worker.
withoutDomains();

const running = new Set<ChildProcess>();
const note = (message: unknown): void => {
  if (isSharedEngine()) return;
  const { process: child } = message as { process: ChildProcess };
  running.add(child);
  child.once('exit', () => running.delete(child));
};

beforeAll(() => subscribe('child_process', note));
beforeEach(beginTest);
afterEach(endTest);

/** After all hooks of the file, whose tests have to end what they start, also where they fail. */
afterAll(async () => {
  try {
    await endFile();
  } finally {
    unsubscribe('child_process', note);
    endProcesses();
  }
});

/** Throws if there are some: whoever has started them should have ended them. */
function endProcesses(): void {
  const left: string[] = [];
  for (const child of running) {
    // esbuild has one process for all files of the worker, and does not start it again.
    if (child.spawnfile?.includes('esbuild')) continue;
    if (!child.killed) left.push(child.spawnargs.join(' '));
    child.kill('SIGKILL');
    // Whoever it has started itself may hold the other ends.
    for (const stream of child.stdio) stream?.destroy();
  }
  if (left.length > 0) throw new Error(`A test has not ended its process: ${left.join('; ')}`);
}

/** The first element of the message by which Jest ends a worker: CHILD_MESSAGE_END of jest-worker. */
const END = 2;

/** What its files share, such as the engine, would keep the worker alive. */
function exitAtEnd([kind]: [number]): void {
  if (kind === END) process.exit();
}

declare global {
  /** Ends this worker when it hangs; one for all of its files. */
  var watch: { beats: Int32Array; thread: Worker } | undefined;
}

/** A loop that awaits nothing but promises keeps Jest's own timers from firing: without this it would never end. */
function watchForEndlessLoop(): NonNullable<typeof globalThis.watch> {
  // What shows that this process works on.
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const file = join(process.cwd(), 'test/support/processes/end-blocked-worker.ts');
  const thread = new Worker(file, { workerData: beats.buffer, execArgv: [] });
  thread.unref();
  process.on('message', exitAtEnd);
  // After `--bail`, Ctrl-C, or if Jest is killed: nobody waits for this worker, nor for what its tests have started.
  process.once('disconnect', () => {
    for (const child of running) child.kill('SIGKILL');
    process.exit();
  });
  setInterval(() => Atomics.add(beats, 0, 1), 500).unref();
  return { beats, thread };
}

const { beats, thread } = (globalThis.watch ??= watchForEndlessLoop());
beforeAll(() => thread.postMessage(expect.getState().testPath));
// Tests that wait for nothing leave no turn to a timer either, and are no endless loop.
beforeEach(() => void Atomics.add(beats, 0, 1));
