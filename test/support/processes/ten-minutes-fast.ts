// Sets the clock of a process ahead by ten minutes: loaded with `--import`.

const SystemDate = Date;

globalThis.Date = class extends SystemDate {
  // gRPC compares `new Date()` with `Date.now()`, so both must be ahead.
  constructor(...given: []) {
    super(...(given.length === 0 ? ([SystemDate.now() + 600_000] as unknown as []) : given));
  }

  static override now(): number {
    return SystemDate.now() + 600_000;
  }
} as DateConstructor;
