// Tests of warming runs over HTTP, with fakes for every role.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import request from 'supertest';
import { ServiceError } from '../functions/core/errors.ts';
import { debtOf } from '../functions/core/leases.ts';
import { QueryDataError, type QueryRequest, type WireRow } from '../functions/core/query-runner.ts';
import type { QueryResult } from './support/bigquery/local-bigquery.ts';
import type { Reader } from '../functions/core/result-store.ts';
import { FakeClock } from './support/clock.ts';
import { queryResult } from './support/fakes/fake-query-runner.ts';
import { catalogueDigest } from '../functions/endpoints/catalogue.ts';
import { cacheKey } from '../functions/cache/cache-key.ts';
import type { Endpoint } from '../functions/endpoints/endpoint.ts';
import { TEST_SCOPE } from './support/service/config.ts';
import { createWarmServer, type WarmServer } from './support/world.ts';
import { turnsUntil } from './support/until.ts';

const STATS = 'tasks.run-stats';
const COUNTS = 'web.visit-counts';
const KEY_COLUMN = { name: 'key', type: 'STRING' };
const PROJECT_COLUMN = { name: 'project', type: 'STRING' };

let service: WarmServer;

beforeEach(() => start());

/** Puts this number of due results of different projects into the store. */
const addEntries = (count: number): void => {
  for (let index = 0; index < count; index += 1) service.addEntry(STATS, stats(`p${index}`));
};

/** A service whose BigQuery answers each batch. */
function start(options: Parameters<typeof createWarmServer>[0] = {}): void {
  service = createWarmServer(options);
  service.queryRunner.answerWith(answerBatch);
}

const warm = () => service.post();

/** One row per key, with its project, as a batch; one row as a single query. */
async function answerBatch(query: QueryRequest): Promise<QueryResult> {
  const rowsOf = (project: unknown): WireRow => ({ f: [{ v: project }] });
  if (query.keys === undefined) {
    return queryResult({ schema: [PROJECT_COLUMN], rows: [rowsOf(query.parameters.project)] });
  }
  const rows = [...query.keys]
    .sort((a, b) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1))
    .map(({ key, project }) => ({ f: [{ v: key }, ...rowsOf(project).f] }));
  await query.onPage({ schema: [KEY_COLUMN, PROJECT_COLUMN], rows, jobId: 'batch' });
  return queryResult({ schema: [KEY_COLUMN, PROJECT_COLUMN], rows: [], bytesProcessed: 4096 });
}

function bodyOf(key: string): string {
  return gunzipSync(service.resultStore.entries.get(key)?.body ?? Buffer.alloc(0)).toString();
}

/** The body of a result of one project. */
const rowOf = (project: string): string => `{"result":[{"project":"${project}"}]}`;

const etagOf = (key: string): string | undefined => service.resultStore.entries.get(key)?.etag;

/** The record of a key that read so long ago. */
const readBy = (keyName: string, agoMs: number): Reader[] => [
  { keyName, readAtMs: service.clock.nowMs() - agoMs },
];

const stats = (project: string, interval = '1hr') => ({ project, function_id: '', interval });

it('refreshes every entry with recent reads, each with its own rows', async () => {
  const keys = ['a', 'b', 'c'].map((project) => service.addEntry(STATS, stats(project)));
  const { status, report } = await warm();
  expect(status).toBe(200);
  expect(report).toEqual({
    ...{ incremental: 0, incrementalBytes: 0 },
    ...{ live: 3, unreadable: 0, listingCut: false, refreshed: 3, unchanged: 0, skipped: 0 },
    ...{
      overKeyCap: 0,
      failed: [],
      overBytes: 0,
      countedBytes: 0,
      leftOver: 0,
      running: 0,
      jobs: 1,
      bytesProcessed: 4096,
    },
    ...{ questionJobs: 0, questionBytes: 0, durationMs: 0, maxAgeSeconds: 300 },
  });
  expect(keys.map(bodyOf)).toEqual(['a', 'b', 'c'].map(rowOf));
  expect(service.resultStore.entries.get(keys[0] ?? '')).toMatchObject({
    computedAtMs: Date.parse('2026-11-20T10:00:00Z'),
    freshUntilMs: Date.parse('2026-11-20T10:15:00Z'),
    // A refresh does not count as a read.
    lastReadAtMs: Date.parse('2026-11-20T09:59:00Z'),
    readers: [{ keyName: 'dashboard', readAtMs: Date.parse('2026-11-20T09:59:00Z') }],
  });
});

