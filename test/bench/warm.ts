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
import { startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { INSTANCE_HEAP } from '../support/service/instance-heap.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { liveEntry } from '../support/service/warm-server.ts';
import { type Bench, withBackends } from './bench-setup.ts';
import { memoryMib } from './processes.ts';
import { BIGQUERY_MS } from './stampede.ts';
import { type Findings, round } from './table.ts';

const ENTRIES = [100, 1000, 10_000];
/** The results are read with several keys, because one key keeps only WARM_MAX_ENTRIES_PER_KEY warm. */
const KEYS = 10;
const WRITES_AT_ONCE = 64;

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
      const { seconds, jobs, refreshed, leftOver } = cycle;
      findings.rows.push([
        ...[count, batches, round(seconds), jobs, refreshed, leftOver],
        ...[cycle.documentsRead, cycle.documentsWritten, round(cycle.peakMib)],
      ]);
      const name = batches === 'yes' ? `warm.${count}` : `warm.${count}.unbatched`;
      for (const [figure, value] of Object.entries({ jobs, seconds, refreshed })) {
        findings.figures[`${name}.${figure}`] = value;
      }
    }
  }
  return findings;
}

function measureCycle(bench: Bench, folder: string, count: number) {
  return withBackends(bench, { queryMs: BIGQUERY_MS }, async (backends) => {
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
      const { refreshed, leftOver } = report;
      const reads = firestore.calls.filter(({ method }) => method !== 'Commit');
      return {
        ...{ seconds, refreshed, leftOver, jobs: (await backends.bigquery.control()).queries },
        // As Firestore bills them. Each commit of the service writes one document.
        documentsRead: reads.reduce((sum, { messages }) => sum + messages, 0),
        documentsWritten: firestore.calls.length - reads.length,
        peakMib: memoryMib(warm.pid).peak,
      };
    } finally {
      await warm.stop();
      await firestore.close();
    }
  });
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
    const entry = liveEntry(endpoint, parameters, `key-${index % KEYS}`, nowMs);
    await store.set(cacheKey(TEST_SCOPE, endpoint, parameters), { ...entry, body, bodyBytes: 13 });
  });
}
