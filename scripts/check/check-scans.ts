// `npm run check -- --dry-run`: asks BigQuery what each saved query would scan, and prints a table.
import { SETTINGS, parseConfig } from '../../functions/config.ts';
import type { Endpoint } from '../../functions/core/endpoint.ts';
import { createBigQuery } from '../../functions/google/bigquery-client.ts';
import { queryParameters } from '../../functions/google/bigquery.ts';
import { type Estimate, type Scan, dryRun, formatBytes } from './dry-run.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';

export interface ScanOptions {
  project?: string | undefined;
  dataset?: string | undefined;
  location?: string | undefined;
  'max-bytes'?: string | undefined;
}

/** Returns the faults. Settings come from the environment where no option gives them. */
export async function checkScans(
  endpoints: readonly Endpoint[],
  options: ScanOptions,
): Promise<string[]> {
  const given = {
    [SETTINGS.project.name]: options.project,
    [SETTINGS.dataset.name]: options.dataset,
    [SETTINGS.location.name]: options.location,
  };
  const stated = Object.entries(given).filter(([, value]) => value !== undefined);
  const config = parseConfig({ ...process.env, ...Object.fromEntries(stated) });
  const limit = options['max-bytes'];
  if (limit !== undefined && !/^[1-9]\d{0,14}$/.test(limit)) {
    throw new Error(`--max-bytes is a whole number of bytes, not "${limit}".`);
  }
  const bytesMax = limit === undefined ? config.maxBytesBilled : Number(limit);
  const hasPartitions = config.bigQueryEmulatorHost === undefined;
  if (hasPartitions) await requireCredentials();
  const estimate = createEstimate(config);
  const scans: Scan[] = [];
  try {
    for (const endpoint of endpoints) {
      scans.push(...(await dryRun(estimate, endpoint, { bytesMax, hasPartitions })));
    }
  } catch (error) {
    throw explainGoogleError(error, {
      denied: `You may not ask about ${config.dataset} in ${config.project}: ask for the roles BigQuery Job User and BigQuery Data Viewer.`,
    });
  }
  printScans(scans);
  if (!hasPartitions) console.log('The local BigQuery has no partitions: nothing can be pruned.');
  return scans.flatMap((scan) => scan.faults.map((fault) => `${nameOf(scan)} ${fault}`));
}

function createEstimate(config: ReturnType<typeof parseConfig>): Estimate {
  const bigquery = createBigQuery({
    project: config.project,
    emulatorHost: config.bigQueryEmulatorHost,
  });
  const [datasetId = '', projectId] = config.dataset.split('.').reverse();
  return async ({ sql, ...bound }) => {
    const [job] = await bigquery.createQueryJob({
      dryRun: true,
      location: config.location,
      query: sql,
      parameterMode: 'named',
      queryParameters: queryParameters(bound),
      defaultDataset: projectId === undefined ? { datasetId } : { datasetId, projectId },
    });
    const { statistics } = job.metadata as { statistics?: { totalBytesProcessed?: string } };
    return Number(statistics?.totalBytesProcessed);
  };
}

function printScans(scans: readonly Scan[]): void {
  const rows = [
    ['QUERY', 'SCANS', 'OF'],
    ...scans.map((scan) => [
      nameOf(scan),
      formatBytes(scan.bytes),
      scan.wholeBytes === undefined ? '' : formatBytes(scan.wholeBytes),
    ]),
  ];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const [name = '', ...sizes] of rows) {
    const columns = sizes.map((size, index) => size.padStart(widths[index + 1] ?? 0));
    console.log([name.padEnd(widths[0] ?? 0), ...columns].join('  ').trimEnd());
  }
}

function nameOf({ endpoint, fileName, parameters }: Scan): string {
  const set = Object.entries(parameters).map(([name, value]) => ` ${name}=${value}`);
  return `${endpoint}/${fileName}${set.join('')}`;
}