it('computes recently read results again after a query has changed, keeps their readers, and those of the query before for the way back', async () => {
  const projects = ['a', 'b', 'c'];
  const before = projects.map((project) =>
    service.addEntry(STATS, stats(project), {
      ...{ resultDigest: 'before', computedAtMs: service.clock.nowMs() - 1000 },
    }),
  );
  expect((await warm()).report).toMatchObject({ live: 3, refreshed: 3, skipped: 0, jobs: 1 });
  const keys = projects.map((project) =>
    cacheKey(TEST_SCOPE, service.catalogue.resolve(STATS) as Endpoint, stats(project)),
  );
  expect(keys.map(bodyOf)).toEqual(projects.map(rowOf));
  expect(before.map(etagOf)).toEqual(['old', 'old', 'old']);
  expect(service.resultStore.entries.get(keys[0] ?? '')).toMatchObject({
    computedAtMs: Date.parse('2026-11-20T10:00:00Z'),
    lastReadAtMs: Date.parse('2026-11-20T09:59:00Z'),
    readers: [{ keyName: 'dashboard', readAtMs: Date.parse('2026-11-20T09:59:00Z') }],
  });
  expect((await warm()).report).toMatchObject({ live: 3, refreshed: 0, skipped: 6, jobs: 0 });
  const endpoints = service.catalogue.endpoints.map((endpoint) => ({
    ...{ ...endpoint, resultDigest: 'before' },
  }));
  const resolve = (name: string) => endpoints.find((endpoint) => endpoint.name === name);
  const { clock, resultStore } = service;
  const back = createWarmServer({ catalogue: { endpoints, resolve }, clock, resultStore });
  expect(await back.run()).toMatchObject({ refreshed: 0, skipped: 6, jobs: 0 });
});

it('refreshes a single entry with the query and the time limit of a miss', async () => {
  service.addEntry(COUNTS, { project: 'a', interval: 'daily' });
  await warm();
  expect(service.queryRunner.requests).toMatchObject([
    {
      sql: service.catalogue.resolve(COUNTS)?.sql,
      parameters: { project: 'a', interval: 'daily' },
      rowCountMax: 1000,
      deadlineMs: service.clock.nowMs() + 25_000,
    },
  ]);
});

describe('does not refresh', () => {
  it('an entry without a read within the cachingSeconds of its own endpoint', async () => {
    const endpoints = service.catalogue.endpoints.map((endpoint) => ({
      ...endpoint,
      cachingSeconds: endpoint.name === STATS ? 3600 : 900,
    }));
    const resolve = (name: string) => endpoints.find((endpoint) => endpoint.name === name);
    start({ catalogue: { endpoints, resolve } });
    const lastReadAtMs = service.clock.nowMs() - 1_800_000;
    const longer = service.addEntry(STATS, stats('a'), { lastReadAtMs });
    const counts = { project: 'a', interval: 'daily' };
    const shorter = service.addEntry(COUNTS, counts, { lastReadAtMs, readers: [] });
    expect((await warm()).report).toMatchObject({ refreshed: 1 });
    expect(etagOf(longer)).not.toBe('old');
    expect(etagOf(shorter)).toBe('old');
  });

  it('entries over the cap of their API key, the least recently read first', async () => {
    start({ warmMaxEntriesPerKey: 2 });
    const readAgo = (ms: number): { lastReadAtMs: number } => ({
      lastReadAtMs: service.clock.nowMs() - ms,
    });
    const greedy = [30, 10, 20].map((seconds) =>
      service.addEntry(STATS, stats(`p${seconds}`), readAgo(seconds * 1000)),
    );
    const readers = readBy('other', 40_000);
    service.addEntry(STATS, stats('other'), { ...readAgo(40_000), readers });
    const { report } = await warm();
    expect(report).toMatchObject({ live: 4, refreshed: 3, skipped: 1, overKeyCap: 1 });
    expect(etagOf(greedy[0] ?? '')).toBe('old');
    expect(service.log.events()).toContain('warm_over_key_cap');
  });
});

