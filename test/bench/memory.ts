// Measures the memory of an instance while it computes 100,000 different results.
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import { INSTANCE_HEAP } from '../support/service/instance-heap.ts';
import {
  API_KEY,
  type Bench,
  createProject,
  environment,
  resultPaths,
  serve,
} from './bench-setup.ts';
import { memoryMib } from './processes.ts';
import { type Findings, round } from './table.ts';

const RESULTS = 100_000;
const STEP = 10_000;
/** After so many results every cache of the instance is full. */
const FILLED = 20_000;
const CONNECTIONS = 40;

export async function measureMemory(bench: Bench): Promise<Findings> {
  const project = await createProject(bench);
  const bigquery = await startBigQueryStub(0);
  const env = environment(project, bench.firestoreHost, {
    BIGQUERY_EMULATOR_HOST: bigquery.url,
    NODE_OPTIONS: INSTANCE_HEAP,
  });
  const service = await serve(bench, bench.folders.service, 'query', env);
  const headers = { 'X-API-KEY': API_KEY, 'Accept-Encoding': 'gzip' };
  const samples: [number, number][] = [[0, memoryMib(service.pid).now]];
  try {
    for (let asked = 0; asked < RESULTS; asked += STEP) {
      bench.say(`  ${asked} of ${RESULTS} results`);
      const paths = resultPaths(STEP, asked);
      await bench.client.run({
        urls: [service.url],
        paths,
        connections: CONNECTIONS,
        amount: STEP,
        headers,
      });
      samples.push([asked + STEP, memoryMib(service.pid).now]);
    }
  } finally {
    await service.stop();
    await bigquery.stop();
    await project.firestore.terminate();
  }
  const mibAt = new Map(samples);
  return {
    title: 'Memory of an instance after this number of different results, each a miss',
    columns: ['results', 'MiB'],
    rows: samples.map(([results, mib]) => [results, round(mib)]),
    figures: {
      'memory.growthMiB': (mibAt.get(RESULTS) ?? 0) - (mibAt.get(FILLED) ?? 0),
      'memory.MiB': mibAt.get(RESULTS) ?? 0,
    },
  };
}
