// Tests of `npm run doctor` with the real clients: a healthy deployment of stand-ins, and faults put into it by hand.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Timestamp } from '@google-cloud/firestore';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { createFirestoreRefreshStore } from '../../functions/google/refresh-store.ts';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { main } from '../../scripts/doctor.ts';
import type { Deployment } from '../../scripts/doctor/deployment.ts';
import { faultsOfRun } from '../../scripts/doctor/warming.ts';
import { refusal, runCommand, wordsOf } from '../support/command.ts';
import { JOB, startFakeScheduler } from '../support/fakes/fake-scheduler.ts';
import { startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { listen } from '../support/service/listen.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../support/sql/fake-sql-tree.ts';
import { columns } from '../support/sql/columns.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { undo } from '../support/undo.ts';

const EMULATOR = process.env.FIRESTORE_EMULATOR_HOST ?? '';
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const ID = endpointDefinition().id;
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
  for (const call of d.calls) expect(call).toMatch(/^(GET|POST \/projects\/P\/jobs dryRun$)/);
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
    .endpoint(
      { parameters: { shop: parameter() } },
      'SELECT COUNT(*) AS count FROM orders WHERE id = @shop',
    );
  const shard = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const table = (list: string, others: object = {}): Record<string, unknown> => ({
    ...{ type: 'TABLE', schema: { fields: columns(list) }, numRows: '5' },
    ...{ lastModifiedTime: String(Date.now()), ...others },
  });
  const tables: Record<string, Record<string, unknown> | Failure> = {
    'saved_query_logs.orders': table(`${ORDERS}, more STRING`, {
      timePartitioning: { type: 'DAY', field: 'at' },
    }),
    'saved_query_logs.visits': table('at DATE', { type: 'VIEW' }),
    'raw.visits': table('day DATE', { timePartitioning: { type: 'MONTH', field: 'day' } }),
    'crm.customers': table('id STRING'),
    [`analytics.events_${shard}`]: table('id STRING'),
  };
  const state = {
    ...{ project, results, keys, sql, tables, calls: [] as string[] },
    dataset: { location: 'EU' } as { location: string } | Failure,
    dryRun: (_: string): number | Failure => 1000,
    health: 200 as number | 'stall',
    list: 401,
    env: {} as Record<string, string>,
    url: '',
    alter: (name: string, change: object) => Object.assign(tables[name] ?? {}, change),
    run: (counts?: Record<string, number | boolean>) => {
      const record = { catalogueDigest: 'd', demandedMs: new Map<string, number>(), counts };
      return createFirestoreRefreshStore(results).recordRun(record);
    },
    key: (name: string, fields: object = {}) => {
      const key = { name, endpoints: ['*'], createdAtMs: Date.now() - DAY_MS, ...fields };
      return createKeyRegister(keys).set(digest(name), key);
    },
  };
  const answer = (req: IncomingMessage, res: ServerResponse, body: unknown): void => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    const { configuration } = (body ?? {}) as {
      configuration?: { dryRun?: boolean; query: { query: string } };
    };
    const dry = configuration?.dryRun ? ' dryRun' : '';
    state.calls.push(`${req.method} ${pathname.replace(project, 'P')}${dry}`);
    const [, dataset = '', name] = /\/datasets\/(\w+)(?:\/tables\/(.*))?$/.exec(pathname) ?? [];
    const read = configuration ? state.dryRun(configuration.query.query) : undefined;
    const bytes = typeof read === 'number' ? statistics(read) : read;
    const found = name ? tables[`${dataset}.${name}`] : state.dataset;
    const said = bytes ?? found ?? [404, `Not found: Table ${project}:${dataset}.${name}`];
    if (said === 'stall') return;
    const [code, message] = Array.isArray(said) ? said : [200, ''];
    res.writeHead(code, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(code === 200 ? said : { error: { code, message } }));
  };
  const bigquery = await listen(
    createServer((req, res) => {
      void json(req).then(
        (body) => answer(req, res, body),
        () => answer(req, res, undefined),
      );
    }),
  );
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
const statistics = (bytes: number) => ({ statistics: { totalBytesProcessed: String(bytes) } });
const digest = (name: string): string => Buffer.from(name.padEnd(32, '.')).toString('hex');

