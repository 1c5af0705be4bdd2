// Tests over HTTP whose fault a failed query is, with the real client, engine and stores: the caller's, or that of rows and SQL.
import type { Server } from 'node:http';
import type { Firestore } from '@google-cloud/firestore';
import request from 'supertest';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import { addProbes } from '../../scripts/check/probe.ts';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import {
  type LocalBigQuery,
  createLocalBigQuery,
} from '../../scripts/local-bigquery/rest/server.ts';
import {
  type BigQueryFault,
  type BigQueryProxy,
  startBigQueryProxy,
} from '../support/bigquery-proxy.ts';
import { ControlledClock } from '../support/controlled-clock.ts';
import { FakeSqlTree, parameter } from '../support/fake-sql-tree.ts';
import { connectFirestore } from '../support/firestore-emulators.ts';
import { API_KEY, createTestService, storeKey } from '../support/service.ts';
import { sharedEngine } from '../support/shared-engine.ts';

const NOW = '2026-11-20T10:00:00Z';
const FIELDS = ['tenant STRING', 'day DATE', 'created TIMESTAMP', 'n INT64', 'code STRING'].map(
  (field) => ({ name: field.split(' ')[0] ?? '', type: field.split(' ')[1] ?? '' }),
);
const ORDER = { day: '2026-11-01', created: '2026-11-01T12:00:00Z', n: 5, code: '7' };
/** The rows of one tenant are bad: a code that is no number, and a number by which nothing can be divided. */
const ROWS = [
  { ...ORDER, tenant: 'good' },
  { ...ORDER, tenant: 'bad', code: 'zzz' },
  { ...ORDER, tenant: 'bad', n: 0 },
];

const tenant = parameter({ example: 'good' });
const of = (type: 'INT64' | 'DATE', example: string) =>
  parameter({ type, example, required: true });
const QUERIES: [parameters: Record<string, object>, sql: string][] = [
  [
    {
      tenant,
      from: parameter({ example: '2026-01-01' }),
      zone: parameter({ example: 'UTC', default: 'Europe/Berlin' }),
      weeks: of('INT64', '4'),
      pattern: parameter({ example: '.' }),
      divisor: of('INT64', '2'),
    },
    `SELECT CAST(code AS INT64) AS n FROM orders
    WHERE (@tenant = '' OR tenant = @tenant) AND day >= CAST(@from AS DATE)
      AND DATE(created, @zone) < DATE_ADD(CURRENT_DATE(), INTERVAL @weeks WEEK)
      AND REGEXP_CONTAINS(code, @pattern) AND n / @divisor >= 0`,
  ],
  [
    { from: of('DATE', '2026-01-01'), days: of('INT64', '30'), n: of('INT64', '5') },
    'SELECT n FROM orders WHERE day < DATE_ADD(@from, INTERVAL @days DAY) LIMIT @n',
  ],
  [
    { tenant, factor: parameter({ example: '2' }) },
    `SELECT CAST(code AS INT64) * CAST(@factor AS INT64) AS n FROM orders
    WHERE (@tenant = '' OR tenant = @tenant) AND CAST(code AS INT64) > 0`,
  ],
  [
    { tenant },
    "SELECT DIV(SUM(n), COUNTIF(IF(@tenant = '', TRUE, tenant = @tenant))) AS n FROM orders",
  ],
  [{ tenant }, "SELECT DIV(6, n) AS n FROM orders WHERE @tenant = '' OR tenant = @tenant"],
  [{ tenant }, "SELECT n FROM orders WHERE REGEXP_CONTAINS(CONCAT(code, @tenant), r'(capt')"],
];
const NAMES = ['values', 'together', 'unread', 'ratio', 'rows', 'literal'];

let bigquery: LocalBigQuery;
let proxy: BigQueryProxy;
let firestore: Firestore;
let clock: ControlledClock;
let catalogue: Catalogue;
let server: Server;

