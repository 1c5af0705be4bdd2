// Tests of warming runs over HTTP, with fakes for every role.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import request from 'supertest';
import { type Reason, ServiceError } from '../functions/core/errors.ts';
import { debtOf } from '../functions/core/leases.ts';
import { QueryDataError, type QueryRequest } from '../functions/core/query-runner.ts';
import type { Entry } from '../functions/core/result-store.ts';
import type { QueryResult } from './support/bigquery/local-bigquery.ts';
import { FakeClock } from './support/clock.ts';
import { answerEach, queryResult, wireRow } from './support/fakes/fake-query-runner.ts';
import { columns } from './support/sql/columns.ts';
import type { WarmReport } from '../functions/warming/terms.ts';
import { catalogueDigest } from '../functions/endpoints/catalogue.ts';
import { expectFields } from './support/scenario-answers.ts';
import { storeActs } from './support/scenario-stores.ts';
import { type Acts, type Fields, runSteps, stepsBeside, takeAll } from './support/steps.ts';
import { testCatalogue } from './support/sql/test-sql.ts';
import { createWarmServer, type WarmServer } from './support/world.ts';

const STATS = 'tasks.run-stats';

const stats = (project: string, interval = '1hr') => ({ project, function_id: '', interval });

const bodyOf = ({ body }: Entry): string => gunzipSync(body).toString();

/** For each result one row, with its project. */
const answerRows = (query: QueryRequest, billed = {}): Promise<QueryResult> =>
  answerEach(query, 'project STRING', ({ project }) => [project], {
    ...(query.keys && { bytesProcessed: 4096 }),
    ...billed,
  });

function start(options: Parameters<typeof createWarmServer>[0] = {}): WarmServer {
  const service = createWarmServer(options);
  service.queryRunner.answerWith((query) => answerRows(query));
  return service;
}

