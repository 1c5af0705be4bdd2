// Measures what a day of warming reads of logs that get rows all the time, if each run asks only for what has changed.
import { SETTINGS } from '../../functions/config.ts';
import { costUsd } from '../../functions/endpoints/query-cost.ts';
import { startGoogleSql } from '../../scripts/local-bigquery/index.ts';
import { startWarmedLogs } from '../support/bigquery/warmed-logs.ts';
import type { Bench } from './bench-setup.ts';
import measured from './incremental.json' with { type: 'json' };
import { type Findings, round } from './table.ts';

type Partition = 'DAY' | 'HOUR';

const INTERVAL_MS = 300_000;
const RUNS = 86_400_000 / INTERVAL_MS;
/**
 * They stand for 1,000, since a job reads the same for up to 1,000 of them. In each run, a twentieth is new, in place of others of
 * this half.
 */
const RESULTS = { results: 180, new: 9, visited: 90 };
/** What a table is taken to hold of each day; what the local BigQuery counts is scaled to it. */
const TABLE_BYTES = 1e9;
/** By which the figures of incremental.json, from which docs/reference/cost.md is computed, may differ. */
const SHARE_MAX = 0.05;

export async function measureIncremental(bench: Bench): Promise<Findings> {
  const partitions: Partition[] = ['DAY', 'HOUR'];
  // Only bytes are measured, so both may run at once.
  const days = await Promise.all(partitions.map((partition) => bytesOfADay(bench, partition)));
  const figures: Findings['figures'] = {};
  const rows = days.flatMap(({ partition, jobs, ...bytes }) => {
    const { changes, full, question, ofGroups, ofEndpoints } = bytes;
    const sum = changes + full + question;
    figures[`incremental.${partition.toLowerCase()}.ratio`] = ofGroups / sum;
    const inFull = (name: string, jobsOfRun: number, read: number) => [
      partition,
      name,
      RUNS * jobsOfRun,
      0,
      gb(read),
      0,
      usd(read),
    ];
    return [
      [partition, 'only what has changed', jobs, ...[changes, full, question].map(gb), usd(sum)],
      inFull('all, a job for each group', 9, ofGroups),
      inFull('all, a job for each endpoint', 2, ofEndpoints),
    ];
  });
  const notes = days.flatMap(({ partition, ...day }) =>
    Object.entries(measured[partition]).flatMap(([name, known]) => {
      const found = name === 'jobs' ? day.jobs : gb(day[name as keyof typeof day]);
      const isOther = Math.abs(found - known) > known * SHARE_MAX;
      return isOther
        ? [`incremental.json has ${known} for ${name} by ${partition}, not ${found}.`]
        : [];
    }),
  );
  return {
    title: 'A day of warming up to 1,000 results of two tables that get 1 GB a day each',
    columns: ['partitions', 'runs read', 'jobs', 'GB of changes', 'in full', 'question', 'US$'],
    ...{ rows, figures, notes },
  };
}

const gb = (bytes: number) => round(bytes / 1e9);
const usd = (bytes: number) => round(costUsd(bytes, Number(SETTINGS.pricePerTib.default)));

async function bytesOfADay(bench: Bench, partition: Partition) {
  const engine = await startGoogleSql();
  const times = { fromMs: Date.parse('2026-11-20'), intervalMs: INTERVAL_MS, rowCount: 10 * RUNS };
  const warming = await startWarmedLogs(engine, { partition, ...times, ...RESULTS });
  const total = { jobs: 0, changes: 0, full: 0, question: 0, ofGroups: 0, ofEndpoints: 0 };
  try {
    const scale = TABLE_BYTES / (await warming.bytesOfDay('2026-11-15'));
    // Reads everything, and is not counted.
    await warming.run(0);
    for (let run = 1; run <= RUNS; run += 1) {
      const report = await warming.run(run);
      total.jobs += report.jobs;
      total.changes += report.incrementalBytes * scale;
      total.full += report.fullBytes * scale;
      total.question += report.questionBytes;
      for (const groups of await warming.bytesOfGroups()) {
        total.ofGroups += groups.reduce((sum, bytes) => sum + bytes) * scale;
        total.ofEndpoints += Math.max(...groups) * scale;
      }
      if (run % 48 === 0) bench.say(`  Partitions by ${partition}: ${run / 12} h`);
    }
    return { partition, ...total };
  } finally {
    await warming.close();
    await engine.close();
  }
}