describe('the listing', () => {
  it('ends at WARM_MAX_ENTRIES, the most recently read first, and the report states it', async () => {
    start({ warmMaxEntries: 4 });
    service.resultStore.pageEntries = 3;
    const keys = [9, 1, 8, 2, 7, 3, 6, 4, 5].map((seconds) =>
      service.addEntry(STATS, stats(`p${seconds}`), {
        lastReadAtMs: service.clock.nowMs() - seconds * 1000,
      }),
    );
    expect((await warm()).report).toMatchObject({ live: 4, refreshed: 4, listingCut: true });
    expect(keys.map(etagOf).map((etag) => etag !== 'old')).toEqual(
      [9, 1, 8, 2, 7, 3, 6, 4, 5].map((seconds) => seconds <= 4),
    );
    const pages = service.resultStore.calls.filter(({ method }) => method === 'listLive');
    expect(pages).toHaveLength(2);
  });

  it('logs unreadable documents by id, counts them, and continues', async () => {
    service.resultStore.unreadable.push('0123abcd');
    service.addEntry(STATS, stats('a'));
    const report = { live: 1, unreadable: 1, refreshed: 1, failed: [] };
    expect(await warm()).toMatchObject({ status: 200, report });
    const lines = service.log.lines.filter(({ fields }) => fields.event === 'entry_unreadable');
    expect(lines).toMatchObject([{ severity: 'WARNING', fields: { cacheKey: '0123abcd' } }]);
  });
});

it.each<[string, (cacheKey: string) => unknown, string | undefined]>([
  [
    'stored newer rows',
    () => {
      const computedAtMs = service.clock.nowMs() + 1;
      service.addEntry(STATS, stats('a'), { etag: 'newer', computedAtMs });
    },
    'newer',
  ],
  ['removed an entry', (key) => service.resultStore.entries.delete(key), undefined],
])('a concurrent change that %s is kept, and counts as skipped', async (_, change, etag) => {
  const key = service.addEntry(STATS, stats('a'));
  service.resultStore.before = ({ method }) => {
    if (method === 'refresh') change(key);
  };
  const report = { live: 1, refreshed: 0, skipped: 1, failed: [], leftOver: 0 };
  expect(await warm()).toMatchObject({ status: 200, report });
  expect(etagOf(key)).toBe(etag);
});

it('lists what was read lately, takes what is due, and holds its lease', async () => {
  const nowMs = service.clock.nowMs();
  const due = service.addEntry(STATS, stats('due'), { computedAtMs: nowMs - 150_000 });
  service.addEntry(STATS, stats('recent'), { computedAtMs: nowMs - 149_999 });
  service.addEntry(STATS, stats('read'), { lastReadAtMs: nowMs - 900_000 });
  service.addEntry(STATS, stats('unread'), { lastReadAtMs: nowMs - 900_001 });
  service.queryRunner.answerWith((query) => {
    expect(service.leaseStore.states.get('warm')?.untilMs).toBe(nowMs + 10_000);
    expect(query.deadlineMs).toBe(service.clock.nowMs() + 25_000);
    return answerBatch(query);
  });
  const { report } = await warm();
  expect(report).toMatchObject({ live: 3, refreshed: 2, skipped: 1, durationMs: 0 });
  expect(report.maxAgeSeconds).toBe(300);
  expect(service.resultStore.entries.get(due)?.computedAtMs).toBe(nowMs);
});

