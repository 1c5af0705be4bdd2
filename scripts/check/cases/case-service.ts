// Answers the requests of cases on a local BigQuery, with the code that answers callers.
import { gunzipSync } from 'node:zlib';
import { systemClock } from '../../../functions/clock.ts';
import { SETTINGS, parseConfig } from '../../../functions/config.ts';
import { ServiceError } from '../../../functions/core/errors.ts';
import type { Entry, LiveEntry } from '../../../functions/core/result-store.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import { createBigQuery, createBigQueryRest } from '../../../functions/bigquery/rest.ts';
import { createBigQueryRunner } from '../../../functions/bigquery/query-runner.ts';
import { computeEntry } from '../../../functions/cache/compute-entry.ts';
import { computeEntries } from '../../../functions/warming/compute-batch.ts';
import { createLocalBigQuery } from '../../local-bigquery/index.ts';
import type { EncodedRow, GoogleSql } from '../../local-bigquery/index.ts';
import { LOCAL } from '../../cli/project.ts';
import type { Source } from '../../sources/read-sources.ts';

/** Rejects as the query runner does. */
export type CaseService = Awaited<ReturnType<typeof createCaseService>>;

export interface CaseResult {
  rows: readonly Readonly<Record<string, unknown>>[];
  truncated: boolean;
}

const QUERY_MS = 60_000;

/** The caller closes the engine. */
export async function createCaseService(engine: GoogleSql, sources: readonly Source[]) {
  let nowMs = 0;
  const { project, dataset } = LOCAL;
  const tables = { tables: sources, dataset, clock: { nowMs: () => nowMs } };
  const bigquery = await createLocalBigQuery({ engine, ...tables });
  const settings = { [SETTINGS.project.name]: project, [SETTINGS.dataset.name]: dataset };
  const config = parseConfig(settings);
  const { url } = bigquery;
  const client = createBigQuery({ project, bigQueryEmulatorHost: url, bigQueryApiEndpoint: url });
  // Only this server, even if BIGQUERY_EMULATOR_HOST names another one for `--dry-run`.
  client.baseUrl = `${url}/bigquery/v2`;
  const [clock, call] = [systemClock, createBigQueryRest(client)];
  const queryRunner = createBigQueryRunner({ ...config, call, clock, showsValues: true });
  const { maxResultMib } = config;
  // Results are as of the time of the test.
  const computing = { queryRunner, clock: { ...clock, nowMs: () => nowMs }, maxResultMib };
  const deadlineMs = (): number => clock.nowMs() + QUERY_MS;

  return {
    /** From now on the tables contain these rows, and CURRENT_TIMESTAMP is this instant. */
    load(rows: ReadonlyMap<string, readonly EncodedRow[]>, at: number): Promise<void> {
      nowMs = at;
      return bigquery.replaceRows(rows);
    },
    async single(endpoint: Endpoint, parameters: CanonicalParameters): Promise<CaseResult> {
      const read = { cause: 'miss' as const, readers: [], deadlineMs: deadlineMs() };
      return resultOf(await computeEntry(computing, { endpoint, parameters, ...read }));
    },
    /** The results of `warm.sql` for at least two parameter sets, in their order. */
    async batch(endpoint: Endpoint, sets: readonly CanonicalParameters[]): Promise<CaseResult[]> {
      const results: CaseResult[] = [];
      const { id, name, resultDigest } = endpoint;
      const read = { endpointId: id, endpoint: name, resultDigest, readers: [] };
      const times = { computedAtMs: 0, freshUntilMs: 0, lastReadAtMs: 0, version: undefined };
      // As warming finds them; the cache key is the place in the batch.
      const entries = sets.map((parameters, index): LiveEntry => {
        return { ...read, ...times, parameters, cacheKey: String(index) };
      });
      await computeEntries({
        ...computing,
        endpoint,
        cause: 'warm',
        entries,
        deadlineMs: deadlineMs(),
        onBytes: () => undefined,
        onEntry: (live, entry) => {
          results[Number(live.cacheKey)] = resultOf(entry);
          return Promise.resolve();
        },
      });
      return results;
    },
    close: () => bigquery.close(),
  };
}

function resultOf(entry: Entry): CaseResult {
  const { body, truncated, localRowsCut } = entry;
  if (localRowsCut !== undefined) {
    const message = `The rows of the test are too many for the local BigQuery, which read the newest alone (${localRowsCut}). Give fewer rows, or run the query on BigQuery.`;
    throw new ServiceError('NOT_RUN_LOCALLY', message);
  }
  const { result } = JSON.parse(gunzipSync(body).toString()) as { result: CaseResult['rows'] };
  return { rows: result, truncated };
}
