// `npm run check`: type-checks every saved query with GoogleSQL's analyzer against sql/sources.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../functions/catalogue.ts';
import { checkEndpoint } from './check/check-endpoint.ts';
import { exitWithUsage, runCommand } from './cli/command.ts';
import { startGoogleSql } from './local/googlesql/engine.ts';
import { readLogSources } from './local/logs/log-sources.ts';

const USAGE = `Usage: npm run check -- [--sql DIR] [--dry-run [options]]

Checks every endpoint without running it: the definition, the types of the query against the log
tables of sql/sources, its parameters against those declared, its output columns against row, and
that it is one SELECT.

  --sql DIR       the tree to check (default: sql)
  --dry-run       also ask BigQuery, which costs nothing, what each query would scan for each listed
                  value of its parameters, beside what it would scan without its bound on time;
                  fails over the limit, and where the bound does not keep partitions from being read
  --max-bytes N   the limit (default: MAX_BYTES_BILLED, else 10737418240)
  --project P     Google Cloud project (default: GOOGLE_CLOUD_PROJECT)
  --dataset D     dataset of the log tables (default: BIGQUERY_DATASET, else logs)
  --location L    where it is (default: BIGQUERY_LOCATION, else US)
  --help          this text
`;

const SCAN_OPTIONS = {
  'max-bytes': { type: 'string' },
  project: { type: 'string' },
  dataset: { type: 'string' },
  location: { type: 'string' },
} as const;

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      sql: { type: 'string' },
      'dry-run': { type: 'boolean' },
      ...SCAN_OPTIONS,
      help: { type: 'boolean' },
    },
  });
  if (values.help) exitWithUsage(USAGE);
  const stray = Object.keys(SCAN_OPTIONS).find((option) => option in values);
  if (stray !== undefined && !values['dry-run']) throw new Error(`--${stray} needs --dry-run.`);
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
  if (values['dry-run'] && faultCount === 0) {
    // Loaded here: a check without it needs no client of Google's.
    const { checkScans } = await import('./check/check-scans.ts');
    const faults = await checkScans(endpoints, values);
    faultCount += faults.length;
    for (const fault of faults) console.error(fault);
  }
  if (faultCount > 0) throw new Error(`${faultCount} ${faultCount === 1 ? 'fault' : 'faults'}`);
});