describe('one failing entry', () => {
  const failWith = (project: string, error: ServiceError): void =>
    service.queryRunner.answerWith((query) => {
      const projects = query.keys?.map((key) => key.project) ?? [query.parameters.project];
      if (projects.includes(project)) throw error;
      return answerBatch(query);
    });

  it('among 500 fails only its own refresh', async () => {
    failWith('p123', new ServiceError('INVALID_PARAMETERS', 'Bad pattern.'));
    addEntries(500);
    const { status, report } = await warm();
    expect(status).toBe(200);
    expect(report.refreshed).toBe(499);
    expect(report.failed).toEqual([
      { endpoint: STATS, parameters: stats('p123'), reason: 'INVALID_PARAMETERS' },
    ]);
    // One batch, then two halves of each batch that fails: 500, 250, 125, 63, 32, 16, 8, 4, 2.
    expect(report.jobs).toBeLessThanOrEqual(1 + 2 * 9);
    expect(service.log.lines.filter(({ fields }) => fields.event === 'warm_entry_failed')).toEqual([
      {
        severity: 'ERROR',
        message: 'An entry could not be refreshed.',
        fields: { event: 'warm_entry_failed', endpoint: STATS, reason: 'INVALID_PARAMETERS' },
      },
    ]);
  });

  it('is found even if its error looks like an outage', async () => {
    failWith('p7', new ServiceError('QUERY_ENGINE_UNAVAILABLE', 'Down.'));
    addEntries(16);
    const failed = [{ reason: 'QUERY_ENGINE_UNAVAILABLE' }];
    expect((await warm()).report).toMatchObject({ refreshed: 15, failed });
  });

  it('that cannot be stored does not affect the others', async () => {
    const keys = ['a', 'b', 'c'].map((project) => service.addEntry(STATS, stats(project)));
    service.resultStore.before = ({ method, cacheKey }) => {
      if (method === 'refresh' && cacheKey === keys[1]) throw new Error('refused');
    };
    const failed = [{ parameters: stats('b'), reason: 'STORE_FAILED' }];
    expect((await warm()).report).toMatchObject({ refreshed: 2, failed, jobs: 1 });
  });
});

it('stores nothing of a batch that fails after a page, and retries it in halves', async () => {
  let isFirst = true;
  const writes: string[] = [];
  service.queryRunner.answerWith(async (query) => {
    if (!isFirst) return answerBatch(query);
    isFirst = false;
    const rows = ['0', '1'].map((key) => ({ f: [{ v: key }, { v: `first-${key}` }] }));
    await query.onPage({ schema: [KEY_COLUMN, PROJECT_COLUMN], rows, jobId: 'batch' });
    throw new ServiceError('QUERY_ENGINE_UNAVAILABLE', 'Cut.');
  });
  service.resultStore.before = ({ method }) => {
    if (method === 'refresh') writes.push(isFirst ? 'of the first' : 'of its halves');
  };
  const keys = ['a', 'b', 'c'].map((project) => service.addEntry(STATS, stats(project)));
  expect((await warm()).report).toMatchObject({ refreshed: 3, failed: [], jobs: 3 });
  // Rows of the first job may have been missing.
  expect(writes).toEqual(['of its halves', 'of its halves', 'of its halves']);
  expect(keys.map(bodyOf)).toEqual(['a', 'b', 'c'].map(rowOf));
});

