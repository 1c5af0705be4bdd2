// Tests of `npm run doctor` with the real clients: a healthy deployment of stand-ins, and faults put into it by hand.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFirestore } from '../../functions/firestore/client.ts';
import { createFirestoreRefreshStore } from '../../functions/firestore/refresh-store.ts';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { main } from '../../scripts/doctor.ts';
import type { Deployment } from '../../scripts/doctor/deployment.ts';
import { faultsOfRun } from '../../scripts/doctor/warming.ts';
import { printedBy, runCommand, wordsOf } from '../support/command.ts';
import { JOB, startFakeScheduler } from '../support/fakes/fake-scheduler.ts';
import { startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { listen } from '../support/service/listen.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { type Command, runTranscript, transcriptsOf } from '../support/sql/transcripts.ts';
import { columns } from '../support/sql/columns.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { undo } from '../support/undo.ts';

const EMULATOR = process.env.FIRESTORE_EMULATOR_HOST ?? '';
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const COUNTS = { live: 1, refreshed: 1, failed: 0, leftOver: 0, listingCut: false };
const ORDERS = 'id STRING, at TIMESTAMP, lines RECORD REPEATED (price FLOAT)';

/** A failure of BigQuery: its status and message; or that it does not answer. */
type Failure = [code: number, message: string] | 'stall';

let scheduler: Awaited<ReturnType<typeof startFakeScheduler>>;
let proxy: Awaited<ReturnType<typeof startFirestoreProxy>>;
let d: Awaited<ReturnType<typeof deploy>>;

beforeAll(async () => {
  scheduler = await startFakeScheduler();
  proxy = await startFirestoreProxy(EMULATOR);
  undo(() => proxy.close());
});

beforeEach(async () => {
  scheduler.reset();
  scheduler.job = { ...JOB, lastAttemptTime: { seconds: Math.floor(Date.now() / 1000) } };
  proxy.calls.length = 0;
  proxy.fault = () => 'pass';
  d = await deploy();
});

/** The command only reads, whatever it finds. */
afterEach(() => {
  const methods = new Set(proxy.calls.map(({ method }) => method));
  expect(['BatchGetDocuments', 'RunQuery', ...methods].sort()).toHaveLength(2 + methods.size);
  for (const method of methods) expect(['BatchGetDocuments', 'RunQuery']).toContain(method);
  for (const { method } of scheduler.calls) expect(method).toBe('getJob');
  for (const call of d.calls) expect(call).toMatch(/^GET/);
});

/** A healthy deployment, with a project of its own, and what a test may change in it. */
async function deploy() {
  const project = `p${randomUUID().slice(0, 13)}`;
  const [results, keys] = ['saved-queries', 'saved-queries-keys'].map((database) => {
    const firestore = createFirestore({ project, database, emulatorHost: EMULATOR });
    undo(() => firestore.terminate());
    return firestore;
  }) as [ReturnType<typeof createFirestore>, ReturnType<typeof createFirestore>];
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
    ...{ project, results, keys, sql, tables, calls: [] as string[] },
    dataset: { location: 'EU' } as { location: string } | Failure,
    health: 200,
    list: 401,
    hangs: false,
    env: {} as Record<string, string>,
    url: '',
    run: (counts?: Record<string, number | boolean>) => {
      const record = { catalogueDigest: 'd', demands: new Map<string, number>(), counts };
      return createFirestoreRefreshStore(results).recordRun(record);
    },
    key: (name: string, fields: object = {}) => {
      const key = { name, endpoints: ['*'], createdAtMs: Date.now() - DAY_MS, ...fields };
      return createKeyRegister(keys).set(digest(name), key);
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

const digest = (name: string): string => Buffer.from(name.padEnd(32, '.')).toString('hex');

/** The output of the last run, with stable names in place of those of this one. */
let printed = '';
async function doctor(given: string, env: Record<string, string> = {}): Promise<string> {
  const args = given.replace('{project}', d.project).replace('{sql}', d.sql.directory);
  printed = printedBy(await runCommand(main, wordsOf(args), { ...d.env, ...env }))
    .replaceAll(d.project, 'P')
    .replaceAll(d.url, 'URL')
    .replaceAll(proxy.host, 'EMULATOR')
    .replaceAll(d.sql.directory, 'SQL');
  return printed.replaceAll(/^✓ .*\n/gm, '');
}

it.each(transcriptsOf('test/scripts/cases/doctor.txt'))('%s', (_, transcript) => {
  const secondsAgo = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;

  /** With a `terraform` that does as `body` says. */
  function ofTerraform(body: string): Promise<string> {
    const { project, url } = d;
    const deployment = { project, location: 'l1', job: 'j1', database: 'saved-queries' };
    const values = { deployment, dataset: `${project}.saved_query_logs`, query_url: url };
    const outputs = Object.entries(values).map(([name, value]) => [name, { value }]);
    const text = JSON.stringify(Object.fromEntries(outputs));
    const folder = testDirectory('terraform-');
    const script = `#!/bin/sh\n[ "$*" = "-chdir=infra output -json -no-color" ] || exit 3\n${body.replace('{outputs}', text)}\n`;
    writeFileSync(join(folder, 'terraform'), script, { mode: 0o755 });
    const env = { PATH: `${folder}:/bin`, GOOGLE_CLOUD_PROJECT: '' };
    return doctor('--terraform infra --sql {sql}', env);
  }

  const parsed = (json: string) => JSON.parse(json || '{}') as Record<string, number>;
  const COMMANDS: Record<string, Command> = {
    doctor: (_, args) => doctor(`--project {project} --url ${d.url} --sql {sql} ${args}`),
    plain: (_, args, __, env) => doctor(args, env),
    terraform: (_, body) => ofTerraform(body),
    lines: () => printed,
    calls: () =>
      [...d.calls, ...scheduler.calls.map(({ name }) => name)]
        .map((call) => `${call.replace(d.project, 'P')}\n`)
        .sort()
        .join(''),
    dataset: (_, json) => void (d.dataset = JSON.parse(json) as typeof d.dataset),
    table(_, args) {
      const [, name = '', list] = /^(\S+) ?(.*)$/.exec(args) ?? [];
      if (list) Object.assign(d.tables[name] ?? {}, { schema: { fields: columns(list) } });
      else delete d.tables[name];
      return undefined;
    },
    async run(_, json) {
      await d.run(json === '' ? undefined : { ...COUNTS, ...parsed(json) });
      return '';
    },
    async norun() {
      await d.results.doc('runs/warm').delete();
      return '';
    },
    async key(_, args) {
      const [, name = '', json = ''] = /^(\S+) ?(.*)$/.exec(args) ?? [];
      const { expiresInDays, ...fields } = parsed(json);
      const expiresAtMs = expiresInDays && Date.now() + expiresInDays * DAY_MS;
      if (json === '') await d.keys.doc(`apiKeys/${name}`).set({ name: 1 });
      else await d.key(name, { ...(expiresAtMs && { expiresAtMs }), ...fields });
      return '';
    },
    scheduler: (_, json) => void (scheduler.failWith = JSON.parse(json) as { code: number }),
    job(_, json) {
      const { ranSecondsAgo, ...fields } = parsed(json);
      const ran =
        ranSecondsAgo === undefined
          ? {}
          : { lastAttemptTime: { seconds: secondsAgo(ranSecondsAgo) } };
      scheduler.job = { ...scheduler.job, ...ran, ...fields };
      return undefined;
    },
    address: (_, codes) => void ([d.health = 0, d.list = 0] = codes.split(' ').map(Number)),
    hang(_, what) {
      if (what === 'address') d.hangs = true;
      if (what === 'BigQuery') d.dataset = 'stall';
      if (what === 'Firestore') proxy.fault = () => 'stall';
      if (what === 'scheduler') scheduler.failWith = 'stall';
      return undefined;
    },
  };
  return runTranscript(transcript, new FakeSqlTree(), COMMANDS);
});

it('a run of warm that ended long ago is a fault', () => {
  const run = { catalogueDigest: '', demands: new Map(), counts: COUNTS, endedAtMs: 0 };
  const place = { project: 'P', location: 'europe-west1', job: 'warm' } as Deployment;
  expect(faultsOfRun(run, 25 * MINUTE_MS, place).map(({ text }) => text)).toEqual([
    'The last run of warm ended 25 minutes ago — npm run warm -- status --project P --location europe-west1 --job warm',
  ]);
  expect(faultsOfRun(run, 14 * MINUTE_MS, place)).toEqual([]);
});

it('missing credentials are one fault, and the address is still asked', async () => {
  for (const name of Object.keys(d.env)) d.env[name] = '';
  d.env.GOOGLE_APPLICATION_CREDENTIALS = '/missing.json';
  await doctor(`--project {project} --url ${d.url} --sql {sql}`);
  expect(printed).toMatch(
    /^✓ Address: URL answers, and asks for a key\n✗ .*\/missing.json.*\nError: 1 fault\n\[1\]\n$/,
  );
});
