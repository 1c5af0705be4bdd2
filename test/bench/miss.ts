// Measures a miss: the service as deployed, in turns with itself when each query is a job, which takes two calls of BigQuery.
import { median } from '../support/median.ts';
import { type Bench, inTurns, resultPaths, withBackends } from './bench-setup.ts';
import { type Findings, round } from './table.ts';

const BIGQUERY = { callMs: 50, queryMs: 300 };
/**
 * The time that BigQuery needs to create a job, each measured by itself. It is what a query without a job saves: a job runs while
 * its client makes the second call, so without this time both ways take as long.
 */
const CREATE_MS = [0, 100];
const ROUNDS = 4;
const MISSES = 5;

export async function measureMisses(bench: Bench): Promise<Findings> {
  const findings: Findings = {
    title: `A miss: ${BIGQUERY.callMs} ms to BigQuery and as much back, ${BIGQUERY.queryMs} ms for the query`,
    columns: ['ms to create a job', 'ms as a job', 'calls', 'ms as deployed', 'calls', 'ratio'],
    rows: [],
    figures: {},
  };
  for (const createMs of CREATE_MS) {
    const [asJob, deployed] = await measureBoth(bench, createMs);
    if (asJob.calls !== 2) throw new Error(`A job has taken ${asJob.calls} calls, not 2.`);
    const ratio = asJob.ms / deployed.ms;
    const both = [asJob, deployed].flatMap(({ ms, calls }) => [round(ms), calls]);
    findings.rows.push([createMs, ...both, ratio.toFixed(2)]);
    const name = createMs === 0 ? 'miss.create0' : 'miss';
    findings.figures[`${name}.ratio`] = ratio;
    findings.figures[`${name}.calls`] = deployed.calls;
  }
  return findings;
}

/** The median time of a miss, and its calls of BigQuery. */
function measureBoth({ client, folders, ...bench }: Bench, createMs: number) {
  const stub = { ...BIGQUERY, createMs };
  return withBackends({ client, folders, ...bench }, stub, async ({ serve, bigquery }) => {
    let asked = 0;
    const miss = async (url: string, amount: number): Promise<number> => {
      const paths = resultPaths(amount, (asked += amount));
      return (await client.run({ urls: [url], paths, connections: 1, amount })).p50Ms;
    };
    const callCount = async (): Promise<number> => {
      const { insert, query, results, cancel, get } = await bigquery.control();
      return insert + query + results + cancel + get;
    };
    const start = async (folder: string) => {
      const { url } = await serve(folder, 'query');
      // Loads BigQuery's client.
      await miss(url, 1);
      return { url, turnsMs: [] as number[], calls: 0 };
    };
    const sides = [await start(folders.asJob), await start(folders.service)] as const;
    await inTurns(sides, ROUNDS, async (side) => {
      const before = await callCount();
      side.turnsMs.push(await miss(side.url, MISSES));
      side.calls += ((await callCount()) - before) / (ROUNDS * MISSES);
    });
    const [asJob, deployed] = sides;
    const of = ({ turnsMs, calls }: typeof asJob) => ({ ms: median(turnsMs), calls });
    return [of(asJob), of(deployed)] as const;
  });
}