it.each<[string, Error, number, number]>([
  ['an outage', new ServiceError('QUERY_ENGINE_UNAVAILABLE', 'Down.'), 50, 3],
  ['an unfit result', new Error('The result of BigQuery does not fit: x.'), 50, 3],
  [
    'NULL in a REQUIRED column',
    Object.assign(new Error('x'), { code: 'NULL_IN_REQUIRED' }),
    50,
    99,
  ],
  ['no capacity', new ServiceError('QUERY_QUOTA_EXHAUSTED', 'Full.'), 50, 3],
  ['bytes billed', new ServiceError('BYTES_BILLED_LIMIT', 'Too much.'), 50, 3],
  ['a busy instance', new ServiceError('INSTANCE_BUSY', 'Busy.'), 50, 3],
  ['a division by zero', new QueryDataError('division by zero: 1 / 0'), 50, 99],
  ['results too large', new ServiceError('RESULT_BYTES_LIMIT', 'Large.'), 50, 99],
  // At most 100 for a batch.
  ['a bad pattern', new ServiceError('INVALID_PARAMETERS', 'Bad.'), 1000, 101],
])(
  'if both halves of a batch fail with %s, the entries cost only the jobs that can help',
  async (_, error, entries, jobs) => {
    service.queryRunner.answerWith(error);
    addEntries(entries);
    const { status, report } = await warm();
    expect(status).toBe(503);
    expect(report).toMatchObject({ refreshed: 0, jobs });
    expect(report.failed).toHaveLength(entries);
    // The old rows are kept until they expire.
    const etags = [...service.resultStore.entries.values()].map(({ etag }) => etag);
    expect(new Set(etags)).toEqual(new Set(['old']));
  },
);

it('starts with the oldest entries, and leaves over those beyond its time budget', async () => {
  service = createWarmServer({ warmConcurrency: 1, warmBudgetSeconds: 121 });
  service.queryRunner.answerWith((query) => {
    service.clock.advance(60_000);
    return answerBatch(query);
  });
  const aged = (seconds: number): { computedAtMs: number } => ({
    computedAtMs: service.clock.nowMs() - seconds * 1000,
  });
  service.addEntry(STATS, stats('a', '5min'), aged(300));
  service.addEntry(STATS, stats('a', '1hr'), aged(500));
  service.addEntry(STATS, stats('a', '7day'), aged(400));
  const { report } = await warm();
  expect(report).toMatchObject({ refreshed: 2, leftOver: 1, jobs: 2, maxAgeSeconds: 500 });
  const intervals = service.queryRunner.requests.map(({ parameters }) => parameters.interval);
  expect(intervals).toEqual(['1hr', '7day']);
});

it('splits a batch that is too slow into halves, while there is time', async () => {
  const timesMs: number[] = [];
  service.queryRunner.answerWith((query) => {
    timesMs.push(query.deadlineMs - service.clock.nowMs());
    if ((query.keys?.length ?? 1) < 4) return answerBatch(query);
    service.clock.advance(90_000);
    throw new ServiceError('QUERY_DEADLINE_EXCEEDED', 'Late.');
  });
  addEntries(4);
  expect((await warm()).report).toMatchObject({ refreshed: 4, failed: [], jobs: 3 });
  expect(timesMs).toEqual([90_000, 90_000, 90_000]);
});

it('writes nothing after its time budget, because the next run may have started', async () => {
  service = createWarmServer({ warmBudgetSeconds: 20 });
  service.queryRunner.answerWith(async (query) => {
    const result = await answerBatch(query);
    service.clock.advance(20_000);
    return result;
  });
  addEntries(2);
  expect((await warm()).report).toMatchObject({ refreshed: 0, failed: [], leftOver: 2, jobs: 1 });
  expect(service.resultStore.calls.some(({ method }) => method === 'refresh')).toBe(false);
});

it('leaves over entries interrupted by the end of the budget, and answers 503 if no other was refreshed', async () => {
  service = createWarmServer({ warmBudgetSeconds: 60 });
  service.queryRunner.answerWith(() => {
    service.clock.advance(59_000);
    throw new ServiceError('QUERY_DEADLINE_EXCEEDED', 'Late.');
  });
  addEntries(100);
  const report = { refreshed: 0, failed: [], leftOver: 100, jobs: 1 };
  expect(await warm()).toMatchObject({ status: 503, report });
});

