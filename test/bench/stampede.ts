// Measures 1,000 simultaneous requests to four instances for one result that is not stored.
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import {
  API_KEY,
  type Bench,
  createProject,
  environment,
  resultPaths,
  serve,
} from './bench-setup.ts';
import { type Findings, round } from './table.ts';

const PROCESSES = 4;
const REQUESTS = 1000;
export const BIGQUERY_MS = 1500;

export async function measureStampede(bench: Bench): Promise<Findings> {
  const project = await createProject(bench);
  const bigquery = await startBigQueryStub(BIGQUERY_MS);
  const env = environment(project, bench.firestoreHost, { BIGQUERY_EMULATOR_HOST: bigquery.url });
  const services = await Promise.all(
    Array.from({ length: PROCESSES }, () => serve(bench, bench.folders.service, 'query', env)),
  );
  try {
    const urls = services.map(({ url }) => url);
    const [other = '', asked = ''] = resultPaths(2);
    const headers = { 'X-API-KEY': API_KEY, 'Accept-Encoding': 'gzip' };
    // Each instance has loaded its modules, so that no cold start is measured.
    await bench.client.run({
      urls,
      paths: [other],
      connections: PROCESSES,
      amount: PROCESSES,
      headers,
    });
    const before = await bigquery.jobCount();
    const { p50Ms, p99Ms } = await bench.client.run({
      urls,
      paths: [asked],
      connections: REQUESTS,
      amount: REQUESTS,
      headers,
    });
    const jobs = (await bigquery.jobCount()) - before;
    return {
      title: `A stampede: ${REQUESTS} requests at once for one result that is not there`,
      columns: ['instances', 'BigQuery jobs', 'BigQuery ms', 'p50 ms', 'p99 ms'],
      rows: [[PROCESSES, jobs, BIGQUERY_MS, round(p50Ms), round(p99Ms)]],
      figures: { 'stampede.jobs': jobs, 'stampede.p99Ms': p99Ms },
    };
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    await bigquery.stop();
    await project.firestore.terminate();
  }
}
