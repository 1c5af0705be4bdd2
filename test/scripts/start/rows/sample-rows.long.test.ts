// Tests of the sample logs after days of running: what the engine reads covers all intervals of the shipped endpoints.
import { loadCatalogue } from '../../../../scripts/compile/inspect-catalogue.ts';
import { readSources } from '../../../../scripts/sources/read-sources.ts';
import { ownExample } from '../../../../scripts/start/own-example.ts';
import { isSampleTable, sampleLogs } from '../../../../scripts/start/rows/sample-logs.ts';
import { readSampleRows } from '../../../../scripts/start/rows/sample-rows.ts';
import { runLocally, startLocalBigQuery } from '../../../support/bigquery/local-bigquery.ts';

it('sample rows are read completely, eight days and more', async () => {
  const HOUR_MS = 3_600_000;
  const nowMs = Date.parse('2026-11-20T10:00:00Z');
  const laterMs = nowMs + 24 * HOUR_MS;
  const sources = await readSources('sql/sources');
  const { tables, generated } = await readSampleRows('sql/sources', sources, nowMs);
  expect(generated).toEqual(['edge_logs', 'function_relay_logs']);
  const bigquery = await startLocalBigQuery({ tables, clock: { nowMs: () => laterMs } });
  for (const table of generated.filter(isSampleTable)) {
    await bigquery.appendRows(table, sampleLogs(table, { fromMs: nowMs, toMs: laterMs }));
    const sql = `SELECT UNIX_SECONDS(MIN(timestamp)) FROM ${table} WHERE timestamp > '2020-01-01'`;
    const [[first]] = (await runLocally(bigquery.url, { sql, parameters: {} })) as [[string]];
    expect(Number(first) * 1000).toBeLessThan(laterMs - 8 * 24 * HOUR_MS);
  }
  // The requests of the service are in none of these tables.
  for (const endpoint of loadCatalogue('sql').endpoints.filter(({ mustBeNamed }) => !mustBeNamed)) {
    const parameters = { function_id: '', ...ownExample(endpoint) };
    const used = Object.entries(parameters).filter(([name]) => endpoint.parameters[name]);
    const rows = await runLocally(bigquery.url, {
      sql: endpoint.sql,
      parameters: Object.fromEntries(used),
    });
    expect(rows.length).toBeGreaterThan(0);
  }
}, 60_000);