it('starts no further job after another run has taken over its lease', async () => {
  service = createWarmServer({ warmConcurrency: 1 });
  service.queryRunner.answerWith(async (query) => {
    service.leaseStore.states.set('warm', { owner: 'another run', untilMs: Infinity });
    service.clock.advance(3_400);
    await turnsUntil(() => service.leaseStore.calls.some(({ method }) => method === 'renew'));
    await new Promise((resolve) => setImmediate(resolve));
    return answerBatch(query);
  });
  for (const interval of ['5min', '1hr', '7day']) service.addEntry(STATS, stats('a', interval));
  expect((await warm()).report).toMatchObject({ refreshed: 1, leftOver: 2, jobs: 1 });
});

it('logs the cause of each failed job', async () => {
  service.queryRunner.answerWith(new Error('Access Denied: table logs'));
  addEntries(1000);
  expect((await warm()).report).toMatchObject({ jobs: 3 });
  const line = service.log.lines.find(({ fields }) => fields.event === 'warm_job_failed');
  expect(line?.fields).toMatchObject({
    endpoint: STATS,
    entries: 1000,
    reason: 'INTERNAL',
    error: 'Error: Access Denied: table logs',
  });
});

describe('WARM_BYTES_PER_DAY', () => {
  const GIB = 2 ** 30;
  const countsOf = ({ report }: Awaited<ReturnType<typeof warm>>) => [
    ...[report.refreshed, report.overBytes, report.leftOver, report.failed.length],
  ];
  const logged = () => service.log.lines.filter(({ fields }) => fields?.event === 'warm_bytes');

  /** Three jobs of one result each; the second result is read by two keys. */
  beforeEach(() => {
    start({ warmBytesPerDay: 8 * GIB, clock: new FakeClock('2026-11-20T12:00:00Z') });
    const result = queryResult({ bytesProcessed: GIB, bytesBilled: GIB });
    service.queryRunner.answerWith(result);
    const readersOf = { '5min': ['a'], '15min': ['a', 'b'], '1hr': ['a'] };
    for (const [interval, names] of Object.entries(readersOf)) {
      const readers = names.flatMap((name) => readBy(name, 1000));
      service.addEntry(STATS, stats('p', interval), { readers });
    }
  });

  /** What is counted for warming before the run. */
  const spend = (bytes: number) => service.leaseStore.dayBytes.set('warm.2026-11-20', bytes);

  it('has no effect on runs within their share, a quarter of the day and the time that has passed', async () => {
    // 8 GiB × (1/4 + 3/4 × 12 h 5 min ÷ 24 h) = 5.02 GiB.
    spend(1.5 * GIB);
    expect(countsOf(await warm())).toEqual([3, 0, 0, 0]);
    expect(service.leaseStore.dayBytes.get('warm.2026-11-20')).toBe(4.5 * GIB);
    expect(logged()).toEqual([]);
  });

  it('lets a run that is ahead of the day refresh what is read most, tells the operator, and answers 200', async () => {
    spend(5 * GIB);
    const run = await warm();
    expect([run.status, ...countsOf(run)]).toEqual([200, 1, 2, 0, 0]);
    const [first] = service.queryRunner.requests;
    expect(first?.parameters.interval).toBe('15min');
    expect(logged()).toMatchObject([
      { severity: 'WARNING', fields: { overBytes: 2, spent: 6 * GIB, warmBytesPerDay: 8 * GIB } },
    ]);
  });

  it('begins no job beyond the bound, and the next day begins all', async () => {
    spend(8 * GIB);
    expect(countsOf(await warm())).toEqual([0, 3, 0, 0]);
    service.clock.advance(12 * 3_600_000);
    for (const [key, entry] of service.resultStore.entries) {
      const nowMs = service.clock.nowMs();
      service.resultStore.entries.set(key, { ...entry, lastReadAtMs: nowMs, computedAtMs: 0 });
    }
    expect(countsOf(await warm())).toEqual([3, 0, 0, 0]);
  });

  it('is used up by what BigQuery bills, which for small tables is more than a job reads', async () => {
    service.queryRunner.answerWith(queryResult({ bytesProcessed: 1024, bytesBilled: 2 * GIB }));
    spend(4 * GIB);
    expect(countsOf(await warm())).toEqual([1, 2, 0, 0]);
    expect(service.leaseStore.dayBytes.get('warm.2026-11-20')).toBe(6 * GIB);
  });

  it('is not used up by the query of a request, whose rows a run collects', async () => {
    spend(4.5 * GIB);
    const [cacheKey = ''] = service.resultStore.entries.keys();
    const { id: endpointId = '', resultDigest = '' } = service.catalogue.resolve(STATS) ?? {};
    const nowMs = service.clock.nowMs();
    const [requestId, account] = ['left', 'digest of a key'];
    const times = { startedAtMs: nowMs - 60_000, endsAtMs: nowMs + 60_000 };
    const started = { requestId, jobId: requestId, parameters: stats('p', '5min'), ...times };
    const query = { ...started, endpointId, resultDigest, keyName: 'a', account };
    service.leaseStore.states.set(cacheKey, { owner: 'gone', untilMs: 0, query });
    service.leaseStore.open.push(debtOf(query)!);
    const large = queryResult({ bytesProcessed: 100 * GIB, bytesBilled: 100 * GIB });
    service.queryRunner.answerWith(large, queryResult({ bytesBilled: GIB / 4 }));
    expect(countsOf(await warm())).toEqual([3, 0, 0, 0]);
    expect(Object.fromEntries(service.leaseStore.dayBytes)).toEqual({
      'warm.2026-11-20': 5 * GIB,
      [`${account}.2026-11-20`]: 100 * GIB,
    });
  });

  // Eight at once, without knowing of each other, would read eight times what is left.
  it('begins beside others what fits, and alone what does not, so that at most one job goes over', async () => {
    spend(3.2 * GIB);
    service.queryRunner.estimatedBytes = GIB;
    let running = 0;
    service.queryRunner.answerWith(async () => {
      running += 1;
      expect(running).toBe(1);
      await nextTurn();
      running -= 1;
      return queryResult({ bytesProcessed: GIB, bytesBilled: GIB });
    });
    expect(countsOf(await warm())).toEqual([2, 1, 0, 0]);
    expect(service.leaseStore.dayBytes.get('warm.2026-11-20')).toBe(5.2 * GIB);
  });

  it('counts what a killed run, and requests that nobody repeated, have left in BigQuery', async () => {
    const ms = service.clock.nowMs();
    const debt = { day: '2026-11-19', jobId: '', bytes: 5, endsAtMs: ms - 60_000 };
    const states = { billed: GIB, cancelled: GIB / 4, failed: 0, running: undefined };
    for (const [jobId, bytesBilled] of Object.entries(states)) {
      service.leaseStore.open.push({ ...debt, account: 'digest', jobId });
      if (bytesBilled !== undefined)
        service.queryRunner.jobs.set(jobId, { isDone: true, bytesBilled });
    }
    for (let run = 0; run < 2; run += 1) {
      await warm();
      expect(service.leaseStore.dayBytes.get('digest.2026-11-19')).toBe(1.25 * GIB);
      expect(service.leaseStore.open.map(({ jobId }) => jobId)).toEqual(['running']);
    }
    expect(new Set(service.queryRunner.cancelled)).toEqual(new Set(['running']));
  });

  it('leaves to the next run what cannot be written before it is sent', async () => {
    service.leaseStore.before = ({ method, name }) => {
      if (method === 'acquire' && name !== 'warm') throw new Error('Firestore is slow.');
    };
    expect(countsOf(await warm())).toEqual([0, 0, 3, 0]);
    expect(service.queryRunner.requests).toEqual([]);
  });

  it('ends the run with 503 if the bytes cannot be read', async () => {
    service.leaseStore.before = ({ method }) => {
      if (method === 'bytesOf') throw new Error('Firestore is down.');
    };
    expect((await warm()).status).toBe(503);
    expect(service.queryRunner.requests).toEqual([]);
  });
});

