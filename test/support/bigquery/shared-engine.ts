// The GoogleSQL engine that all test files of a worker share. Tests that end or change an engine start their own.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { GoogleSql } from '../../../scripts/local-bigquery/analysis/google-sql.ts';

const isShared = new AsyncLocalStorage<boolean>();
let engine: Promise<GoogleSql> | undefined;

/** Whether the engine is being started: its process outlives the file whose test needed it first. */
export function isSharedEngine(): boolean {
  return isShared.getStore() ?? false;
}

/** Reading its protocol takes a second. It lives as long as the worker: `close` does nothing. */
export async function sharedEngine(): Promise<GoogleSql> {
  engine ??= isShared.run(true, async () => {
    const { startGoogleSql } =
      await import('../../../scripts/local-bigquery/dialect/google-sql.ts');
    return startGoogleSql();
  });
  const shared = await engine;
  return {
    ...shared,
    // Each may start a new process, if the one before has ended.
    analyze: (request) => isShared.run(true, () => shared.analyze(request)),
    evaluate: (request) => isShared.run(true, () => shared.evaluate(request)),
    close: () => Promise.resolve(),
  };
}
