// Measures what a day of warming reads, with and without asking which tables have changed.
import { startGoogleSql } from '../../scripts/local-bigquery/index.ts';
import { aRowEach, simulateWarming } from '../support/bigquery/simulated-warming.ts';
import type { Bench } from './bench-setup.ts';
import { type Findings, round } from './table.ts';

const INTERVAL_MS = 300_000;
const RUNS = 86_400_000 / INTERVAL_MS;
/** Half of 1,000: one half reads a table that is loaded in the first night hour, the other one that is written all day. */
const SHOPS = Array.from({ length: 500 }, (_, index) => `shop ${index}`);
/** What a table is taken to hold of each day; what the local BigQuery counts is scaled to it. */
const TABLE_BYTES = 1e9;
const FILTER = "day >= DATE '2026-11-20'";
const DAY = '2026-11-20';

export async function measureUnchanged(bench: Bench): Promise<Findings> {
  const [without, ask] = [await bytesOfADay(bench, 'off'), await bytesOfADay(bench, 'on')];
  const figures = { off: without, on: ask };
  return {
    title: 'A day of warming over 1,000 results, half of them of a table that is loaded once',
    columns: ['WARM_UNCHANGED', 'jobs of queries', 'GB of queries', 'GB of the question'],
    rows: Object.entries(figures).map(([name, { queries, question, jobs }]) => {
      return [name, jobs, round(queries / 1e9), round(question / 1e9)];
    }),
    figures: {
      'unchanged.bytes.ratio': without.queries / (ask.queries + ask.question),
      'unchanged.jobs': ask.jobs,
    },
  };
}

async function bytesOfADay(bench: Bench, warmUnchanged: 'on' | 'off') {
  const engine = await startGoogleSql();
  const warming = await simulateWarming(engine, {
    ...{ from: '2026-11-20T01:00:00Z', intervalMs: INTERVAL_MS, shops: SHOPS, warmUnchanged },
    filters: { nightly: FILTER, live: FILTER },
  });
  const total = { queries: 0, question: 0, jobs: 0 };
  try {
    await warming.bigquery.appendRows('nightly', aRowEach(SHOPS, 1, DAY));
    await warming.bigquery.streamRows('live', aRowEach(SHOPS, 1, DAY));
    let scale = 0;
    for (let run = 1; run <= RUNS; run += 1) {
      const report = await warming.run();
      if (report.refreshed + report.unchanged !== 2 * SHOPS.length) {
        throw new Error(`A run left results out: ${JSON.stringify(report)}`);
      }
      // The first run reads each table once.
      if (run === 1) scale = (2 * TABLE_BYTES) / report.bytesProcessed;
      total.queries += report.bytesProcessed * scale;
      total.question += report.questionBytes;
      total.jobs += report.jobs;
      if (run % 48 === 0) bench.say(`  WARM_UNCHANGED=${warmUnchanged}: ${run / 12} h`);
    }
    return total;
  } finally {
    await warming.close();
    await engine.close();
  }
}
