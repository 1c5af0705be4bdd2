// The Jest environment of every test file: ends the processes that its tests have started.
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { TestEnvironment } from 'jest-environment-node';

/** A test that fails may not get to end what it has started: Jest would wait for it for ever. */
export default class Environment extends TestEnvironment {
  readonly #running = new Set<ChildProcess>();
  readonly #note = (message: unknown): void => {
    const { process: child } = message as { process: ChildProcess };
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
  };

  override async setup(): Promise<void> {
    await super.setup();
    subscribe('child_process', this.#note);
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
