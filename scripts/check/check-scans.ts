// `npm run check -- --dry-run`: prints a table of the bytes that each saved query would scan.
import { parseConfig } from '../../functions/config.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { formatTable } from '../cli/table.ts';
import { type Scan, dryRun, formatBytes, nameOf } from './dry-run.ts';
import { createEstimate } from './estimate.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';

/** `maxBytes`, a whole number, replaces MAX_BYTES_BILLED. Throws an Error of one line if BigQuery does not answer. */
export async function checkScans(
  endpoints: readonly Endpoint[],
  settings: Readonly<Record<string, string | undefined>>,
  maxBytes: string | undefined,
  apartFromClock: readonly string[],
): Promise<{
  lines: string[];
  /** Faults, each a sentence without its full stop. */
  faults: string[];
}> {
  const config = parseConfig(settings);
  if (maxBytes !== undefined && !/^[1-9]\d{0,14}$/.test(maxBytes)) {
    throw new Error(`--max-bytes must be a whole number of bytes, not "${maxBytes}".`);
  }
  const bytesMax = maxBytes === undefined ? config.maxBytesBilled : Number(maxBytes);
  if (config.bigQueryEmulatorHost === undefined) await requireCredentials(config.project);
  const estimate = createEstimate(config);
  const scans: Scan[] = [];
  try {
    for (const endpoint of endpoints) {
      scans.push(...(await dryRun(estimate, endpoint, bytesMax, apartFromClock)));
    }
  } catch (error) {
    throw explainGoogleError(error, {
      denied: `Permission denied for ${config.dataset} in ${config.project}: ask for the roles BigQuery Job User and BigQuery Data Viewer.`,
    });
  }
  const sizes = ({ bytes, wholeBytes }: Scan) => [bytes, wholeBytes].map(formatBytes);
  const rows = scans.map((scan) => [nameOf(scan), ...sizes(scan)]);
  return {
    lines: [formatTable([['QUERY', 'SCANS', 'OF'], ...rows], [1, 2])],
    faults: scans.flatMap((scan) => scan.faults.map((fault) => `${nameOf(scan)} ${fault}`)),
  };
}
