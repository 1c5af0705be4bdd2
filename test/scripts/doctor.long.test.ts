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
import { refusal, runCommand, wordsOf } from '../support/command.ts';
import { JOB, startFakeScheduler } from '../support/fakes/fake-scheduler.ts';
import { startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { listen } from '../support/service/listen.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { columns } from '../support/sql/columns.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { undo } from '../support/undo.ts';

const EMULATOR = process.env.FIRESTORE_EMULATOR_HOST ?? '';
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const COUNTS = { live: 1, refreshed: 1, failed: 0, leftOver: 0, listingCut: false };
const ORDERS = 'id STRING, at TIMESTAMP, lines RECORD REPEATED (price FLOAT)';
const DISABLED =
  'Cloud Scheduler API has not been used in project 7 before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/cloudscheduler.googleapis.com/overview?project=7 then retry.';

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
    health: 200 as number | 'stall',
    list: 401,
    env: {} as Record<string, string>,
    url: '',
    alter: (name: string, change: object) => Object.assign(tables[name] ?? {}, change),
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
      if (status !== 'stall') res.writeHead(status).end();
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

function secondOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
const digest = (name: string): string => Buffer.from(name.padEnd(32, '.')).toString('hex');

/** The output with stable names in place of those of this run. */
async function doctor(...args: string[]) {
  const given = ['--project', d.project, '--url', d.url, '--sql', d.sql.directory];
  const { code, stdout, stderr } = await runCommand(main, [...given, ...args], d.env);
  const text = stdout
    .replaceAll(d.project, 'P')
    .replaceAll(d.url, 'URL')
    .replaceAll(proxy.host, 'EMULATOR')
    .replaceAll(d.sql.directory, 'SQL');
  return { code, stderr, lines: text.trimEnd().split('\n') };
}

const HEALTHY = [
  '✓ Address: URL answers, and asks for a key',
  '✓ Table: analytics.events has its columns',
  '✓ Table: crm.customers has its columns',
  '✓ Table: orders has its columns',
  '✓ Table: visits has its columns',
  '✓ Warming: the last run refreshed all results',
  '✓ Keys: 1 valid key',
  '✓ Cloud Scheduler: the job warm runs every 5 minutes',
];

it('finds nothing wrong with a healthy deployment, and exits with 0', async () => {
  expect(await doctor()).toEqual({ code: 0, stderr: '', lines: HEALTHY });
});

const NETWORK = 'check the network, proxy and firewall, or wait longer: --timeout';
const PLACE = '--project P --location europe-west1 --job warm';
const KEYS = '--project P --database saved-queries-keys';
const LOG = (event: string) =>
  `gcloud logging read 'jsonPayload.event="${event}"' --limit=5 --project=P`;
const CHANGE = 'npm run deploy, or infra/README.md#change-a-table';
const MISSING = 'npm run deploy, or correct its table.json';
const MORE_TIME =
  'add warming.batchOver, or raise WARM_CONCURRENCY or cacheWarmingSeconds: docs/troubleshooting-operations.md#warming-does-not-run';
const SOON = secondOf(Date.now() + 3 * DAY_MS);
const job = (change: object) => (scheduler.job = { ...scheduler.job, ...change });
/** By what is said: what is put in, and what it leads to where it is no fault but a warning. */
const CASES: Record<string, (() => unknown) | readonly ['warning', () => unknown]> = {
  [`The dataset P.saved_query_logs does not exist — ${MISSING}`]: () =>
    (d.dataset = [404, 'Not found: Dataset']),
  'The API bigquery.googleapis.com is disabled: run "gcloud services enable bigquery.googleapis.com" for the project.':
    () =>
      (d.dataset = [403, 'BigQuery API (bigquery.googleapis.com) has not been used in project 7']),
  'Permission denied for P.saved_query_logs: ask for the role BigQuery Data Viewer.': () =>
    (d.dataset = [403, 'Access Denied']),
  'The dataset P.saved_query_logs is in US, but queries run in EU — set bigquery_location, or --dataset-location US':
    () => (d.dataset = { location: 'US' }),
  'BigQuery answers with status 503.': () =>
    (d.dataset = [503, 'BigQuery answers with status 503.']),
  [`The table P.saved_query_logs.orders does not exist — ${MISSING}`]: () =>
    delete d.tables['saved_query_logs.orders'],
  [`The table P.crm.customers does not exist — ${MISSING}`]: () => delete d.tables['crm.customers'],
  [`The table P.raw.visits does not exist — ${MISSING}`]: () => delete d.tables['raw.visits'],
  [`P.saved_query_logs.orders lacks the column lines.price FLOAT64 — ${CHANGE}`]: () =>
    d.alter('saved_query_logs.orders', {
      schema: { fields: columns('id STRING, at TIMESTAMP, lines RECORD REPEATED (other FLOAT)') },
    }),
  [`P.crm.customers has id as INT64, but schema.json says STRING — ${CHANGE}`]: () =>
    d.alter('crm.customers', { schema: { fields: columns('ID INTEGER') } }),
  [`No run of warm is recorded in saved-queries — npm run warm -- run --wait ${PLACE}`]: () =>
    d.results.doc('runs/warm').delete(),
  [`The last run of warm failed — ${LOG('warm_failed')}`]: () => d.run(),
  [`The last run of warm could not refresh 3 results — ${LOG('warm_entry_failed')}`]: () =>
    d.run({ ...COUNTS, failed: 3 }),
  [`The last run of warm had no time for 4 results — ${MORE_TIME}`]: () =>
    d.run({ ...COUNTS, leftOver: 4 }),
  'Warming does not list all results that are read — raise WARM_MAX_ENTRIES': () =>
    d.run({ ...COUNTS, listingCut: true }),
  'WARM_BYTES_PER_DAY left out 5 results — raise it, or see docs/reference/cost.md#bounds': () =>
    d.run({ ...COUNTS, overBytes: 5 }),
  [`There is no valid API key in saved-queries-keys — npm run keys -- create NAME --endpoints '*' ${KEYS}`]:
    () => d.key('dashboard', { revokedAtMs: Date.now() - 1 }),
  [`The key partner expires at ${SOON} — npm run keys -- rotate partner --expires 90d ${KEYS}`]: [
    'warning',
    () => d.key('partner', { expiresAtMs: Date.parse(SOON) }),
  ],
  [`1 document in apiKeys open nothing, because they are not valid keys — npm run keys -- list ${KEYS}`]:
    ['warning', () => d.keys.doc('apiKeys/other').set({ name: 1 })],
  'The job projects/P/locations/europe-west1/jobs/warm does not exist.': () =>
    (scheduler.failWith = { code: 5 }),
  'Permission denied for projects/P/locations/europe-west1/jobs/warm: ask for the role Cloud Scheduler Admin.':
    () => (scheduler.failWith = { code: 7 }),
  'The API cloudscheduler.googleapis.com is disabled: run "gcloud services enable cloudscheduler.googleapis.com" for the project.':
    () => (scheduler.failWith = { code: 7, details: DISABLED }),
  'No credentials found: run "gcloud auth application-default login".': () =>
    (scheduler.failWith = { code: 16 }),
  [`The scheduler job warm is paused — npm run warm -- resume ${PLACE}`]: () =>
    job({ state: 'PAUSED', lastAttemptTime: { seconds: 1 } }),
  'The scheduler job warm has the schedule 0 * * * *, not */5 * * * * — npm run deploy': () =>
    job({ schedule: '0 * * * *' }),
  [`The scheduler job warm has never run — npm run warm -- run --wait ${PLACE}`]: () =>
    job({ lastAttemptTime: null }),
  [`The scheduler job warm last ran 20 minutes ago — npm run warm -- run --wait ${PLACE}`]: () =>
    job({ lastAttemptTime: { seconds: Math.floor(Date.now() / 1000) - 1200 } }),
  'The scheduler job warm may not call warm (it lost roles/run.invoker) — npm run deploy': () =>
    job({ status: { code: 7 } }),
  [`The scheduler job warm failed in its last attempt with code 14: busy — ${LOG('warm_failed')}`]:
    () => job({ status: { code: 14, message: 'busy' } }),
  'URL answers 403 before query is asked: the invoker check refuses — docs/troubleshooting-operations.md#the-plan-or-the-apply-is-refused':
    () => (d.health = d.list = 403),
  'URL answers 503 to GET /health — check the address, the ingress and the log of query': () =>
    (d.health = 503),
  'URL answers 200, not 401, to GET /api/endpoints without a key — check that it is the address of query, and nothing adds a key':
    () => (d.list = 200),
};

it.each(Object.entries(CASES))('%s', async (expected, given) => {
  const [level, put] = typeof given === 'function' ? (['fault', given] as const) : given;
  await put();
  const { code, stderr, lines } = await doctor();
  const found = lines.filter((line) => /^[✗!]/.test(line));
  expect(found).toEqual([`${level === 'fault' ? '✗' : '!'} ${expected}`]);
  expect([code, stderr]).toEqual(level === 'fault' ? [1, 'Error: 1 fault\n'] : [0, '']);
});

it('a run of warm that ended long ago is a fault', () => {
  const run = { catalogueDigest: '', demands: new Map(), counts: COUNTS, endedAtMs: 0 };
  const place = { project: 'P', location: 'europe-west1', job: 'warm' } as Deployment;
  expect(faultsOfRun(run, 25 * MINUTE_MS, place).map(({ text }) => text)).toEqual([
    `The last run of warm ended 25 minutes ago — npm run warm -- status ${PLACE}`,
  ]);
  expect(faultsOfRun(run, 14 * MINUTE_MS, place)).toEqual([]);
});

const LATE = (name: string) => `${name} does not answer within 1 s`;
it.each<[string, () => unknown, string]>([
  ['BigQuery', () => (d.dataset = 'stall'), `${LATE('BigQuery')} — ${NETWORK}`],
  [
    'Firestore',
    () => (proxy.fault = () => 'stall'),
    'Firestore does not answer at EMULATOR (FIRESTORE_EMULATOR_HOST).',
  ],
  [
    'Cloud Scheduler',
    () => (scheduler.failWith = 'stall'),
    `${LATE('Cloud Scheduler')} — ${NETWORK}`,
  ],
  [
    'the address',
    () => (d.health = 'stall'),
    `${LATE('URL')} — check the address, the ingress and the log of query`,
  ],
])('%s that hangs hides no other fault', async (_, put, expected) => {
  put();
  d.list = 200;
  const { code, lines } = await doctor('--timeout', '1');
  const found = lines.filter((line) => line.startsWith('✗'));
  expect(found).toHaveLength(2);
  expect(found).toContain(`✗ ${expected}`);
  expect(found.join('\n')).toContain('✗ URL answers 200, not 401, to GET /api/endpoints');
  expect(code).toBe(1);
});

it('missing credentials are one fault, and the address is still asked', async () => {
  for (const name of Object.keys(d.env)) d.env[name] = '';
  d.env.GOOGLE_APPLICATION_CREDENTIALS = '/missing.json';
  const { lines } = await doctor();
  expect(lines).toEqual([
    '✓ Address: URL answers, and asks for a key',
    expect.stringMatching(/^✗ .*\/missing.json/),
  ]);
});

describe('with --terraform', () => {
  const withTerraform = (body: string) => {
    const folder = testDirectory('terraform-');
    writeFileSync(join(folder, 'terraform'), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    const env = { ...d.env, PATH: `${folder}:/bin`, GOOGLE_CLOUD_PROJECT: '' };
    return runCommand(main, ['--terraform', 'infra', '--sql', d.sql.directory], env);
  };

  it('takes the names of the deployment from its outputs', async () => {
    const { project, url } = d;
    const deployment = { project, location: 'l1', job: 'j1', database: 'saved-queries' };
    const values = { deployment, dataset: `${project}.saved_query_logs`, query_url: url };
    const outputs = Object.entries(values).map(([name, value]) => [name, { value }]);
    const text = JSON.stringify(Object.fromEntries(outputs));
    const asked = '[ "$*" = "-chdir=infra output -json -no-color" ]';
    const found = await withTerraform(`${asked} && echo '${text}'`);
    expect(found).toMatchObject({ code: 0, stderr: '' });
    expect(scheduler.calls.map(({ name }) => name)).toEqual([
      `projects/${project}/locations/l1/jobs/j1`,
    ]);
    expect(d.calls).toContain('GET /health');
  });

  const ERROR = String.raw`printf '\033[31m╷\n│ \033[1mError: \033[0mBackend initialization required, please run "terraform init"\n│ \n│ Reason: …\n╵\n' >&2; exit 1`;
  it.each([
    [
      'echo {}',
      'Terraform has no deployment in infra: run "npm run deploy" first, or name the project with --project.',
    ],
    [
      ERROR,
      'Terraform cannot read the state of infra: Backend initialization required, please run "terraform init".',
    ],
    ['exit 1', 'Terraform cannot read the state of infra: it fails without a message.'],
  ])('says in one sentence why there are none: %s', async (body, fault) => {
    expect(await withTerraform(body)).toEqual(refusal(fault));
  });
});

it('without an address, says that it was not asked', async () => {
  const args = ['--project', d.project, '--sql', d.sql.directory];
  const { code, stdout } = await runCommand(main, args, d.env);
  expect(code).toBe(0);
  expect(stdout).toContain(
    '· not checked: whether callers reach query — name its address: --url, or --terraform\n',
  );
});

it.each(
  Object.entries({
    '': 'Specify the deployment: --project, --terraform or GOOGLE_CLOUD_PROJECT.',
    '--url abc --project p':
      "option '--url <url>' argument 'abc' is invalid. It must be an http or https address. See --help.",
    '--fix': "unknown option '--fix'. See --help.",
  }),
)('a wrong command line asks nothing: npm run doctor -- %s', async (command, message) => {
  const env = { ...d.env, GOOGLE_CLOUD_PROJECT: '' };
  expect(await runCommand(main, wordsOf(command), env)).toEqual(refusal(message, 2));
  expect([d.calls, scheduler.calls, proxy.calls]).toEqual([[], [], []]);
});

it('looks at no deployment whose Firestore is an emulator', async () => {
  const env = { FIRESTORE_EMULATOR_HOST: EMULATOR, GOOGLE_CLOUD_PROJECT: d.project };
  expect(await runCommand(main, ['--sql', d.sql.directory], env)).toEqual(
    refusal(
      'doctor looks at a deployment, not at an emulator: unset FIRESTORE_EMULATOR_HOST and BIGQUERY_EMULATOR_HOST.',
      2,
    ),
  );
});
