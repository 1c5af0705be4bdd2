// Measures 1,000 simultaneous requests to four instances for one result that is not stored.
import { type Bench, resultPaths, withBackends } from './bench-setup.ts';
import { type Findings, round } from './table.ts';

const PROCESSES = 4;
const REQUESTS = 1000;
export const BIGQUERY_MS = 1500;

export function measureStampede(bench: Bench): Promise<Findings> {
  const { client, folders } = bench;
  return withBackends(bench, { queryMs: BIGQUERY_MS }, async ({ serve, bigquery }) => {
    const services = await Promise.all(
      Array.from({ length: PROCESSES }, () => serve(folders.service, 'query')),
    );
    const urls = services.map(({ url }) => url);
    const [other = '', asked = ''] = resultPaths(2);
    // Each instance has loaded its modules, so that no cold start is measured.
    await client.run({ urls, paths: [other], connections: PROCESSES, amount: PROCESSES });
    const before = (await bigquery.control()).queries;
    const { p50Ms, p99Ms } = await client.run({
      ...{ urls, paths: [asked], connections: REQUESTS, amount: REQUESTS },
    });
    const jobs = (await bigquery.control()).queries - before;
    return {
      title: `A stampede: ${REQUESTS} requests at once for one result that is not there`,
      columns: ['instances', 'BigQuery jobs', 'BigQuery ms', 'p50 ms', 'p99 ms'],
      rows: [[PROCESSES, jobs, BIGQUERY_MS, round(p50Ms), round(p99Ms)]],
      figures: { 'stampede.jobs': jobs, 'stampede.p99Ms': p99Ms },
    };
  });
}
