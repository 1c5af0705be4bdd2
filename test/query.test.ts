// Tests of `query` over HTTP: requests and their answers, with fakes for every role.
import { gunzipSync } from 'node:zlib';
import request, { type Response, type Test } from 'supertest';
import { ServiceError } from '../functions/core/errors.ts';
import { sha256Hex } from '../functions/core/bytes.ts';
import type { Entry, RefreshStore } from '../functions/core/result-store.ts';
import { queryResult } from './support/fakes/fake-query-runner.ts';
import { API_KEY, createQueryServer, type QueryServer } from './support/world.ts';
import { inBytes } from './support/in-bytes.ts';
import { listen } from './support/service/listen.ts';
import { type RawAnswer, exchange } from './support/service/raw-http.ts';
import { testCatalogue, testCatalogueWith } from './support/sql/test-sql.ts';
import { turnsUntil, turnsUntilDone } from './support/until.ts';
import { runScenarios } from './support/scenarios.ts';

/** A second key, which a test adds to the store. */
const OTHER_KEY = 'sqk_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
const STATS = '/api/endpoints/query/tasks.run-stats';
const ROWS = `${STATS}?project=a`;

/** For a busy machine; a request that waits for a clock that no test moves fails then. */
const ANSWER_MS_MAX = 15_000;

let service: QueryServer;

/** Requests that `service` has got. */
let arrivedCount: number;

beforeEach(() => {
  service = createQueryServer();
  arrivedCount = 0;
  service.server.on('request', () => (arrivedCount += 1));
});

const get = (path: string, to = service): Test => to.get(path).timeout(ANSWER_MS_MAX);

/** The Cache-Status of rows. */
async function cached(to = service, apiKey = API_KEY): Promise<string> {
  const { status, headers } = await get(ROWS, to).set('X-API-KEY', apiKey);
  expect(status).toBe(200);
  return String(headers['cache-status']);
}

const callsOf = (method: string): number =>
  service.resultStore.calls.filter((call) => call.method === method).length;
/** The one that is stored. */
const entryOf = (): Entry | undefined => [...service.resultStore.entries.values()][0];

/** Makes each such call of the stores of results and leases fail. */
function failAt(method: string): void {
  const before = (call: { method: string }): void => {
    if (call.method === method) throw new Error('down');
  };
  service.resultStore.before = before;
  service.leaseStore.before = before;
}

runScenarios(import.meta.filename);

describe('an answer with rows', () => {
  it('binds the canonical parameters to the saved query and limits its rows', async () => {
    await get(`${STATS}?project=a&interval=yearly&unknown=x`);
    expect(service.queryRunner.requests).toMatchObject([
      {
        endpoint: 'tasks.run-stats',
        cause: 'miss',
        key: { name: 'dashboard', digest: sha256Hex(API_KEY) },
        sql: expect.stringContaining('FROM task_runs') as string,
        columns: [
          { name: 'timestamp', type: 'TIMESTAMP', mode: 'REQUIRED' },
          { name: 'avg_duration', type: 'FLOAT64', mode: 'NULLABLE' },
          { name: 'max_duration', type: 'FLOAT64', mode: 'NULLABLE' },
          { name: 'count', type: 'INT64', mode: 'REQUIRED' },
        ],
        onPage: expect.any(Function) as () => Promise<void>,
        onBilled: expect.any(Function) as () => void,
        parameters: { project: 'a', function_id: '', interval: '1day' },
        types: { project: 'STRING', function_id: 'STRING', interval: 'STRING' },
        rowCountMax: 1000,
        deadlineMs: Date.parse('2026-11-20T10:00:25Z'),
        // Without a job, unless BigQuery makes one; and it may outlive this request.
        lasting: {
          started: { requestId: expect.any(String) as string, jobId: undefined },
          endsAtMs: Date.parse('2026-11-20T10:10:00Z'),
          record: expect.any(Function) as () => Promise<void>,
        },
      },
    ]);
  });

  it('is that of one query for concurrent requests, and states its bytes for the one that ran it', async () => {
    service.queryRunner.answerWith(async () => {
      // All have to be waiting before the query ends.
      await turnsUntil(() => arrivedCount === 20);
      await turns(20);
      return queryResult();
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(ROWS)));
    expect(service.queryRunner.requests).toHaveLength(1);
    const found = answers.map(({ headers }) => [
      String(headers['cache-status']),
      headers['x-bytes-processed'] as unknown,
    ]);
    expect(found.toSorted()).toEqual([
      ...Array<unknown>(19).fill(['saved-queries; fwd=uri-miss; collapsed', undefined]),
      ['saved-queries; fwd=uri-miss; stored; ttl=900', '1024'],
    ]);
    expect((await get(ROWS)).headers).not.toHaveProperty('x-bytes-processed');
  });

  it('has the stored gzip bytes unchanged, or plain JSON for a client that does not accept gzip', async () => {
    const compressed = await inBytes(get(ROWS).set('Accept-Encoding', 'gzip'));
    expect(compressed.headers['content-encoding']).toBe('gzip');
    const entry = entryOf();
    expect(gunzipSync(entry?.body ?? Buffer.alloc(0)).toString()).toBe('{"result":[{"count":1}]}');
    expect(Number(compressed.headers['content-length'])).toBe(entry?.body.length);

    const plain = await get(ROWS).set('Accept-Encoding', 'identity');
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers['content-length']).toBe('24');
    expect(plain.text).toBe('{"result":[{"count":1}]}');
    expect(plain.headers.etag).toBe(compressed.headers.etag);
    const head = request(service.server).head(ROWS).set('X-API-KEY', API_KEY);
    const { headers } = await head.set('Accept-Encoding', 'gzip');
    expect(headers['content-length']).toBe(String(entry?.body.length));
    expect(headers['content-length']).not.toBe('24');
  });
});

