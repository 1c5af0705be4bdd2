// The GoogleSQL engine that all test files of a Jest worker share. Tests that end or change an engine start their own.
import type { GoogleSql } from '../../scripts/local-bigquery/analysis/google-sql.ts';
import { GoogleSqlError } from '../../scripts/local-bigquery/engine/error.ts';

declare global {
  /** Set by environment.ts. */
  var startSharedEngine: () => Promise<GoogleSql>;
}

/** It lives as long as the worker: `close` does nothing. */
export async function sharedEngine(): Promise<GoogleSql> {
  const engine = await startSharedEngine();
  return {
    analyze: (request) => engine.analyze(request).catch(rethrow),
    registerCatalogue: (tables, functions) =>
      engine.registerCatalogue(tables, functions).catch(rethrow),
    unregisterCatalogue: (catalogue) => engine.unregisterCatalogue(catalogue).catch(rethrow),
    evaluate: (request) => engine.evaluate(request).catch(rethrow),
    encodeRows: (rows) => engine.encodeRows(rows),
    decodeRows: (encoded) => engine.decodeRows(encoded),
    close: () => Promise.resolve(),
  };
}

/** The engine was loaded outside the test file, so its errors are instances of a class of the same name. */
function rethrow(error: unknown): never {
  const { kind, message } = error as Partial<GoogleSqlError>;
  if (kind === undefined || message === undefined) throw error;
  throw new GoogleSqlError(kind, message, { cause: error });
}
