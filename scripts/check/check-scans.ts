// `npm run check -- --dry-run`: prints a table of the bytes that each saved query would scan.
import { type Config, parseConfig } from '../../functions/config.ts';
import { isObject } from '../../functions/core/json.ts';
import { createBigQuery, createBigQueryRest } from '../../functions/bigquery/rest.ts';
import { queryConfiguration } from '../../functions/bigquery/query-configuration.ts';
import { formatTable } from '../cli/table.ts';
import { type Estimate, type NamedEndpoint, type Scan, dryRun, formatBytes } from './dry-run.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';

/** `bytesMax` replaces MAX_BYTES_BILLED. Throws an Error of one line if BigQuery does not answer. */
export async function checkScans(
  endpoints: readonly NamedEndpoint[],
  settings: Readonly<Record<string, string | undefined>>,
  bytesMax: number | undefined,
  apartFromClock: readonly string[],
) {
  const config = parseConfig(settings);
  if (config.bigQueryEmulatorHost === undefined) await requireCredentials(config.project);
  const estimate = createEstimate(config);
  const scans: Scan[] = [];
  try {
    for (const endpoint of endpoints) {
      scans.push(
        ...(await dryRun(estimate, endpoint, bytesMax ?? config.maxBytesBilled, apartFromClock)),
      );
    }
  } catch (error) {
    throw explainGoogleError(error, {
      denied: `Permission denied for ${config.dataset} in ${config.project}: ask for the roles BigQuery Job User and BigQuery Data Viewer.`,
    });
  }
  const sizes = ({ bytes, wholeBytes }: Scan) => [bytes, wholeBytes].map(formatBytes);
  const rows = scans.map((scan) => [scan.name, ...sizes(scan)]);
  return {
    lines: [formatTable([['QUERY', 'SCANS', 'OF'], ...rows], [1, 2])],
    /** Each a sentence without its full stop. */
    faults: scans.flatMap(({ name, faults }) => faults.map((fault) => `${name} ${fault}`)),
  };
}

const DRY_RUN_MS = 30_000;

/** Asks BigQuery by dry runs, which are free of charge. Rejects with BigQuery's error, or with that of the connection. */
function createEstimate(config: Config): Estimate {
  const { project, dataset, location } = config;
  const call = createBigQueryRest(createBigQuery(config));
  return async (query) => {
    const job = {
      jobReference: { projectId: project, location },
      configuration: { dryRun: true, query: queryConfiguration(query, dataset) },
    };
    const answer = await call('POST', '/jobs', {}, job, {
      signal: AbortSignal.timeout(DRY_RUN_MS),
    });
    const statistics = isObject(answer) ? answer.statistics : undefined;
    return Number(isObject(statistics) ? statistics.totalBytesProcessed : undefined);
  };
}