beforeAll(async () => {
  const engine = await sharedEngine();
  const tables = [{ name: 'orders', fields: FIELDS, rows: ROWS }];
  clock = new ControlledClock(NOW);
  bigquery = await createLocalBigQuery({ engine, tables, clock });
  proxy = await startBigQueryProxy(bigquery.url);
  firestore = connectFirestore(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  await storeKey(firestore);
  const tree = new FakeSqlTree();
  const row = { n: { type: 'INT64', mode: 'NULLABLE', description: 'A number.' } };
  for (const [index, [parameters, sql]] of QUERIES.entries()) {
    const id = `11111111-2222-4333-8444-00000000000${index}`;
    tree.endpoint({ id, name: `a.${NAMES[index]}`, parameters, row }, sql);
  }
  catalogue = loadCatalogue(tree.directory);
  tree.remove();
  await addProbes(engine, tables, catalogue.endpoints);
  ({ server } = createTestService({ clock, firestore, bigQueryUrl: proxy.url, catalogue }));
});

afterAll(async () => {
  await firestore.terminate();
  await proxy.close();
  await bigquery.close();
});

beforeEach(() => {
  proxy.calls.length = 0;
  proxy.fault = () => 'pass';
  clock.waitFactor = 1;
});

async function ask(endpoint: string, values: string) {
  const answer = await request(server)
    .get(`/api/endpoints/query/a.${endpoint}?${values}`)
    .set('X-API-KEY', API_KEY);
  const { error } = answer.body as {
    error?: { message: string; details: { fieldViolations?: { field: string }[] }[] };
  };
  const faults = error?.details.flatMap(({ fieldViolations = [] }) => fieldViolations) ?? [];
  return {
    status: answer.status,
    names: faults.map(({ field }) => field),
    message: error?.message,
  };
}

const sqlOf = (call: BigQueryProxy['calls'][number]): string =>
  (call.body as { configuration: { query: { query: string } } }).configuration.query.query;
const probes = () =>
  proxy.calls.filter((call) => call.kind === 'insert' && sqlOf(call).startsWith('SELECT LENGTH('));
const SOUND = { tenant: 'good', from: '2026-01-01', weeks: '4', pattern: '.', divisor: '2' };
const valuesOf = (changed: Record<string, string>): string =>
  new URLSearchParams({ ...SOUND, ...changed }).toString();

it('answers rows where nothing fails, and runs nothing else', async () => {
  expect(await ask('values', valuesOf({}))).toMatchObject({ status: 200 });
  expect(probes()).toEqual([]);
});

it.each([
  [{ from: 'banana' }, ['from'], "from has a value with which the query fails: Invalid date: '…'"],
  [
    { from: '' },
    ['from'],
    "from must be given, because without it the query fails: Invalid date: ''",
  ],
  [{ weeks: '99999999' }, ['weeks'], 'weeks has a value with which the query fails: Adding …'],
  [
    { zone: 'Mars/Base' },
    ['zone'],
    'zone has a value with which the query fails: Invalid time zone: …',
  ],
  [{ pattern: '(' }, ['pattern'], 'pattern has a value with which the query fails: Cannot parse'],
  [
    { divisor: '0' },
    ['divisor'],
    'divisor has a value with which the query fails: division by zero',
  ],
  [{ from: 'banana', zone: 'Mars/Base' }, ['from', 'zone'], "fails: Invalid date: '…'; zone has"],
])('names the parameters whose values make the query fail: %j', async (changed, names, message) => {
  const answer = await ask('values', valuesOf(changed));
  expect(answer).toMatchObject({ status: 400, names });
  expect(answer.message).toContain(message);
  expect(answer.message).not.toMatch(/banana|Mars|99999999|made/);
  expect(probes().length).toBeLessThanOrEqual(5);
});

it('names two parameters that only fail together, and one that limits the rows', async () => {
  expect(await ask('together', 'from=9999-06-01&days=250&n=5')).toMatchObject({
    status: 400,
    names: ['from', 'days'],
  });
  expect(await ask('together', 'from=2026-01-01&days=30&n=-1')).toMatchObject({
    status: 400,
    names: ['n'],
  });
});

it.each([
  ['a bad row of the tenant asked for', 'values', valuesOf({ tenant: 'bad' })],
  ['a bad row of all tenants', 'values', valuesOf({ tenant: '' })],
  ['a bad row, before a bad value is read', 'unread', 'tenant=bad&factor=abc'],
  ['a tenant without rows, by whose number is divided', 'ratio', 'tenant=nobody'],
  ['a zero in the rows of the tenant asked for', 'rows', 'tenant=bad'],
  ['a zero in the rows of all tenants', 'rows', 'tenant='],
  ['a pattern in the SQL', 'literal', 'tenant=good'],
])('does not blame the caller for %s', async (_name, endpoint, values) => {
  expect(await ask(endpoint, values)).toEqual({
    status: 500,
    names: [],
    message: 'Internal error.',
  });
});

it.each<[string, number, BigQueryFault]>([
  ['refused', 1, { code: 403, reason: 'accessDenied' }],
  ['refused half-way', 4, { code: 403, reason: 'accessDenied' }],
  ['never answered', 1, 'stall'],
  ['answered with rows of something else', 1, { answer: { body: '{}' } }],
])('keeps the error of the query where the probe is %s', async (_name, from, fault) => {
  clock.waitFactor = 0.05;
  proxy.fault = (call) => (probes().includes(call) && probes().length >= from ? fault : 'pass');
  expect(await ask('values', valuesOf({ from: 'banana' }))).toMatchObject({
    status: 500,
    names: [],
  });
  expect(probes().length).toBeGreaterThanOrEqual(from);
});
