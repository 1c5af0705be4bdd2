// Measures one warming run over 100 to 10,000 live results, with batches and without.
import { gzipSync } from 'node:zlib';
import { type Catalogue, createCatalogue } from '../../functions/endpoints/catalogue.ts';
import { readCompiled } from '../../functions/endpoints/compiled-catalogue.ts';
import { eachLimit } from '../../functions/core/each-limit.ts';
import { cacheKey } from '../../functions/results/cache-key.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { createFirestoreResultStore } from '../../functions/google/result-store.ts';
import type { WarmReport } from '../../functions/warming/run.ts';
import type { Firestore } from '@google-cloud/firestore';
import { type FirestoreCall, startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { INSTANCE_HEAP } from '../support/service/instance-heap.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { type Bench, withBackends } from './bench-setup.ts';
import { memoryMib } from './processes.ts';
import { BIGQUERY_MS } from './stampede.ts';
import { type Findings, round } from './table.ts';

interface WarmCycle {
  seconds: number;
  report: WarmReport;
  jobs: number;
  documentsRead: number;
  documentsWritten: number;
  peakMib: number;
}

const ENTRIES = [100, 1000, 10_000];
/** The results are read with several keys, because one key keeps only WARM_MAX_ENTRIES_PER_KEY warm. */
const KEYS = 10;
const WRITES_AT_ONCE = 64;
/** The results were computed by the previous run and have been read since then. */
const COMPUTED_MS_AGO = 300_000;
const READ_MS_AGO = 60_000;

export async function measureWarming(bench: Bench): Promise<Findings> {
  const findings: Findings = {
    title: `A warming run, ${BIGQUERY_MS / 1000} s per BigQuery job`,
    columns: [
      ...['live results', 'batches', 'seconds', 'BigQuery jobs', 'refreshed', 'left over'],
      ...['documents read', 'written', 'peak MiB'],
    ],
    rows: [],
    figures: {},
  };
  for (const batches of ['yes', 'no']) {
    const folder = batches === 'yes' ? bench.folders.service : bench.folders.unbatched;
    for (const count of ENTRIES) {
      bench.say(`  ${count} live results, batches: ${batches}`);
      const cycle = await measureCycle(bench, folder, count);
      const { report } = cycle;
      findings.rows.push([
        ...[count, batches, round(cycle.seconds), cycle.jobs, report.refreshed, report.leftOver],
        ...[cycle.documentsRead, cycle.documentsWritten, round(cycle.peakMib)],
      ]);
      const name = batches === 'yes' ? `warm.${count}` : `warm.${count}.unbatched`;
      findings.figures[`${name}.jobs`] = cycle.jobs;
      findings.figures[`${name}.seconds`] = cycle.seconds;
      findings.figures[`${name}.refreshed`] = report.refreshed;
    }
  }
  return findings;
}

function measureCycle(bench: Bench, folder: string, count: number): Promise<WarmCycle> {
  return withBackends(bench, BIGQUERY_MS, async (backends) => {
    const catalogue = createCatalogue(readCompiled(`${folder}/functions/catalogue.json`));
    await storeLive(backends.firestore, catalogue, count);
    const firestore = await startFirestoreProxy(bench.firestoreHost);
    const settings = { FIRESTORE_EMULATOR_HOST: firestore.host, NODE_OPTIONS: INSTANCE_HEAP };
    const warm = await backends.serve(folder, 'warm', settings);
    try {
      const startedMs = performance.now();
      const answer = await fetch(warm.url, { method: 'POST' });
      const seconds = (performance.now() - startedMs) / 1000;
      const report = (await answer.json()) as WarmReport;
      if (answer.status !== 200 || report.failed.length > 0) {
        throw new Error(`warm answers ${answer.status}: ${JSON.stringify(report).slice(0, 500)}`);
      }
      return {
        ...{ seconds, report, jobs: await backends.bigquery.jobCount() },
        ...countDocuments(firestore.calls),
        peakMib: memoryMib(warm.pid).peak,
      };
    } finally {
      await warm.stop();
      await firestore.close();
    }
  });
}

/** The numbers of documents that Firestore bills. */
function countDocuments(
  calls: readonly FirestoreCall[],
): Pick<WarmCycle, 'documentsRead' | 'documentsWritten'> {
  const reads = calls.filter(({ method }) => method !== 'Commit');
  return {
    documentsRead: reads.reduce((sum, { messages }) => sum + messages, 0),
    // Each commit of the service writes one document.
    documentsWritten: calls.length - reads.length,
  };
}

/** Stores `count` results, spread over both endpoints and all their intervals. */
async function storeLive(
  firestore: Firestore,
  { endpoints }: Catalogue,
  count: number,
): Promise<void> {
  const store = createFirestoreResultStore(firestore);
  const groups = endpoints.flatMap((endpoint) =>
    (endpoint.parameters.interval?.enum ?? []).map((interval) => [endpoint, interval] as const),
  );
  const nowMs = Date.now();
  const body = gzipSync('{"result":[]}');
  await eachLimit([...Array(count).keys()], WRITES_AT_ONCE, async (index) => {
    const [endpoint, interval] = groups[index % groups.length] as (typeof groups)[number];
    const parameters = parseParameters(endpoint, `project=tenant${index}&interval=${interval}`);
    const lastReadAtMs = nowMs - READ_MS_AGO;
    await store.set(cacheKey(TEST_SCOPE, endpoint, parameters), {
      endpointId: endpoint.id,
      endpoint: endpoint.name,
      resultDigest: endpoint.resultDigest,
      parameters,
      body,
      bodyBytes: 13,
      etag: 'old',
      rowCount: 0,
      truncated: false,
      computedAtMs: nowMs - COMPUTED_MS_AGO,
      freshUntilMs: nowMs - COMPUTED_MS_AGO + endpoint.cachingSeconds * 1000,
      lastReadAtMs,
      readers: [{ keyName: `key-${index % KEYS}`, readAtMs: lastReadAtMs }],
      jobId: 'old',
      bytesProcessed: 0,
    });
  });
}