/** The output with stable names in place of those of this run. */
async function doctor(...args: string[]) {
  const given = ['--project', d.project, '--url', d.url, '--sql', d.sql.directory];
  const { code, stdout, stderr } = await runCommand(main, [...given, ...args], d.env);
  const text = stdout
    .replaceAll(d.project, 'P')
    .replaceAll(d.url, 'URL')
    .replaceAll(d.sql.directory, 'SQL');
  return { code, stderr, lines: text.trimEnd().split('\n') };
}

const HEALTHY = [
  '✓ BigQuery: the dataset P.saved_query_logs is in EU',
  '✓ Table: analytics.events has its columns and its partitions',
  '✓ Table: crm.customers has its columns and its partitions',
  '✓ Table: orders has its columns and its partitions',
  '✓ Table: visits has its columns and its partitions',
  '✓ Queries: BigQuery accepts 1 endpoint',
  '✓ Firestore: the database saved-queries answers',
  '✓ Warming: the last run refreshed all results',
  '✓ Firestore: the database saved-queries-keys answers',
  '✓ Keys: 1 valid key',
  '✓ Cloud Scheduler: the job warm runs every 5 minutes',
  '✓ Address: URL answers, and asks for a key',
  "· not checked: what the service accounts may do — gcloud projects get-iam-policy P --flatten='bindings[].members' --filter='bindings.members:serviceAccount', and bq get-iam-policy DATASET.TABLE",
];

it('finds nothing wrong with a healthy deployment, and exits with 0', async () => {
  expect(await doctor()).toEqual({ code: 0, stderr: '', lines: HEALTHY });
});

const NETWORK = 'check the network, proxy and firewall, or wait longer: --timeout';
const PLACE = '--project P --location europe-west1 --job warm';
const KEYS = '--project P --database saved-queries-keys';
const LOG = (event: string) =>
  `gcloud logging read 'jsonPayload.event="${event}"' --limit=5 --project=P`;
const GRANT =
  'bq --project_id=P add-iam-policy-binding --member=user:YOU --role=roles/bigquery.dataViewer P:';
const VIEWER = 'gcloud projects add-iam-policy-binding P --member=user:YOU --role=roles/';
const CHANGE = 'npm run deploy, or infra/README.md#change-a-table';
const MORE_TIME =
  'add warm.sql, or raise WARM_CONCURRENCY or cacheWarmingSeconds: docs/troubleshooting-operations.md#warming-does-not-run';