it.each(stepsBeside(import.meta.filename))('%s', async (_, steps) => {
  /** `new` has the row of its project; else its ETag. */
  function stateOf(project: string, entry: Entry): string {
    if (entry.etag.length < 22) return entry.etag;
    return bodyOf(entry) === `{"result":[{"project":"${project}"}]}` ? 'new' : 'of another';
  }

  /** An answer of BigQuery. */
  interface Answer {
    /** Only of a job for this project, or for so many results. */
    of?: string;
    over?: number;
    takesMs?: number;
    /** A reason, or the name of an error, and its message. */
    error?: [string, string?];
    bytesBilled?: number;
    bytesProcessed?: number;
  }

  function errorOf([name, message = 'Down.']: NonNullable<Answer['error']>): Error {
    if (name === 'Error') return new Error(message);
    if (name === 'QueryDataError') return new QueryDataError(message);
    if (name === 'NULL_IN_REQUIRED') return Object.assign(new Error('x'), { code: name });
    return new ServiceError(name as Reason, message);
  }

  let service = start();
  const leftMs: number[] = [];
  const entries = () => [...service.resultStore.entries];
  const projectOf = ({ parameters }: Entry): string => String(parameters.project);

  /** What the run reports, and how many results have failed. */
  async function run(expected: Fields, { status = 200, failures }: Fields): Promise<void> {
    const answer = await service.post();
    expect(answer).toMatchObject({ status, report: expected });
    if (failures !== undefined) expect(answer.report.failed).toHaveLength(failures as number);
  }

  async function answer(query: QueryRequest, { of, over = 0, ...how }: Answer) {
    const keys = query.keys ?? [query.parameters];
    const isMeant = !of || keys.some(({ project }) => project === of);
    const { takesMs = 0, error, ...billed } = how;
    if (!isMeant || keys.length < over) return answerRows(query);
    const result = error ?? (await answerRows(query, billed));
    service.clock.advance(takesMs);
    if (Array.isArray(result)) throw errorOf(result);
    return result;
  }

  const acts: Acts = {
    ...storeActs(
      () => service,
      (steps) => takeAll(acts, steps),
    ),
    /** A new service; `changed` has other fields of endpoints, by their names. With `shared` it has the stores of the one before. */
    warm: ({ changed = {}, ...settings }: Fields, { shared }: Fields) => {
      const endpoints = testCatalogue().endpoints.map((endpoint) => ({
        ...endpoint,
        ...(changed as Record<string, object>)[endpoint.name],
      }));
      const resolve = (name: string) => endpoints.find((endpoint) => endpoint.name === name);
      const catalogue = { endpoints, resolve };
      service = start({ catalogue, ...settings, ...(shared === true && { shared: service }) });
    },
    advance: (ms: number) => service.clock.advance(ms),
    /** Stores a due result of a project. */
    add: (project: string, step: Fields) => {
      const { endpoint = STATS, interval, readAgoMs, computedAgoMs, by, ...others } = step;
      const { add: _, parameters = stats(project, interval as string), ...fields } = others;
      const agoMs = (ms: unknown) => service.clock.nowMs() - Number(ms);
      const readers = (by as string[] | undefined)?.map((keyName) => {
        return { keyName, readAtMs: agoMs(readAgoMs ?? 1000) };
      });
      service.addEntry(endpoint as string, parameters as Record<string, string>, {
        ...fields,
        ...(readAgoMs !== undefined && { lastReadAtMs: agoMs(readAgoMs) }),
        ...(computedAgoMs !== undefined && { computedAtMs: agoMs(computedAgoMs) }),
        ...(readers && { readers }),
      });
    },
    /** Stores so many due results of different projects. */
    entries: (count: number) => {
      for (let index = 0; index < count; index += 1) service.addEntry(STATS, stats(`p${index}`));
    },
    /** Removes the results of a project. */
    remove: (project: string) => {
      for (const [key, entry] of entries())
        if (projectOf(entry) === project) service.resultStore.entries.delete(key);
    },
    /** The document is not valid. */
    unreadable: (cacheKey: string) => service.resultStore.unreadable.push(cacheKey),
    pageEntries: (count: number) => void (service.resultStore.pageEntries = count),
    /** Firestore cannot store results of the project. */
    refuse: (project: string) => {
      const { resultStore } = service;
      resultStore.before = ({ method, cacheKey }) => {
        const entry = resultStore.entries.get(cacheKey);
        if (method === 'refresh' && entry && projectOf(entry) === project) throw new Error('x');
      };
    },
    /** What BigQuery answers to each job. */
    answers: (how: Answer) =>
      service.queryRunner.answerWith((query) => {
        leftMs.push(query.deadlineMs - service.clock.nowMs());
        return answer(query, how);
      }),
    run,
    /** The results of projects, in the order in which they were stored. */
    rows: (expected: Record<string, string>) => {
      const states = Object.keys(expected).map((project) => {
        const own = entries().filter(([, entry]) => projectOf(entry) === project);
        return [project, own.map(([, entry]) => stateOf(project, entry)).join(' ')];
      });
      expect(Object.fromEntries(states)).toEqual(expected);
    },
    /** How many results are no longer the ones that were put into the store. */
    fresh: (count: number) =>
      expect(entries().filter(([, { etag }]) => etag !== 'old')).toHaveLength(count),
    jobs: (count: number) => expect(service.queryRunner.requests).toHaveLength(count),
    ran: (expected: Fields) => {
      const last: object = service.queryRunner.requests.at(-1) ?? {};
      expectFields('the query', { ...last }, expected);
    },
    /** The intervals of the queries that have run, and how long each might take. */
    intervals: (expected: string[]) =>
      expect(service.queryRunner.requests.map(({ parameters }) => parameters.interval)).toEqual(
        expected,
      ),
    leftMs: (expected: number[]) => expect(leftMs).toEqual(expected),
    /** What is counted for warming on the first day. */
    spend: (bytes: number) => service.leaseStore.dayBytes.set('warm.2026-11-20', bytes),
    spent: (bytes: number) =>
      expect(service.leaseStore.dayBytes.get('warm.2026-11-20')).toBe(bytes),
  };
  await runSteps(acts, steps);
});

it('stores nothing of a batch that fails after a page, and retries it in halves', async () => {
  const service = start();
  let isFirst = true;
  const writes: string[] = [];
  service.queryRunner.answerWith(async (query) => {
    if (!isFirst) return answerRows(query);
    isFirst = false;
    const rows = ['0', '1'].map((key) => wireRow(key, `first-${key}`));
    await query.onPage({ schema: columns('key STRING, project STRING'), rows, jobId: 'batch' });
    throw new ServiceError('QUERY_ENGINE_UNAVAILABLE', 'Cut.');
  });
  service.resultStore.before = ({ method }) => {
    if (method === 'refresh') writes.push(isFirst ? 'of the first' : 'of its halves');
  };
  for (const project of ['a', 'b', 'c']) service.addEntry(STATS, stats(project));
  expect(await service.run()).toMatchObject({ refreshed: 3, failed: [], jobs: 3 });
  // Rows of the first job may have been missing.
  expect(writes).toEqual(['of its halves', 'of its halves', 'of its halves']);
  const states = [...service.resultStore.entries.values()].map((entry) => bodyOf(entry));
  expect(states).toEqual(['a', 'b', 'c'].map((project) => `{"result":[{"project":"${project}"}]}`));
});

