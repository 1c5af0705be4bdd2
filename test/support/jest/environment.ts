// What Jest asks of the surroundings of a test file. Here they are those of the process, without a sandbox (runner.ts).
import type { JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import type { Circus } from '@jest/types';
import { ModuleMocker } from 'jest-mock';

const DEFINING = new Set(['start_describe_definition', 'add_test', 'add_hook']);

const isAfter = ({ type }: Circus.Hook): boolean => type === 'afterAll' || type === 'afterEach';

/** The latest first: what a test file sets up on top of setup.ts has to end before it. */
function reverseAfterHooks(block: Circus.DescribeBlock): void {
  const others = block.hooks.filter((hook) => !isAfter(hook));
  block.hooks.splice(0, Infinity, ...others, ...block.hooks.filter(isAfter).reverse());
  for (const child of block.children) if (child.type === 'describeBlock') reverseAfterHooks(child);
}

export default class ProcessEnvironment implements JestEnvironment<ModernFakeTimers> {
  readonly global = globalThis as unknown as JestEnvironment['global'];
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly moduleMocker = new ModuleMocker(globalThis);
  private isOver = false;
  private readonly console = globalThis.console;
  private readonly exit = process.exit.bind(process);

  constructor({ projectConfig: config }: JestEnvironmentConfig) {
    const timers = new ModernFakeTimers({ config, global: globalThis });
    this.fakeTimersModern = timers;
    // The parts of the global `jest` that no loader is needed for.
    const jest = {
      fn: this.moduleMocker.fn.bind(this.moduleMocker),
      spyOn: this.moduleMocker.spyOn.bind(this.moduleMocker),
      restoreAllMocks: () => this.moduleMocker.restoreAllMocks(),
      useFakeTimers: timers.useFakeTimers.bind(timers),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (ms: number) => timers.advanceTimersByTime(ms),
      getTimerCount: () => timers.getTimerCount(),
    };
    Object.assign(globalThis, { jest });
  }

  handleTestEvent(event: Circus.AsyncEvent | Circus.SyncEvent, state: Circus.State): void {
    if (event.name === 'run_start') reverseAfterHooks(state.rootDescribeBlock);
    // Without this error, tests that another file defines with them would be lost.
    if (this.isOver && DEFINING.has(event.name))
      throw new Error('A shared module keeps `it`, `describe` or a hook of an earlier test file.');
  }

  setup(): Promise<void> {
    return Promise.resolve();
  }

  /** Jest has put its own console and `process.exit` into the process. */
  teardown(): Promise<void> {
    this.isOver = true;
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    Object.assign(globalThis, { console: this.console });
    Object.assign(process, { exit: this.exit });
    return Promise.resolve();
  }

  getVmContext(): null {
    return null;
  }

  exportConditions(): string[] {
    return ['node', 'import'];
  }
}