const QUERY = 'query --region=europe-west1 --project=P';
const SOON = secondOf(Date.now() + 3 * DAY_MS);
const BEFORE = secondOf(Date.now() - 3 * DAY_MS);
const job = (change: object) => (scheduler.job = { ...scheduler.job, ...change });
/** By what is said: what is put in, and what it leads to where it is no fault but a warning. */
const CASES: Record<string, (() => unknown) | readonly ['warning', () => unknown]> = {
  [`The dataset P.saved_query_logs does not exist — npm run deploy`]: () =>
    (d.dataset = [404, 'Not found: Dataset']),
  'The project P does not exist — gcloud projects list': () =>
    (d.dataset = [404, 'Not found: Project P']),
  'The API bigquery.googleapis.com is disabled in P — gcloud services enable bigquery.googleapis.com --project P':
    () => (d.dataset = [403, 'BigQuery API has not been used in project 7 before']),
  'The dataset P.saved_query_logs is in US, but queries run in EU — set bigquery_location to US and npm run deploy, or --dataset-location US':
    () => (d.dataset = { location: 'US' }),
  [`BigQuery cannot be asked (BigQuery answers with status 503) — ${NETWORK}`]: () =>
    (d.dataset = [503, 'BigQuery answers with status 503.']),
  'The table P.saved_query_logs.orders does not exist — npm run deploy': () =>
    delete d.tables['saved_query_logs.orders'],
  'The table P.crm.customers does not exist — correct table in SQL/sources/crm.customers/table.json, or create it':
    () => delete d.tables['crm.customers'],
  [`You may not read the table P.raw.visits — ${GRANT}raw.visits`]: () =>
    (d.tables['raw.visits'] = [403, 'Access Denied']),
  [`P.saved_query_logs.orders lacks the column lines.price FLOAT64 — ${CHANGE}`]: () =>
    d.alter('saved_query_logs.orders', {
      schema: { fields: columns('id STRING, at TIMESTAMP, lines RECORD REPEATED (other FLOAT)') },
    }),
  [`P.crm.customers has id as INT64, but schema.json says STRING — ${CHANGE}`]: () =>
    d.alter('crm.customers', { schema: { fields: columns('ID INTEGER') } }),
  'P.saved_query_logs.orders has the partitions HOUR of at, but table.json says DAY of at — correct partitioning in sources/orders/table.json, or infra/README.md#change-a-table':
    () => d.alter('saved_query_logs.orders', { timePartitioning: { type: 'HOUR', field: 'at' } }),
  'P.crm.customers has no rows — look at what writes to it': [
    'warning',
    () => d.alter('crm.customers', { numRows: '0' }),
  ],
  'P.raw.visits last changed 3 days ago — look at what writes to it': [
    'warning',
    () => d.alter('raw.visits', { lastModifiedTime: String(Date.now() - 3 * DAY_MS) }),
  ],
  'group.example/query.sql: Unrecognized name: id at [1:45] — npm run check -- group.example': () =>
    (d.dryRun = (sql) => (sql.includes('COUNT') ? [400, 'Unrecognized name: id at [1:45]'] : 0)),
  [`The source orders: Access Denied: Table P:saved_query_logs.orders: denied — ${GRANT}saved_query_logs.orders`]:
    () =>
      (d.dryRun = (sql) =>
        sql.startsWith('SELECT 1 FROM `orders`')
          ? [403, `Access Denied: Table ${d.project}:saved_query_logs.orders: denied`]
          : 0),
  'group.example/query.sql reads 20 GiB, more than MAX_BYTES_BILLED (10 GiB) — filter the partitions (docs/reference/pruning.md), or raise it':
    () => (d.dryRun = (sql) => (sql.includes('COUNT') ? 20 * 1024 ** 3 : 0)),
  'group.example/query.sql reads 2 GiB, more than maxBytesBilled of endpoint.json (1 GiB) — filter the partitions (docs/reference/pruning.md), or raise it':
    () => {
      const path = 'endpoints/group.example/endpoint.json';
      d.sql.replace(path, '{', `{"maxBytesBilled": ${1024 ** 3},`);
      d.dryRun = (sql) => (sql.includes('COUNT') ? 2 * 1024 ** 3 : 0);
    },
  'SQL has 1 fault — npm run check -- --sql SQL': () =>
    d.sql.write('endpoints/group.example/query.sql', 'SELECT @other, @shop'),
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
  [`Warming does not keep up: 1 result in use expired, such as one of group.example — ${MORE_TIME}`]:
    async () => {
      const ago = (minutes: number) => Timestamp.fromMillis(Date.now() - minutes * MINUTE_MS);
      const late = { endpointId: ID, lastReadAt: ago(10), freshUntil: ago(9) };
      await d.results.doc('results/late').set(late);
      await d.results.doc('results/unread').set({ ...late, lastReadAt: ago(60) });
      await d.results.doc('results/gone').set({ ...late, endpointId: 'gone' });
      await d.results.doc('results/fresh').set({ ...late, freshUntil: ago(-1) });
    },
  [`There is no valid API key in saved-queries-keys — npm run keys -- create NAME --endpoints '*' ${KEYS}`]:
    () => d.key('dashboard', { revokedAtMs: Date.now() - 1 }),
  [`The key partner expires at ${SOON} — npm run keys -- rotate partner --expires 90d ${KEYS}`]: [
    'warning',
    () => d.key('partner', { expiresAtMs: Date.parse(SOON) }),
  ],
  [`The key partner expired at ${BEFORE} — npm run keys -- create partner --endpoints NAMES ${KEYS}`]:
    [
      'warning',
      async () => {
        const expiresAtMs = Date.parse(BEFORE);
        await d.key('partner', { expiresAtMs });
        await d.key('retired', { expiresAtMs, revokedAtMs: expiresAtMs });
      },
    ],
  [`The key partner names the endpoint group.other, which SQL does not have — npm run keys -- create partner --endpoints NAMES ${KEYS}, then revoke the old key`]:
    () => d.key('partner', { endpoints: ['group.other', 'group.example'] }),
  'The key partner names the parameter shops, which SQL does not have — correct api_keys in infra/terraform.tfvars, and npm run deploy':
    () => d.key('partner', { parameters: { shops: ['a'], shop: ['a'] }, createdAtMs: undefined }),
  [`1 document in apiKeys open nothing, because they are not valid keys — npm run keys -- list ${KEYS}`]:
    ['warning', () => d.keys.doc('apiKeys/other').set({ name: 1 })],
  'The key partner has used 90 % of its bytes of today (bytesPerDay 1000) — docs/reference/api-keys.md#bytes-of-a-day':
    [
      'warning',
      async () => {
        await d.key('partner', { bytesPerDay: 1000 });
        const day = new Date().toISOString().slice(0, 10);
        await d.results.doc(`dayBytes/${digest('partner')}.${day}`).set({ bytes: 900 });
      },
    ],
  'The scheduler job projects/P/locations/europe-west1/jobs/warm does not exist — npm run deploy':
    () => (scheduler.failWith = { code: 5 }),
  [`You may not read the scheduler job projects/P/locations/europe-west1/jobs/warm — ${VIEWER}cloudscheduler.viewer`]:
    () => (scheduler.failWith = { code: 7 }),
  'The API cloudscheduler.googleapis.com is disabled in P — gcloud services enable cloudscheduler.googleapis.com --project P':
    () => (scheduler.failWith = { code: 7, details: DISABLED }),
  'Google accepts no credentials — gcloud auth application-default login': () =>
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
  [`URL answers 403 before query is asked: the invoker check refuses — gcloud run services add-iam-policy-binding ${QUERY} --member=allUsers --role=roles/run.invoker; if an organisation policy (iam.allowedPolicyMemberDomains) refuses allUsers, set public_access (docs/recipes.md)`]:
    () => (d.health = d.list = 403),
  [`URL answers 503 to GET /health — gcloud run services describe ${QUERY}`]: () =>
    (d.health = 503),
  'URL answers 200, not 401, to GET /api/endpoints without a key — check that --url is that of query, and nothing in front of it adds a key':
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
  const run = { catalogueDigest: '', demandedMs: new Map(), counts: COUNTS, endedAtMs: 0 };
  const place = { project: 'P', location: 'europe-west1', job: 'warm' } as Deployment;
  expect(faultsOfRun(run, 25 * MINUTE_MS, place).map(({ text }) => text)).toEqual([
    `The last run of warm ended 25 minutes ago — npm run warm -- status ${PLACE}`,
  ]);
  expect(faultsOfRun(run, 14 * MINUTE_MS, place)).toEqual([]);
});