it('reports to a second run that one is already in progress', async () => {
  service.addEntry(STATS, stats('a'));
  const held = Promise.withResolvers<void>();
  service.queryRunner.answerWith((query) => held.promise.then(() => answerBatch(query)));
  const first = warm();
  await turnsUntil(() => service.queryRunner.requests.length === 1);
  expect(await warm()).toEqual({ status: 200, report: { skipped: 'already running' } });
  held.resolve();
  expect((await first).report.refreshed).toBe(1);
  expect((await warm()).report).toMatchObject({ live: 1, skipped: 1, refreshed: 0 });
});

it('answers 503 if Firestore does not respond, so that the scheduler tries again', async () => {
  service.resultStore.before = () => Promise.reject(new Error('down'));
  const answer = await request(service.server).post('/');
  expect(answer.status).toBe(503);
  expect(answer.body).toMatchObject({
    error: { status: 'UNAVAILABLE', details: [{ reason: 'RESULT_STORE_UNAVAILABLE' }, {}] },
  });
});

it('accepts only POST', async () => {
  const answer = await request(service.server).get('/');
  expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
});

it('logs a run as one line of counts, without the parameters of tenants', async () => {
  service.queryRunner.answerWith(new ServiceError('BYTES_BILLED_LIMIT', 'Too much.'));
  service.addEntry(STATS, stats('tenant-secret'));
  await warm();
  const line = service.log.lines.find(({ fields }) => fields.event === 'warm');
  expect(line?.fields).toMatchObject({ live: 1, refreshed: 0, failed: 1, jobs: 1 });
  expect(JSON.stringify(service.log.lines)).not.toContain('tenant-secret');
});

