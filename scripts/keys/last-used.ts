// Reads from BigQuery when each API key was last used: the service's own request lines say so.
import { createBigQuery, createBigQueryRest } from '../../functions/google/bigquery-rest.ts';
import { explainGoogleError } from '../cli/google-errors.ts';

interface UsagePlace {
  project: string;
  dataset: string;
  location: string;
  /** Address of a local BigQuery; undefined for Google's. */
  emulatorHost: string | undefined;
}

export const LAST_USED_DAYS = 90;
const TABLE = 'service_requests';
/** Two columns of a quarter of a year: 22 bytes a request. */
const BYTES_MAX = 10 * 1024 ** 3;
const TIMEOUT_MS = 30_000;

const SQL = `SELECT key_id, UNIX_MILLIS(MAX(timestamp)) FROM ${TABLE}
WHERE timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL ${LAST_USED_DAYS} DAY) AND key_id IS NOT NULL
GROUP BY key_id`;

interface Answer {
  jobComplete?: boolean;
  rows?: { f: [{ v: string }, { v: string }] }[];
}

/** The time in milliseconds by `keyIdOf`. Rejects with an Error of one line. */
export async function readLastUsed(place: UsagePlace): Promise<Map<string, number>> {
  const { project, dataset, location, emulatorHost } = place;
  const bigquery = createBigQuery({
    project,
    bigQueryEmulatorHost: emulatorHost,
    bigQueryApiEndpoint: emulatorHost,
  });
  const query = {
    ...{ query: SQL, useLegacySql: false, location, timeoutMs: TIMEOUT_MS },
    defaultDataset: { projectId: project, datasetId: dataset },
    maximumBytesBilled: String(BYTES_MAX),
  };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const options = { signal, onBytes: () => undefined };
  const ask = createBigQueryRest(bigquery)('POST', '/queries', {}, query, options);
  const answer = (await ask.catch((error: unknown) => {
    const { message } = explainGoogleError(error, {
      notFound: `there is no ${TABLE} in ${project}.${dataset}`,
      denied: `permission denied for ${TABLE} in ${project}.${dataset}`,
    });
    throw new Error(message.split('\n')[0]?.replace(/\.$/, ''), { cause: error });
  })) as Answer;
  if (answer.jobComplete !== true) throw new Error('BigQuery does not answer in time');
  return new Map(answer.rows?.map(({ f: [id, ms] }) => [id.v, Number(ms.v)]));
}
