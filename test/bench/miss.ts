// Measures misses: one after the other, in turns with the handwritten function, and many at once for the same result.
import { median } from '../support/program.ts';
import { type Bench, expectDone, inTurns, resultPaths, withBackends } from './bench-setup.ts';
import { runLoad } from './load.ts';
import { type Findings, round } from './table.ts';

const BIGQUERY = { callMs: 50, queryMs: 300 };
const ROUNDS = 8;
const MISSES = 5;
const PROCESSES = 4;
/** How long a query takes where many ask at once, and in a run of warming. */
export const BIGQUERY_MS = 1500;

export function measureMisses(bench: Bench): Promise<Findings> {
  const { folders } = bench;
  const rounds = bench.isSmall ? 2 : ROUNDS;
  return withBackends(bench, BIGQUERY, async ({ serve, bigquery }) => {
    let asked = 0;
    const start = async (folder: string, target: string) => {
      const { url } = await serve(folder, target);
      return { url, turnsMs: [] as number[], calls: 0, queries: 0 };
    };
    const service = await start(folders.service, 'query');
    const handwritten = await start(folders.handwritten, 'handwritten');
    await inTurns([service, handwritten], rounds, async (side) => {
      const before = await bigquery.control();
      const paths = resultPaths(MISSES, (asked += MISSES));
      const load = { urls: [side.url], paths, connections: 1, amount: MISSES };
      side.turnsMs.push((await runLoad(load)).p50Ms);
      const after = await bigquery.control();
      side.calls += after.calls - before.calls;
      side.queries += after.queries - before.queries;
    });
    const misses = rounds * MISSES;
    expectDone({
      'queries of the service': [service.queries, misses],
      'its calls of BigQuery': [service.calls, misses],
      'queries by hand': [handwritten.queries, misses],
    });
    const [ours, other] = [median(service.turnsMs), median(handwritten.turnsMs)];
    const calls = [service, handwritten].map((side) => side.calls / misses);
    return {
      title: `A miss: ${BIGQUERY.callMs} ms to BigQuery and as much back, ${BIGQUERY.queryMs} ms for the query`,
      columns: ['ms as deployed', 'calls', 'ms by hand', 'calls', 'ratio'],
      rows: [
        [round(ours), calls[0] ?? '', round(other), calls[1] ?? '', (ours / other).toFixed(2)],
      ],
      figures: { 'miss.ratio': ours / other, 'miss.calls': service.calls / misses },
    };
  });
}

/** How often BigQuery is asked if many request the same result at once that is not stored. */
export function measureStampede(bench: Bench): Promise<Findings> {
  const { folders } = bench;
  const amount = bench.isSmall ? 100 : 1000;
  return withBackends(bench, { queryMs: BIGQUERY_MS }, async ({ serve, bigquery }) => {
    const starting = Array.from({ length: PROCESSES }, () => serve(folders.service, 'query'));
    const urls = (await Promise.all(starting)).map(({ url }) => url);
    const before = (await bigquery.control()).queries;
    const load = { urls, paths: resultPaths(1), connections: amount, amount };
    const { requests, p50Ms, p99Ms } = await runLoad(load);
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
