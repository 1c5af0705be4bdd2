// Measures a miss: the service as deployed, in turns with the handwritten function.
import { median } from '../support/median.ts';
import { type Bench, expectDone, inTurns, resultPaths, withBackends } from './bench-setup.ts';
import { runLoad } from './load.ts';
import { type Findings, round } from './table.ts';

const BIGQUERY = { callMs: 50, queryMs: 300 };
const ROUNDS = 8;
const MISSES = 5;

export function measureMisses(bench: Bench): Promise<Findings> {
  const { folders } = bench;
  const rounds = bench.isSmall ? 2 : ROUNDS;
  return withBackends(bench, BIGQUERY, async ({ serve, bigquery }) => {
    let asked = 0;
    const miss = async (url: string, amount: number): Promise<number> => {
      const paths = resultPaths(amount, (asked += amount));
      return (await runLoad({ urls: [url], paths, connections: 1, amount })).p50Ms;
    };
    const start = async (folder: string, target: string) => {
      const { url } = await serve(folder, target);
      return { url, turnsMs: [] as number[], calls: 0, queries: 0 };
    };
    const service = await start(folders.service, 'query');
    const handwritten = await start(folders.handwritten, 'handwritten');
    await inTurns([service, handwritten], rounds, async (side) => {
      const before = await bigquery.control();
      side.turnsMs.push(await miss(side.url, MISSES));
      const { queries, insert, query, results, cancel, get } = await bigquery.control();
      const { insert: b, query: c, results: d, cancel: e, get: f } = before;
      side.calls += insert + query + results + cancel + get - (b + c + d + e + f);
      side.queries += queries - before.queries;
    });
    const misses = rounds * MISSES;
    expectDone({
      'queries of the service': [service.queries, misses],
      'its calls of BigQuery': [service.calls, misses],
      'queries by hand': [handwritten.queries, misses],
    });
    const [ours, other] = [median(service.turnsMs), median(handwritten.turnsMs)];
    return {
      title: `A miss: ${BIGQUERY.callMs} ms to BigQuery and as much back, ${BIGQUERY.queryMs} ms for the query`,
      columns: ['ms as deployed', 'calls', 'ms by hand', 'calls', 'ratio'],
      rows: [
        [
          round(ours),
          service.calls / misses,
          round(other),
          handwritten.calls / misses,
          (ours / other).toFixed(2),
        ],
      ],
      figures: { 'miss.ratio': ours / other, 'miss.calls': service.calls / misses },
    };
  });
}
