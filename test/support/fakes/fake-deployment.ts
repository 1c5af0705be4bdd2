// A healthy deployment of stand-ins, with a project of its own, and what a test may change in it; it ends with the test.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { createFirestoreRefreshStore } from '../../../functions/firestore/refresh-store.ts';
import { createKeyRegister } from '../../../scripts/keys/key-register.ts';
import { testDatabase } from '../service/firestore-emulators.ts';
import { startFirestoreProxy } from '../service/firestore-proxy.ts';
import { listen } from '../service/listen.ts';
import { columns } from '../sql/columns.ts';
import { FakeSqlTree } from '../sql/fake-sql-tree.ts';
import { JOB, startFakeScheduler } from './fake-scheduler.ts';

/** Of a run of `warm` that has refreshed everything. */
export const COUNTS = { live: 1, refreshed: 1, failed: 0, leftOver: 0, listingCut: false };

const ORDERS = 'id STRING, at TIMESTAMP, lines RECORD REPEATED (price FLOAT)';

/** A failure of BigQuery: its status and message; or that it does not answer. */
type Failure = [code: number, message: string] | 'stall';

export async function startFakeDeployment() {
  const project = `p${randomUUID().slice(0, 13)}`;
  const results = testDatabase(project, 'saved-queries');
  const keys = testDatabase(project);
  const proxy = await startFirestoreProxy();
  const scheduler = await startFakeScheduler();
  scheduler.job = { ...JOB, lastAttemptTime: { seconds: Math.floor(Date.now() / 1000) } };
  const sql = new FakeSqlTree()
    .source('orders', ORDERS, { partitioning: { type: 'DAY', field: 'at' } })
    .source('visits', 'at DATE', {
      ...{ table: 'raw.visits', columns: { at: 'day' } },
      partitioning: { type: 'MONTH', field: 'at' },
    })
    .source('crm.customers', 'id STRING')
    .source('analytics.events', 'id STRING', {
      shards: { prefix: 'events_', format: 'YYYYMMDD' },
    })
    .endpoint();
  const shard = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const table = (list: string, others: object = {}): Record<string, unknown> => ({
    ...{ type: 'TABLE', schema: { fields: columns(list) }, ...others },
  });
  const tables: Record<string, Record<string, unknown> | Failure> = {
    'saved_query_logs.orders': table(`${ORDERS}, more STRING`),
    'saved_query_logs.visits': table('at DATE', { type: 'VIEW' }),
    'raw.visits': table('day DATE'),
    'crm.customers': table('id STRING'),
    [`analytics.events_${shard}`]: table('id STRING'),
  };
  const state = {
    ...{ project, results, keys, sql, proxy, scheduler },
    /** The calls of BigQuery and of the address. */
    calls: [] as string[],
    /** By dataset and name. */
    tables,
    dataset: { location: 'EU' } as { location: string } | Failure,
    /** What the address answers on its health, and to a list of the endpoints without a key. */
    ...{ health: 200, list: 401, hangs: false },
    url: '',
    env: {} as Record<string, string>,
    /** Records a run of `warm`, without counts one that failed. */
    run: (counts?: Record<string, number | boolean>) => {
      const record = { catalogueDigest: 'd', demands: new Map<string, number>(), counts };
      return createFirestoreRefreshStore(results).recordRun(record);
    },
    /** Stores a key of a day ago. */
    key: (name: string, fields: object = {}) => {
      const digest = Buffer.from(name.padEnd(32, '.')).toString('hex');
      const key = { name, endpoints: ['*'], createdAtMs: Date.now() - 86_400_000, ...fields };
      return createKeyRegister(keys).set(digest, key);
    },
    /** Fails where something else was called than what only reads. */
    expectOnlyReads: (): void => {
      const methods = ['BatchGetDocuments', 'RunQuery'];
      for (const { method } of proxy.calls) expect(methods).toContain(method);
      for (const { method } of scheduler.calls) expect(method).toBe('getJob');
      for (const call of state.calls) expect(call).toMatch(/^GET/);
    },
  };
  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    state.calls.push(`${req.method} ${pathname.replace(project, 'P')}`);
    const [, dataset = '', name] = /\/datasets\/(\w+)(?:\/tables\/(.*))?$/.exec(pathname) ?? [];
    const found = name ? tables[`${dataset}.${name}`] : state.dataset;
    const said = found ?? [404, `Not found: Table ${project}:${dataset}.${name}`];
    if (said === 'stall') return;
    const [code, message] = Array.isArray(said) ? said : [200, ''];
    res.writeHead(code, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(code === 200 ? said : { error: { code, message } }));
  };
  const bigquery = await listen(createServer(answer));
  state.url = await listen(
    createServer((req, res) => {
      state.calls.push(`${req.method} ${req.url}${String(req.headers['x-api-key'] ?? '')}`);
      const status = req.url === '/health' ? state.health : state.list;
      if (!state.hangs || req.url !== '/health') res.writeHead(status).end();
    }),
  );
  state.env = {
    FIRESTORE_EMULATOR_HOST: proxy.host,
    CLOUD_SCHEDULER_EMULATOR_HOST: scheduler.host,
    BIGQUERY_EMULATOR_HOST: bigquery,
  };
  await Promise.all([state.run(COUNTS), state.key('dashboard')]);
  return state;
}
