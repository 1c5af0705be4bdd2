// In place of functions/google/query-runner.ts: the same runner, whose queries are jobs from the start, with two calls.
import type { QueryRunner } from '../../../functions/core/query-runner.ts';
import { createBigQueryRunner as createRunner } from '../../../functions/google/query-runner.ts';

export function createBigQueryRunner(deps: Parameters<typeof createRunner>[0]): QueryRunner {
  const runner = createRunner(deps);
  return { ...runner, run: (request) => runner.run({ ...request, asJob: true }) };
}
