// `npm run check`: type-checks every saved query with GoogleSQL's analyzer against sql/sources.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../functions/catalogue.ts';
import { parseConfig } from '../functions/config.ts';
import type { Endpoint } from '../functions/core/endpoint.ts';
import { createBigQuery } from '../functions/google/bigquery-client.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { exitWithUsage, runCommand } from './command.ts';
import { describeDryRun, dryRunEndpoint, dryRunFaults } from './dry-run.ts';
import { requireCredentials } from './google-errors.ts';
import { startGoogleSql } from './local/googlesql.ts';
import { readLogSources } from './local/log-sources.ts';

const USAGE = `Usage: npm run check -- [--sql DIR] [--dry-run [--max-bytes N] [--project P]]

Checks every endpoint without running it: the definition, the types of the query against the log
tables of sql/sources, its parameters against those declared, its output columns against row, and
that it is one SELECT.

  --sql DIR        the tree to check (default: sql)
  --dry-run        asks BigQuery too, which is free: what each query would read for each combination
                   of listed parameter values, and whether the partition filter prunes
  --max-bytes N    the most that a query may read (default: MAX_BYTES_BILLED, else 10737418240)
  --project P      where to ask (default: GOOGLE_CLOUD_PROJECT; BIGQUERY_DATASET and
                   BIGQUERY_LOCATION name the logs)
  --help           this text
`;

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      sql: { type: 'string' },
      'dry-run': { type: 'boolean' },
      'max-bytes': { type: 'string' },
      project: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) exitWithUsage(USAGE);
  const sqlDirectory = values.sql ?? 'sql';
  const { endpoints } = loadCatalogue(sqlDirectory);
  const tables = await readLogSources(join(sqlDirectory, 'sources'));
  const engine = await startGoogleSql();
  let faultCount = 0;
  try {
    for (const endpoint of endpoints) {
      const directory = join(sqlDirectory, 'endpoints', endpoint.name);
      const faults = await checkEndpoint(engine, tables, endpoint, directory);
      faultCount += faults.length;
      if (faults.length === 0) {
        console.log(`ok  ${endpoint.name} (${Object.keys(endpoint.row).length} columns)`);
      }
      for (const fault of faults) console.error(fault);
    }
  } finally {
    await engine.close();
  }
  if (values['dry-run']) {
    faultCount += await dryRunAll(endpoints, values.project, values['max-bytes']);
  }
  if (faultCount > 0) throw new Error(`${faultCount} ${faultCount === 1 ? 'fault' : 'faults'}`);
});

/** Prints what BigQuery would read; returns the number of faults. */
async function dryRunAll(
  endpoints: readonly Endpoint[],
  project: string | undefined,
  maxBytes: string | undefined,
): Promise<number> {
  const config = parseConfig({
    ...process.env,
    ...(project === undefined ? {} : { GOOGLE_CLOUD_PROJECT: project }),
    ...(maxBytes === undefined ? {} : { MAX_BYTES_BILLED: maxBytes }),
  });
  if (config.bigQueryEmulatorHost === undefined) await requireCredentials();
  const bigquery = createBigQuery({
    project: config.project,
    emulatorHost: config.bigQueryEmulatorHost,
  });
  let faultCount = 0;
  for (const endpoint of endpoints) {
    const runs = await dryRunEndpoint(bigquery, endpoint, config);
    for (const run of runs) console.log(describeDryRun(run));
    const faults = dryRunFaults(runs, config.maxBytesBilled);
    for (const fault of faults) console.error(fault);
    faultCount += faults.length;
  }
  return faultCount;
}
