// Measures what a day of warming reads of logs that get rows all the time, if each run asks only for what has changed.
import { SETTINGS } from '../../functions/config.ts';
import { costUsd } from '../../functions/endpoints/query-cost.ts';
import { startGoogleSql } from '../../scripts/local-bigquery/index.ts';
import { startWarmedLogs } from '../support/bigquery/warmed-logs.ts';
import { type Bench, expectDone } from './bench-setup.ts';
import { type Findings, round } from './table.ts';

const INTERVAL_MS = 300_000;
const RUNS_OF_A_DAY = 86_400_000 / INTERVAL_MS;
/**
 * They stand for 1,000, since a job reads the same for up to 1,000 of them. In each run, a twentieth is new, in place of others of
 * this half.
 */
const RESULTS = { results: 180, new: 9, visited: 90 };
/** What a table is taken to hold of each day; what the local BigQuery counts is scaled to it. */
const TABLE_BYTES = 1e9;

export async function measureIncremental(bench: Bench): Promise<Findings> {
  const partitions = bench.isSmall ? (['HOUR'] as const) : (['DAY', 'HOUR'] as const);
  // Only bytes are measured, so both may run at once.
  const days = await Promise.all(partitions.map((partition) => bytesOfADay(bench, partition)));
  const figures: Findings['figures'] = {};
  const rows = days.map(({ partition, jobs, changes, full, question, ofGroups }) => {
    const sum = changes + full + question;
    figures[`incremental.${partition.toLowerCase()}.ratio`] = ofGroups / sum;
    const bytes = [changes, full, question].map(gb);
    return [partition, jobs, ...bytes, usd(sum), gb(ofGroups), usd(ofGroups)];
  });
  return {
    title: 'A day of warming up to 1,000 results of two tables that get 1 GB a day each',
    columns: [
      ...['partitions', 'jobs', 'GB of changes', 'in full', 'question', 'US$'],
      ...['GB of a job for each group', 'US$'],
    ],
    ...{ rows, figures },
  };
}

const gb = (bytes: number) => round(bytes / 1e9);
const usd = (bytes: number) => round(costUsd(bytes, Number(SETTINGS.pricePerTib.default)));

async function bytesOfADay(bench: Bench, partition: 'DAY' | 'HOUR') {
  const runs = bench.isSmall ? 3 : RUNS_OF_A_DAY;
  const engine = await startGoogleSql();
  const rowCount = 10 * RUNS_OF_A_DAY;
  const times = { fromMs: Date.parse('2026-11-20'), intervalMs: INTERVAL_MS, rowCount };
  const warming = await startWarmedLogs(engine, { partition, ...times, ...RESULTS });
  const total = { jobs: 0, refreshed: 0, changes: 0, full: 0, question: 0, ofGroups: 0 };
  try {
    const scale = TABLE_BYTES / (await warming.bytesOfDay('2026-11-15'));
    // Reads everything, and is not counted.
    await warming.run(0);
    for (let run = 1; run <= runs; run += 1) {
      const report = await warming.run(run);
      total.jobs += report.jobs;
      total.refreshed += report.refreshed + report.skipped;
      total.changes += report.incrementalBytes * scale;
      total.full += (report.bytesProcessed - report.incrementalBytes) * scale;
      total.question += report.questionBytes;
      total.ofGroups += (await warming.bytesOfGroups()) * scale;
      if (run % 48 === 0) bench.say(`  Partitions by ${partition}: ${run / 12} h`);
    }
    expectDone({
      'jobs of warming': [total.jobs, 2 * runs],
      'results that are live': [total.refreshed, RESULTS.results * runs],
    });
    if (!(total.changes > 0 && total.question > 0)) throw new Error('No run has read changes.');
    return { partition, ...total };
  } finally {
    await warming.close();
    await engine.close();
  }
}