// Google's client tries again for seven seconds.
const unlessShort = process.env.TESTS === 'short' ? it.skip : it;
unlessShort('names what is wrong with each database', async () => {
  proxy.fault = ({ database }) => ({ status: database === 'saved-queries' ? 9 : 7 });
  const { lines } = await doctor();
  expect(lines.filter((line) => /^[✗!]/.test(line))).toEqual([
    '✗ The Firestore database saved-queries is not in Native mode — choose another name, and npm run deploy',
    `✗ You may not read the Firestore database saved-queries-keys — ${VIEWER}datastore.viewer`,
  ]);
});

const LATE = `does not answer within 1 s — ${NETWORK}`;
it.each<[string, () => unknown, string[]]>([
  ['BigQuery', () => (d.dataset = 'stall'), [`BigQuery ${LATE}`]],
  [
    'a dry run',
    () => (d.dryRun = (sql) => (sql.includes('COUNT') ? 'stall' : 0)),
    [`BigQuery, after 4 of 5 dry runs, ${LATE}`],
  ],
  [
    'Firestore',
    () => (proxy.fault = () => 'stall'),
    [
      `The Firestore database saved-queries ${LATE.replace('1 s', '1.5 s')}`,
      `The Firestore database saved-queries-keys ${LATE.replace('1 s', '1.5 s')}`,
    ],
  ],
  ['Cloud Scheduler', () => (scheduler.failWith = 'stall'), [`Cloud Scheduler ${LATE}`]],
  [
    'the address',
    () => (d.health = 'stall'),
    [`URL does not answer within 1 s — gcloud run services describe ${QUERY}`],
  ],
])('%s that hangs hides no other fault', async (what, put, expected) => {
  put();
  d.list = 200;
  const { code, lines } = await doctor('--timeout', '1');
  const found = lines.filter((line) => line.startsWith('✗')).slice(0, expected.length);
  expect(found).toEqual(expected.map((text) => `✗ ${text}`));
  // Without BigQuery nothing of it is asked.
  expect(lines.join('\n').includes('Table: orders')).toBe(what !== 'BigQuery');
  expect(lines.join('\n')).toContain('✗ URL answers 200, not 401, to GET /api/endpoints');
  expect(code).toBe(1);
});

