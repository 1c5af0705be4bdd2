// The sample logs as rows of the tables of the tests.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleLogs } from '../../scripts/local/logs/sample-logs.ts';

/** Eight days of rows up to `nowMs`, by table. */
export function sampleRows(nowMs: number): Record<string, object[]> {
  const { function_relay_logs, edge_logs } = sampleLogs({ nowMs });
  return { task_runs: function_relay_logs, web_visits: edge_logs };
}

/** The same as files for `npm start -- --logs`, in a new directory that the caller removes. */
export function writeSampleRows(nowMs: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'sample-rows-'));
  for (const [table, rows] of Object.entries(sampleRows(nowMs))) {
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
    writeFileSync(join(directory, `${table}.ndjson`), lines.join(''));
  }
  return directory;
}
