// Runs the tests of served endpoints, and reports them as `npm run check` does.
import { join } from 'node:path';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { errorMessage } from '../../../functions/core/describe-error.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { AnalysedQueries } from '../../check/analysed-query.ts';
import { type CasesCheck, createCaseChecker } from '../../check/cases/check-cases.ts';
import type { Terminal } from '../../cli/command.ts';
import { firstFaults } from '../../faults/definition-fault.ts';
import type { GoogleSql } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import { someNames } from '../../cli/table.ts';

export interface FollowedSql {
  sqlDirectory: string;
  engine: GoogleSql;
  terminal: Pick<Terminal, 'print' | 'note'>;
  /** The service ends: nothing more is reported. */
  signal: AbortSignal;
}

export interface TestedEndpoint {
  endpoint: Endpoint;
  queries: AnalysedQueries;
}

/** Creates the function that runs the tests of the endpoints that have changed since the last call. It never rejects. */
export function createTestRunner({ sqlDirectory, engine, terminal, signal }: FollowedSql) {
  let results = new Map<string, CasesCheck>();
  let shown = '';

  return async (
    endpoints: readonly TestedEndpoint[],
    sources: readonly Source[],
  ): Promise<void> => {
    try {
      const found = await testAll(endpoints, sources);
      if (signal.aborted || found === shown) return;
      if (found === '') terminal.print('All tests pass.');
      else terminal.note(`\n${found}\n`);
      shown = found;
    } catch (error) {
      if (!signal.aborted) terminal.note(`The tests were not run: ${errorMessage(error)}`);
    }
  };

  async function testAll(endpoints: readonly TestedEndpoint[], sources: readonly Source[]) {
    const cases = createCaseChecker(engine, sources, false);
    const next: typeof results = new Map();
    const failed: string[] = [];
    try {
      for (const { endpoint, queries } of endpoints) {
        const folder = join(sqlDirectory, 'endpoints', endpoint.name);
        const { name, definitionDigest } = endpoint;
        const files = stampsIn(join(folder, 'tests'));
        const key = JSON.stringify([name, definitionDigest, sources, files]);
        signal.throwIfAborted();
        const result = results.get(key) ?? (await cases.check(endpoint, queries, folder));
        next.set(key, result);
        if (result.faults.length > 0) failed.push(name);
      }
    } finally {
      await cases.close();
    }
    results = next;
    const all = [...next.values()];
    return [
      ...firstFaults(all.flatMap(({ faults }) => faults)),
      ...firstFaults(all.flatMap(({ warnings }) => warnings)).map((line) => `warning: ${line}`),
      ...(failed.length === 0 ? [] : [`Served although tests fail: ${someNames(failed)}`]),
    ].join('\n');
  }
}

/** The stamps of the named files of a folder, else of all its files; files and the folder may be missing. */
export function stampsIn(
  folder: string,
  names: readonly string[] = existsSync(folder) ? readdirSync(folder) : [],
): string {
  const stats = names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false }));
  return JSON.stringify(stats.map((stat) => stat && [stat.size, stat.mtimeMs, stat.ino]));
}
