// The Jest environment of every test file: ends the processes that its tests have started, and lends them the engine.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TestEnvironment } from 'jest-environment-node';
import type { GoogleSql } from '../../scripts/local-bigquery/analysis/google-sql.ts';

/** True for the processes that outlive the file whose test has started them. */
const isShared = new AsyncLocalStorage<boolean>();
let engine: Promise<GoogleSql> | undefined;

/** Reading the engine's protocol takes a second, so each worker does it once, for the first file that asks. */
function startSharedEngine(): Promise<GoogleSql> {
  engine ??= isShared.run(true, async () => {
    const { startGoogleSql } = await import('../../scripts/local-bigquery/dialect/google-sql.ts');
    return startGoogleSql();
  });
  return engine;
}

/** What shows that this process works on. */
const beats = new Int32Array(new SharedArrayBuffer(4));

/** A loop that awaits nothing but promises keeps Jest's own timers from firing: without this it would never end. */
function watchForEndlessLoop(): void {
  const file = join(process.cwd(), 'test/support/end-blocked-worker.ts');
  new Worker(file, { workerData: beats.buffer, execArgv: [] }).unref();
  setInterval(() => Atomics.add(beats, 0, 1), 500).unref();
}

watchForEndlessLoop();

/** A test that fails may not get to end what it has started: Jest would wait for it for ever. */
export default class Environment extends TestEnvironment {
  readonly #running = new Set<ChildProcess>();
  readonly #note = (message: unknown): void => {
    if (isShared.getStore()) return;
    const { process: child } = message as { process: ChildProcess };
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
  };

  override async setup(): Promise<void> {
    await super.setup();
    Object.assign(this.global, { startSharedEngine });
    subscribe('child_process', this.#note);
  }

  /** Tests that wait for nothing leave no turn to a timer either, and are no endless loop. */
  handleTestEvent(): void {
    Atomics.add(beats, 0, 1);
  }

  /** After all hooks of the file. */
  override async teardown(): Promise<void> {
    unsubscribe('child_process', this.#note);
    for (const child of this.#running) {
      child.kill('SIGKILL');
      // Whoever it has started itself may hold the other ends.
      for (const stream of child.stdio) stream?.destroy();
    }
    await super.teardown();
  }
}
