// Measures how often BigQuery is asked if many request the same result at once that is not stored.
import { type Bench, expectDone, resultPaths, withBackends } from './bench-setup.ts';
import { runLoad } from './load.ts';
import { type Findings, round } from './table.ts';

const PROCESSES = 4;
export const BIGQUERY_MS = 1500;

export function measureStampede(bench: Bench): Promise<Findings> {
  const { folders } = bench;
  const amount = bench.isSmall ? 100 : 1000;
  return withBackends(bench, { queryMs: BIGQUERY_MS }, async ({ serve, bigquery }) => {
    const services = await Promise.all(
      Array.from({ length: PROCESSES }, () => serve(folders.service, 'query')),
    );
    const urls = services.map(({ url }) => url);
    const paths = resultPaths(1);
    const before = (await bigquery.control()).queries;
    const { requests, p50Ms, p99Ms } = await runLoad({
      ...{ urls, paths, connections: amount, amount },
    });
    const jobs = (await bigquery.control()).queries - before;
    expectDone({ answers: [requests, amount], 'jobs of a stampede': [jobs, 1] });
    return {
      title: `A stampede: ${amount} requests at once for one result that is not there`,
      columns: ['instances', 'BigQuery jobs', 'BigQuery ms', 'p50 ms', 'p99 ms'],
      rows: [[PROCESSES, jobs, BIGQUERY_MS, round(p50Ms), round(p99Ms)]],
      figures: { 'stampede.jobs': jobs, 'stampede.p99Ms': p99Ms },
    };
  });
}