it('missing credentials are one fault, and the address is still asked', async () => {
  d.env.BIGQUERY_EMULATOR_HOST = '';
  d.env.GOOGLE_APPLICATION_CREDENTIALS = '/missing.json';
  const { lines } = await doctor();
  expect(lines).toEqual([
    expect.stringMatching(
      /^✗ Google accepts no credentials \(.*\/missing.json.*\) — gcloud auth application-default login$/,
    ),
    '✓ Address: URL answers, and asks for a key',
  ]);
});

it('takes the names of the deployment from Terraform', async () => {
  const folder = testDirectory('terraform-');
  const outputs = {
    deployment: { project: d.project, location: 'l1', job: 'j1', database: 'saved-queries' },
    dataset: `${d.project}.saved_query_logs`,
    query_url: d.url,
  };
  const cases = Object.entries(outputs).map(([name, value]) => {
    return `"-chdir=infra output -json ${name}") echo '${JSON.stringify(value)}';;`;
  });
  const body = `#!/bin/sh\ncase "$*" in\n${cases.join('\n')}\nesac\n`;
  writeFileSync(join(folder, 'terraform'), body, { mode: 0o755 });
  const args = ['--terraform', 'infra', '--sql', d.sql.directory];
  const env = { ...d.env, PATH: `${folder}:/bin`, GOOGLE_CLOUD_PROJECT: '' };
  expect(await runCommand(main, args, env)).toMatchObject({ code: 0, stderr: '' });
  expect(scheduler.calls.map(({ name }) => name)).toEqual([
    `projects/${d.project}/locations/l1/jobs/j1`,
  ]);
  expect(d.calls).toContain('GET /health');
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
    '--url abc --project p': '--url must begin with https://, not "abc".',
    '--fix': "unknown option '--fix'. See --help.",
  }),
)('a wrong command line asks nothing: npm run doctor -- %s', async (command, message) => {
  const env = { ...d.env, GOOGLE_CLOUD_PROJECT: '' };
  expect(await runCommand(main, wordsOf(command), env)).toEqual(refusal(message, 2));
  expect([d.calls, scheduler.calls, proxy.calls]).toEqual([[], [], []]);
});