describe('an entry', () => {
  // A read is recorded before it is answered, and Firestore may be slow.
  it.each([
    ['from memory', 460, 449_000, 2_000],
    ['from Firestore', 900, 0, 899_500],
  ])(
    'that expires while its read is recorded is recomputed, %s',
    async (_, seconds, ...waitsMs) => {
      const catalogue = testCatalogueWith({ cachingSeconds: seconds });
      const deployed = createQueryServer({ shared: service, catalogue });
      await get(ROWS, deployed);
      service.clock.advance(waitsMs[0] ?? 0);
      expect(await cached(deployed)).toMatch(/^saved-queries; hit; ttl=(11|900)/);
      service.clock.advance(waitsMs[1] ?? 0);
      service.resultStore.before = ({ method }) => {
        if (method === 'touch') service.clock.advance(10_000);
      };
      const expected = `saved-queries; fwd=stale; stored; ttl=${seconds}`;
      expect(await cached(deployed)).toBe(expected);
      expect(service.queryRunner.requests).toHaveLength(2);
    },
  );
});

it('runs once the lease of a dead holder has ended', async () => {
  const endMs = service.clock.nowMs() + 3000;
  service.leaseStore.before = ({ method, name }) => {
    if (method === 'acquire' && !service.leaseStore.states.has(name)) {
      service.leaseStore.states.set(name, { owner: 'dead', untilMs: endMs });
    }
  };
  const { status } = await turnsUntilDone(get(ROWS), () => service.clock.advance(10));
  expect(status).toBe(200);
  const entry = entryOf();
  expect(entry?.computedAtMs).toBeGreaterThanOrEqual(endMs);
  expect(entry?.computedAtMs).toBeLessThan(endMs + 2000);
});

describe('input validation', () => {
  it.each<[string, string]>([
    ['a path with ..', '/api/endpoints/query/../../../etc/passwd'],
    ['a name with a NUL byte', '/api/endpoints/query/tasks.run-stats%00'],
    ['a name of another case', '/api/endpoints/query/Tasks.Run-Stats'],
    ['__proto__ as a name', '/api/endpoints/query/__proto__'],
  ])('finds no endpoint at %s', async (_, path) => {
    const { status, body } = await sendRaw(path);
    expect([status, body]).toEqual([404, expect.stringContaining('"status":"NOT_FOUND"')]);
  });

  it.each<[string, string]>([
    ['10,000 parameters', `${STATS}?${'a=1&'.repeat(10_000)}project=a`],
    ['a query string of 10 MB', `${STATS}?project=${'a'.repeat(10_000_000)}`],
  ])('rejects %s before it is read, and the service continues', async (_, path) => {
    expect((await sendRaw(path)).status).toBe(431);
    expect((await get(ROWS)).status).toBe(200);
  });
});

