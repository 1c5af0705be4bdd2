// Measures one warming run over 100 to 10,000 live results.
import { gzipSync } from 'node:zlib';
import {
  type Catalogue,
  createCatalogue,
  readCompiled,
} from '../../functions/endpoints/catalogue.ts';
import { eachLimit } from '../../functions/core/each-limit.ts';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { createFirestoreResultStore } from '../../functions/firestore/result-store.ts';
import type { WarmReport } from '../../functions/warming/terms.ts';
import type { Firestore } from '@google-cloud/firestore';
import { projectOf } from '../support/service/firestore-emulators.ts';
import { startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { INSTANCE_HEAP } from '../support/service/instance-heap.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { liveEntry } from '../support/world.ts';
import { type Bench, expectDone, withBackends } from './bench-setup.ts';
import { memoryMib } from '../support/process.ts';
import { BIGQUERY_MS } from './miss.ts';
import { type Findings, round } from './table.ts';

const ENTRIES = [100, 1000, 10_000];
/** The results are read with several keys, because one key keeps only WARM_MAX_ENTRIES_PER_KEY warm. */
const KEYS = 10;
const WRITES_AT_ONCE = 64;

export async function measureWarming(bench: Bench): Promise<Findings> {
  const findings: Findings = {
    title: `A warming run, ${BIGQUERY_MS / 1000} s per BigQuery job`,
    columns: ['live results', 'seconds', 'BigQuery jobs', 'documents read', 'written', 'peak MiB'],
    rows: [],
    figures: {},
  };
  for (const count of bench.isSmall ? ENTRIES.slice(0, 1) : ENTRIES) {
    bench.say(`  ${count} live results`);
    const { seconds, jobs, documentsRead, documentsWritten, peakMib } = await measureRun(
      bench,
      count,
    );
    findings.rows.push([
      count,
      round(seconds),
      jobs,
      documentsRead,
      documentsWritten,
      round(peakMib),
    ]);
    Object.assign(findings.figures, {
      [`warm.${count}.jobs`]: jobs,
      [`warm.${count}.seconds`]: seconds,
    });
  }
  return findings;
}

function measureRun(bench: Bench, count: number) {
  const folder = bench.folders.service;
  return withBackends(bench, { queryMs: BIGQUERY_MS }, async (backends) => {
    const catalogue = createCatalogue(readCompiled(`${folder}/functions/catalogue.json`));
    const jobsMin = await storeLive(backends.firestore, catalogue, count);
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
      const jobs = (await backends.bigquery.control()).queries;
      expectDone({ refreshed: [report.refreshed, count], 'jobs of warming': [jobs, jobsMin] });
      const reads = firestore.calls.filter(({ method }) => method !== 'Commit');
      return {
        ...{ seconds, jobs },
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

/** Stores `count` results, spread over both endpoints and all their intervals; returns the number of batches. */
async function storeLive(
  firestore: Firestore,
  { endpoints }: Catalogue,
  count: number,
): Promise<number> {
  const store = createFirestoreResultStore(firestore);
  const scope = { ...TEST_SCOPE, project: projectOf(firestore) };
  const groups = endpoints.flatMap((endpoint) =>
    (endpoint.parameters.interval?.enum ?? []).map((interval) => ({
      endpoint,
      interval,
      count: 0,
    })),
  );
  const nowMs = Date.now();
  const body = gzipSync('{"result":[]}');
  await eachLimit([...Array(count).keys()], WRITES_AT_ONCE, async (index) => {
    const group = groups[index % groups.length] as (typeof groups)[number];
    group.count += 1;
    const { endpoint, interval } = group;
    const parameters = parseParameters(endpoint, `project=tenant${index}&interval=${interval}`);
    const entry = liveEntry(endpoint, parameters, `key-${index % KEYS}`, nowMs);
    await store.set(cacheKey(scope, endpoint, parameters), { ...entry, body, bodyBytes: 13 });
  });
  return groups.reduce(
    (sum, group) => sum + Math.ceil(group.count / (group.endpoint.warming?.maxKeys ?? 1)),
    0,
  );
}