describe('for commands that wait for it', () => {
  const digest = (): string => catalogueDigest(service.catalogue.endpoints);

  it('records its counts, without the parameters of tenants', async () => {
    service.addEntry(STATS, stats('tenant-secret'));
    service.refreshStore.demands.set('an-id', 5);
    const { report } = await warm();
    expect(service.refreshStore.lastRun).toEqual({
      catalogueDigest: digest(),
      demands: new Map([['an-id', 5]]),
      counts: { ...report, failed: 0 },
    });
  });

  it('records that it failed', async () => {
    service.resultStore.before = () => Promise.reject(new Error('down'));
    expect((await warm()).status).toBe(503);
    expect(service.refreshStore.lastRun).toEqual({
      catalogueDigest: digest(),
      demands: new Map(),
      counts: undefined,
    });
  });

  it('refreshes even if its record cannot be written, and reports that', async () => {
    service.addEntry(STATS, stats('a'));
    service.refreshStore.before = (method) => {
      if (method === 'recordRun') throw new Error('down');
    };
    expect(await warm()).toMatchObject({ status: 200, report: { refreshed: 1 } });
    expect(service.log.events()).toEqual(['warm_record_failed', 'warm']);
  });

  it('starts no run if it cannot read which refreshes are demanded', async () => {
    service.addEntry(STATS, stats('a'));
    service.refreshStore.before = () => Promise.reject(new Error('down'));
    expect(await warm()).toMatchObject({ status: 503 });
    expect(service.queryRunner.requests).toEqual([]);
  });

  it('refreshes results computed before the demanded time, however recent', async () => {
    const nowMs = service.clock.nowMs();
    const fields = { computedAtMs: nowMs - 10 };
    const { id } = service.catalogue.resolve(STATS) ?? { id: '' };
    const old = service.addEntry(STATS, stats('old'), fields);
    const ofOther = service.addEntry(COUNTS, { project: 'b', interval: 'daily' }, fields);
    const since = service.addEntry(STATS, stats('since'), { computedAtMs: nowMs - 9 });
    service.refreshStore.demands.set(id, nowMs - 9);
    expect((await warm()).report).toMatchObject({ live: 3, refreshed: 1, skipped: 2 });
    const isOld = [old, ofOther, since].map((key) => etagOf(key) === 'old');
    expect(isOld).toEqual([false, true, true]);
  });
});
