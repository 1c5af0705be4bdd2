// Measures the memory of an instance while it computes 100,000 different results.
import { INSTANCE_HEAP } from '../support/service/instance-heap.ts';
import { type Bench, resultPaths, withBackends } from './bench-setup.ts';
import { memoryMib } from './processes.ts';
import { type Findings, round } from './table.ts';

const RESULTS = 100_000;
const STEP = 10_000;
/** After so many results every cache of the instance is full. */
const FILLED = 20_000;
const CONNECTIONS = 40;

export async function measureMemory(bench: Bench): Promise<Findings> {
  const { client, folders, say } = bench;
  const samples = await withBackends(bench, {}, async ({ serve }) => {
    const service = await serve(folders.service, 'query', { NODE_OPTIONS: INSTANCE_HEAP });
    const now = (): number => memoryMib(service.pid).now;
    const found: [number, number][] = [[0, now()]];
    for (let asked = 0; asked < RESULTS; asked += STEP) {
      say(`  ${asked} of ${RESULTS} results`);
      const paths = resultPaths(STEP, asked);
      await client.run({ urls: [service.url], paths, connections: CONNECTIONS, amount: STEP });
      found.push([asked + STEP, now()]);
    }
    return found;
  });
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