const GIB = 2 ** 30;

/** With 8 GiB a day, of which at noon so many are counted; three jobs of one result each. */
function startWithBytes(spentGib: number): WarmServer {
  const clock = new FakeClock('2026-11-20T12:00:00Z');
  const service = createWarmServer({ warmBytesPerDay: 8 * GIB, clock });
  service.queryRunner.answerWith(queryResult({ bytesProcessed: GIB, bytesBilled: GIB }));
  for (const interval of ['5min', '15min', '1hr']) service.addEntry(STATS, stats('p', interval));
  service.leaseStore.dayBytes.set('warm.2026-11-20', spentGib * GIB);
  return service;
}

const countsOf = ({ refreshed, overBytes, leftOver, failed }: WarmReport) => [
  ...[refreshed, overBytes, leftOver, failed.length],
];

it('WARM_BYTES_PER_DAY is not used up by the query of a request, whose rows a run collects', async () => {
  const service = startWithBytes(4.5);
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
  expect(countsOf(await service.run())).toEqual([3, 0, 0, 0]);
  expect(Object.fromEntries(service.leaseStore.dayBytes)).toEqual({
    'warm.2026-11-20': 5 * GIB,
    [`${account}.2026-11-20`]: 100 * GIB,
  });
});

// Eight at once, without knowing of each other, would read eight times what is left.
it('WARM_BYTES_PER_DAY begins beside others what fits, and alone what does not, so that at most one job goes over', async () => {
  const service = startWithBytes(3.2);
  service.queryRunner.estimatedBytes = GIB;
  let running = 0;
  service.queryRunner.answerWith(async () => {
    running += 1;
    expect(running).toBe(1);
    await nextTurn();
    running -= 1;
    return queryResult({ bytesProcessed: GIB, bytesBilled: GIB });
  });
  expect(countsOf(await service.run())).toEqual([2, 1, 0, 0]);
  expect(service.leaseStore.dayBytes.get('warm.2026-11-20')).toBe(5.2 * GIB);
});

it('WARM_BYTES_PER_DAY counts what a killed run, and requests that nobody repeated, have left in BigQuery', async () => {
  const service = startWithBytes(0);
  const ms = service.clock.nowMs();
  const debt = { day: '2026-11-19', jobId: '', bytes: 5, endsAtMs: ms - 60_000 };
  const states = { billed: GIB, cancelled: GIB / 4, failed: 0, running: undefined };
  for (const [jobId, bytesBilled] of Object.entries(states)) {
    service.leaseStore.open.push({ ...debt, account: 'digest', jobId });
    if (bytesBilled !== undefined)
      service.queryRunner.jobs.set(jobId, { isDone: true, bytesBilled });
  }
  for (let run = 0; run < 2; run += 1) {
    await service.run();
    expect(service.leaseStore.dayBytes.get('digest.2026-11-19')).toBe(1.25 * GIB);
    expect(service.leaseStore.open.map(({ jobId }) => jobId)).toEqual(['running']);
  }
  expect(new Set(service.queryRunner.cancelled)).toEqual(new Set(['running']));
});

it('accepts only POST', async () => {
  const answer = await request(createWarmServer().server).get('/');
  expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
});

it('records its counts for commands that wait for it, without the parameters of tenants', async () => {
  const service = start();
  service.addEntry(STATS, stats('tenant-secret'));
  service.refreshStore.demands.set('an-id', 5);
  const report = await service.run();
  expect(service.refreshStore.lastRun).toEqual({
    catalogueDigest: catalogueDigest(service.catalogue.endpoints),
    demands: new Map([['an-id', 5]]),
    counts: { ...report, failed: 0 },
  });
});

it('records that it failed for commands that wait for it', async () => {
  const service = start();
  service.resultStore.before = () => Promise.reject(new Error('down'));
  expect((await service.post()).status).toBe(503);
  expect(service.refreshStore.lastRun).toEqual({
    catalogueDigest: catalogueDigest(service.catalogue.endpoints),
    demands: new Map(),
    counts: undefined,
  });
});