describe('a query that goes on', () => {
  const running = new ServiceError('QUERY_RUNNING', 'Still running.', {
    ...{ retryAfterSeconds: 65, metadata: { runningSeconds: '25' } },
  });
  const deadlines: number[] = [];
  const ask = (prefer?: string, method: 'get' | 'head' = 'get'): Test => {
    deadlines.length = 0;
    service = createQueryServer({
      readThrough({ deadlineMs }) {
        deadlines.push(deadlineMs);
        throw running;
      },
    });
    const asked = request(service.server)[method](ROWS).set('X-API-KEY', API_KEY);
    return prefer === undefined ? asked : asked.set('Prefer', prefer);
  };
  const BODY = {
    code: 503,
    status: 'UNAVAILABLE',
    message: 'Still running.',
    details: [
      { reason: 'QUERY_RUNNING', metadata: { runningSeconds: '25' } },
      { retryDelay: '65s' },
    ],
  };

  it.each<[string | undefined, number, string | undefined, number, string]>([
    [undefined, 503, undefined, 25, 'WARNING'],
    ['return=minimal', 503, undefined, 25, 'WARNING'],
    ['respond-async', 202, 'respond-async', 5, 'INFO'],
    ['wait=10', 202, 'wait=10', 10, 'INFO'],
    ['wait=0', 202, 'wait=1', 1, 'INFO'],
    ['respond-async, wait=100', 202, 'respond-async, wait=25', 25, 'INFO'],
  ])(
    'with Prefer: %s is %i, and tells when to ask again',
    async (prefer, status, applied, seconds, severity) => {
      const answer = await ask(prefer);
      expect([answer.status, answer.headers['preference-applied']]).toEqual([status, applied]);
      expect(answer.headers).toMatchObject({ 'retry-after': '65', 'cache-control': 'no-store' });
      expect(answer.body).toMatchObject({ error: BODY });
      expect(deadlines).toEqual([Date.parse('2026-11-20T10:00:00Z') + seconds * 1000]);
      const fields = { reason: 'QUERY_RUNNING', status };
      expect(service.log.lines).toMatchObject([{ severity, fields }]);
      const head = await ask(prefer, 'head');
      expect([head.status, head.headers]).toEqual([
        status,
        { ...answer.headers, date: head.headers.date },
      ]);
      expect(head.text).toBeUndefined();
    },
  );
});

describe('the cache', () => {
  it('does not pass the details of an unexpected error to requests at other instances', async () => {
    service.queryRunner.answerWith(new Error('secret-table not found in project secret'));
    expect((await get(ROWS)).status).toBe(500);
    expect([...service.leaseStore.states.values()]).toMatchObject([
      { outcome: { reason: 'INTERNAL', message: 'Internal error.' } },
    ]);
  });

  it('reports a hit to all requests that wait for one Firestore read', async () => {
    await get(ROWS);
    const other = createQueryServer({ shared: service });
    const gate = Promise.withResolvers<void>();
    let lookCount = 0;
    service.resultStore.before = ({ method }) => {
      if (method === 'get') lookCount += 1;
      return gate.promise;
    };
    const answers = [cached(other), cached(other)];
    await turnsUntil(() => lookCount > 0);
    await turns(100);
    gate.resolve();
    const hit = 'saved-queries; hit; ttl=900';
    expect(await Promise.all(answers)).toEqual([hit, hit]);
    expect(other.log.lines.map(({ fields }) => fields.outcome)).toEqual(['hit', 'hit']);
    expect(lookCount).toBe(1);
  });

  it('serves rows that a holder stored before it died with its lease', async () => {
    await get(ROWS);
    const other = createQueryServer({ shared: service });
    const [[key, entry] = []] = [...service.resultStore.entries];
    service.resultStore.entries.clear();
    const untilMs = service.clock.nowMs() + 9000;
    service.leaseStore.states.set(key as string, { owner: 'dead', untilMs });
    const waiting = get(ROWS, other).then((answer) => answer);
    await turnsUntil(() => service.leaseStore.calls.at(-1)?.method === 'read');
    service.resultStore.entries.set(key as string, entry as Entry);
    // Long before the lease ends.
    for (let waitedMs = 0; waitedMs < 3000; waitedMs += 100) {
      service.clock.advance(100);
      await turns(10);
    }
    expect(other.log.lines.map(({ fields }) => fields.outcome)).toEqual(['collapsed']);
    const { headers } = await waiting;
    expect(headers['cache-status']).toBe('saved-queries; fwd=uri-miss; collapsed');
    expect(service.queryRunner.requests).toHaveLength(1);
  });

  it('releases its lease immediately if another run stored the rows before it was granted', async () => {
    await get(ROWS);
    const other = createQueryServer({ shared: service });
    const [[key, entry] = []] = [...service.resultStore.entries];
    service.resultStore.entries.clear();
    service.leaseStore.before = ({ method }) => {
      if (method === 'acquire') service.resultStore.entries.set(key as string, entry as Entry);
    };
    expect(await cached(other)).toBe('saved-queries; fwd=uri-miss; collapsed');
    expect(service.queryRunner.requests).toHaveLength(1);
    expect(service.leaseStore.states.size).toBe(0);
  });

  it('ignores the error of a holder other than the one it waits for', async () => {
    service.leaseStore.before = ({ method, name }) => {
      if (method !== 'acquire' || service.leaseStore.states.size > 0) return;
      const untilMs = service.clock.nowMs() + 9000;
      service.leaseStore.states.set(name, { owner: 'first', untilMs });
    };
    const waiting = get(ROWS).then((answer) => answer);
    await turnsUntil(() => service.leaseStore.calls.at(-1)?.method === 'read');
    const [name = ''] = [...service.leaseStore.states.keys()];
    const outcome = { reason: 'BYTES_BILLED_LIMIT' as const, message: 'Of another run.' };
    service.leaseStore.states.set(name, { owner: 'second', untilMs: 0, outcome });
    const { status } = await turnsUntilDone(waiting, () => service.clock.advance(50));
    expect(status).toBe(200);
    expect(service.queryRunner.requests).toHaveLength(1);
  });

  it('releases a lease only after a renewal in progress', async () => {
    const renewal = Promise.withResolvers<void>();
    service.leaseStore.before = ({ method }) =>
      method === 'renew' ? renewal.promise : Promise.resolve();
    const methods = (): string[] => service.leaseStore.calls.map(({ method }) => method);
    service.queryRunner.answerWith(async () => {
      service.clock.advance(3400);
      await turnsUntil(() => methods().includes('renew'));
      return queryResult();
    });
    const answer = get(ROWS).then((got) => got);
    await turnsUntil(() => service.resultStore.calls.some(({ method }) => method === 'set'));
    await turns(20);
    expect(methods()).toEqual(['acquire', 'renew']);
    renewal.resolve();
    expect((await answer).status).toBe(200);
    expect(methods()).toEqual(['acquire', 'renew', 'release']);
    expect(service.leaseStore.states.size).toBe(0);
  });

  it('rejects another key as busy if its request has waited until no time is left for a run', async () => {
    service.keyStore.add(OTHER_KEY, { name: 'other' });
    service.queryRunner.answerWith(async () => {
      await turnsUntil(() => arrivedCount === 2);
      await turns(20);
      // The deadline is 25 s.
      service.clock.advance(24_001);
      throw new ServiceError('INSTANCE_BUSY', 'Busy.');
    });
    const refused = get(ROWS).then((answer) => answer);
    await turnsUntil(() => service.queryRunner.requests.length > 0);
    const others = await get(ROWS).set('X-API-KEY', OTHER_KEY);
    expect((await refused).status).toBe(503);
    expect([others.status, others.headers['retry-after']]).toEqual([503, '5']);
    expect(service.queryRunner.requests).toHaveLength(1);
  });

  // Only the keys that fill the instance are refused.
  it('runs the query for the last of five keys after the requests of four were rejected as busy', async () => {
    const owners = ['dashboard', 'second', 'third', 'fourth', 'fifth'];
    const keys = owners.map((_, index) => `${OTHER_KEY}${index}`);
    owners.forEach((name, index) => service.keyStore.add(keys[index] ?? '', { name }));
    service.queryRunner.answerWith(async ({ key }) => {
      if (key?.name === 'fifth') return queryResult();
      await turnsUntil(() => arrivedCount === owners.length);
      await turns(20);
      throw new ServiceError('INSTANCE_BUSY', 'Busy.');
    });
    const answers = keys.map(async (key, index) => {
      await turnsUntil(() => arrivedCount === index);
      return get(ROWS).set('X-API-KEY', key);
    });
    const found = (await Promise.all(answers)).map(({ status, headers }) => [
      ...[status, headers['retry-after'], headers['cache-status']],
    ]);
    const refused = [503, '5', undefined];
    const stored = [200, undefined, 'saved-queries; fwd=uri-miss; stored; ttl=900'];
    expect(found).toEqual([refused, refused, refused, refused, stored]);
    expect(service.queryRunner.requests.map(({ key }) => key?.name)).toEqual(owners);
  });

  it('gives every waiting request the error of the one query, and does not keep it', async () => {
    service.queryRunner.answerWith(async () => {
      await turnsUntil(() => arrivedCount === 5);
      await turns(20);
      throw new ServiceError('QUERY_ENGINE_UNAVAILABLE', 'Down.');
    }, queryResult());
    const answers = await Promise.all(Array.from({ length: 5 }, () => get(ROWS)));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    expect(service.queryRunner.requests).toHaveLength(1);
    expect((await get(ROWS)).status).toBe(200);
  });

  it('gives a request that waits at another instance the error of the one query', async () => {
    const other = createQueryServer({ shared: service });
    const held = Promise.withResolvers<void>();
    service.queryRunner.answerWith(async () => {
      await held.promise;
      throw new ServiceError('QUERY_ENGINE_UNAVAILABLE', 'Down.');
    });
    const answers = [get(ROWS).then((answer) => answer)];
    await turnsUntil(() => service.queryRunner.requests.length === 1);
    answers.push(get(ROWS, other).then((answer) => answer));
    await turnsUntil(() => service.leaseStore.calls.at(-1)?.method === 'read');
    held.resolve();
    const found = await turnsUntilDone(Promise.all(answers), () => service.clock.advance(50));
    expect(found.map(({ status }) => status)).toEqual([503, 503]);
    expect(service.queryRunner.requests).toHaveLength(1);
  });

  it('lets one instance after the other run its query if rows cannot be stored', async () => {
    const other = createQueryServer({ shared: service });
    failAt('set');
    const finish: (() => void)[] = [];
    service.queryRunner.answerWith(
      () => new Promise((resolve) => finish.push(() => resolve(queryResult()))),
    );
    const held: Response[] = [];
    void get(ROWS).then((answer) => held.push(answer));
    await turnsUntil(() => finish.length === 1);
    const waiter = get(ROWS, other).then((answer) => answer);
    await turnsUntil(() => service.leaseStore.calls.at(-1)?.method === 'read');
    finish[0]?.();
    await turnsUntil(() => held.length === 1);
    expect(held[0]?.status).toBe(200);
    service.clock.advance(100);
    await turnsUntil(() => finish.length === 2);
    finish[1]?.();
    expect((await waiter).status).toBe(200);
  });

  it('stores no rows of a run whose lease was taken over', async () => {
    service.queryRunner.answerWith(async () => {
      const [name = '', state] = [...service.leaseStore.states][0] ?? [];
      service.leaseStore.states.set(name, { owner: 'somebody else', untilMs: state?.untilMs ?? 0 });
      service.clock.advance(3_400);
      // Let the renewal find out.
      await turnsUntil(() => service.leaseStore.calls.some(({ method }) => method === 'renew'));
      await new Promise((resolve) => setImmediate(resolve));
      return queryResult();
    });
    expect(await cached()).toBe('saved-queries; fwd=uri-miss; detail=lease-lost');
    expect(service.resultStore.entries.size).toBe(0);
  });

  it('does not replace newer rows that were stored during the run, and reports it', async () => {
    const other = createQueryServer({ shared: service });
    service.queryRunner.answerWith(
      async () => {
        // Its lease ends while it waits, and another instance runs the query.
        service.leaseStore.states.clear();
        service.clock.advance(1000);
        expect((await get(ROWS, other)).text).toBe('{"result":[{"count":2}]}');
        return queryResult();
      },
      queryResult({ rows: [{ f: [{ v: '2' }] }] }),
    );
    const older = await get(ROWS);
    expect([older.status, older.text]).toEqual([200, '{"result":[{"count":1}]}']);
    expect(older.headers['cache-status']).toBe('saved-queries; fwd=uri-miss; detail=superseded');
    expect(service.log.events()).toContain('rows_superseded');
    const next = await get(ROWS);
    expect(next.text).toBe('{"result":[{"count":2}]}');
    expect(next.headers['cache-status']).toBe('saved-queries; hit; ttl=900');
  });

  describe('for an endpoint with a demanded refresh', () => {
    const { id } = testCatalogue().resolve('tasks.run-stats') ?? { id: '' };
    const demand = (): void => void service.refreshStore.demands.set(id, service.clock.nowMs());

    it.each<[string, keyof RefreshStore | 'set']>([
      ['while its query runs', 'demandedMs'],
      ['while its rows are written', 'set'],
    ])('stores no rows if the refresh was demanded %s', async (_, moment) => {
      const before = (method: string): void => {
        if (method !== moment || service.refreshStore.demands.size > 0) return;
        service.clock.advance(1);
        demand();
      };
      service.resultStore.before = ({ method }) => before(method);
      service.refreshStore.before = before;
      expect(await cached()).toBe('saved-queries; fwd=uri-miss; detail=superseded');
      expect(await cached()).toMatch(/^saved-queries; fwd=\S+; stored; ttl=900$/);
      expect(service.queryRunner.requests).toHaveLength(2);
      expect(await cached()).toBe('saved-queries; hit; ttl=900; detail=memory');
    });

    it('makes no further Firestore call for a hit', async () => {
      await get(ROWS);
      const asked: string[] = [];
      service.refreshStore.before = (method) => void asked.push(method);
      service.clock.advance(20_000);
      expect(await cached()).toBe('saved-queries; hit; ttl=880');
      expect(asked).toEqual([]);
    });

    it('keeps rows in memory only while Firestore does not answer whether a refresh is demanded', async () => {
      service.refreshStore.before = () => Promise.reject(new Error('down'));
      expect(await cached()).toBe('saved-queries; fwd=uri-miss; detail=store-failed');
      expect(service.resultStore.entries.size).toBe(0);
    });
  });

  it('records every key that reads, also from memory, and keeps them when rows are recomputed', async () => {
    service.keyStore.add(OTHER_KEY, { name: 'other' });
    const readers = (): unknown => entryOf()?.readers;
    const first = { keyName: 'dashboard', readAtMs: Date.parse('2026-11-20T10:00:00Z') };
    await get(ROWS);
    expect(readers()).toEqual([first]);
    service.clock.advance(1000);
    for (let read = 0; read < 3; read += 1) {
      expect(await cached(service, OTHER_KEY)).toBe('saved-queries; hit; ttl=899; detail=memory');
    }
    service.clock.advance(459_000);
    expect(callsOf('touch')).toBe(0);
    await get(ROWS);
    const [again, second] = ['2026-11-20T10:07:40Z', '2026-11-20T10:00:01Z'].map(Date.parse);
    expect(callsOf('touch')).toBe(1);
    const recorded = [{ keyName: 'dashboard', readAtMs: again }];
    expect(readers()).toEqual([{ keyName: 'other', readAtMs: second }, ...recorded]);
    service.clock.advance(440_000);
    const status = await cached(service, OTHER_KEY);
    expect(status).toBe('saved-queries; fwd=stale; stored; ttl=900');
    expect(readers()).toEqual([
      { keyName: 'other', readAtMs: Date.parse('2026-11-20T10:15:00Z') },
      ...recorded,
    ]);
  });

  it.each([true, false])(
    'applies a shorter cachingSeconds immediately, in memory: %s',
    async (isInMemory) => {
      await get(ROWS);
      const definition = { cachingSeconds: 900 };
      const catalogue = testCatalogueWith(definition);
      const changed = createQueryServer({ shared: service, catalogue });
      service.clock.advance(100_000);
      if (isInMemory) await get(ROWS, changed);
      definition.cachingSeconds = 300;
      const from = isInMemory ? '; detail=memory' : '';
      expect(await cached(changed)).toBe(`saved-queries; hit; ttl=200${from}`);
      service.clock.advance(460_000);
      expect(await cached(changed)).toBe('saved-queries; fwd=stale; stored; ttl=300');
    },
  );
});

/** Lets everything happen that waits for no clock. */
async function turns(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The answer to a request target that HTTP clients would tidy up. */
async function sendRaw(target: string): Promise<RawAnswer> {
  const { port } = new URL(await listen(service.server));
  return exchange(Number(port), { target, headers: [`X-API-KEY: ${API_KEY}`] });
}
