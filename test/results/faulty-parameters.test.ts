// Tests over HTTP, with the real client and engine, whose fault a failed query is: the caller's, or that of rows and SQL.
import type { Server } from 'node:http';
import request from 'supertest';
import { addProbes } from '../../scripts/check/probe.ts';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { createLocalBigQuery } from '../../scripts/local-bigquery/rest/server.ts';
import type { LocalBigQuery } from '../../scripts/local-bigquery/rest/server.ts';
import { startBigQueryProxy } from '../support/bigquery-proxy.ts';
import type { BigQueryFault, BigQueryProxy } from '../support/bigquery-proxy.ts';
import { columns } from '../support/columns.ts';
import { ControlledClock } from '../support/controlled-clock.ts';
import { FakeSqlTree, parameter } from '../support/fake-sql-tree.ts';
import { createLocalQueryRunner } from '../support/local-query-runner.ts';
import { API_KEY, createQueryServer } from '../support/query-server.ts';
import { sharedEngine } from '../support/shared-engine.ts';

const ROW = { day: '2026-11-01', created: '2026-11-01T12:00:00Z', n: 5, code: '7' };
const TABLE = {
  name: 'orders',
  fields: columns('tenant STRING, day DATE, created TIMESTAMP, n INT64, code STRING'),
  rows: [
    { ...ROW, tenant: 'good' },
    { ...ROW, tenant: 'bad', code: 'zzz' },
    { ...ROW, tenant: 'zero', n: 0 },
    { ...ROW, tenant: 'one', n: 1 },
  ],
};

/** By their names; parameters as name, type, example and default. */
const ENDPOINTS = {
  values: [
    'tenant STRING good, since_day STRING 2026-01-01, zone STRING UTC Europe/Berlin, weeks INT64 4, pattern STRING ., divisor INT64 2',
    `SELECT CAST(code AS INT64) AS n FROM orders
    WHERE (@tenant = '' OR tenant = @tenant) AND day >= CAST(@since_day AS DATE)
      AND DATE(created, @zone) < DATE_ADD(CURRENT_DATE(), INTERVAL @weeks WEEK)
      AND REGEXP_CONTAINS(code, @pattern) AND n / @divisor >= 0`,
  ],
  together: [
    'day DATE 2026-01-01, days INT64 30, n INT64 5',
    'SELECT n FROM orders WHERE day < DATE_ADD(@day, INTERVAL @days DAY) LIMIT @n',
  ],
  unread: [
    'tenant STRING good, factor STRING 2 abc',
    `SELECT CAST(code AS INT64) * CAST(@factor AS INT64) AS n FROM orders
    WHERE (@tenant = '' OR tenant = @tenant) AND CAST(code AS INT64) > 0`,
  ],
  ratio: [
    'tenant STRING good',
    "SELECT DIV(SUM(n), COUNTIF(@tenant != '' AND tenant = @tenant)) AS n FROM orders",
  ],
  rows: [
    'tenant STRING good',
    "SELECT DIV(6, n) AS n FROM orders WHERE @tenant = '' OR tenant = @tenant",
  ],
  less: [
    'less INT64 9, factor STRING 2',
    'SELECT DIV(6, n - @less) * CAST(@factor AS INT64) AS n FROM orders ORDER BY tenant',
  ],
  literal: [
    'tenant STRING good',
    "SELECT n FROM orders WHERE REGEXP_CONTAINS(CONCAT(code, @tenant), r'(capt')",
  ],
} as const;

const ID = '11111111-2222-4333-8444-00000000000';
/** Of the query runner; that of the server stands still at the same instant. */
const clock = new ControlledClock('2026-11-20T10:00:00Z');
let bigquery: LocalBigQuery;
let proxy: BigQueryProxy;
let server: Server;

beforeAll(async () => {
  const engine = await sharedEngine();
  bigquery = await createLocalBigQuery({ engine, tables: [TABLE], clock });
  proxy = await startBigQueryProxy(bigquery.url);
  const tree = new FakeSqlTree();
  const row = { n: { type: 'INT64', mode: 'NULLABLE', description: 'A number.' } };
  for (const [index, [name, [list, sql]]] of Object.entries(ENDPOINTS).entries()) {
    const parameters = list.split(', ').map((one) => {
      const [field = '', type = '', example = '', value] = one.split(' ');
      const stated = { type: type as 'STRING', example, ...(value && { default: value }) };
      return [field, parameter(stated)] as const;
    });
    const definition = { parameters: Object.fromEntries(parameters), row };
    tree.endpoint({ id: ID + index, name: `a.${name}`, ...definition }, sql);
  }
  const catalogue = loadCatalogue(tree.directory);
  tree.remove();
  await addProbes(engine, [TABLE], catalogue.endpoints);
  const queryRunner = createLocalQueryRunner(proxy.url, clock);
  ({ server } = createQueryServer({ catalogue, queryRunner }));
});

afterAll(() => Promise.all([proxy.close(), bigquery.close()]));

beforeEach(() => {
  proxy.calls.length = 0;
  proxy.fault = () => 'pass';
  clock.waitFactor = 1;
});

async function ask(endpoint: string, values: Record<string, string>) {
  const answer = await request(server)
    .get(`/api/endpoints/query/a.${endpoint}?${new URLSearchParams(values).toString()}`)
    .set('X-API-KEY', API_KEY);
  const { message, details = [] } = (answer.body as { error?: ErrorBody }).error ?? {};
  const faults = details.flatMap(({ fieldViolations = [] }) => fieldViolations);
  return { status: answer.status, names: faults.map(({ field }) => field), message };
}
interface ErrorBody {
  message: string;
  details: { fieldViolations?: { field: string }[] }[];
}

const probes = () =>
  proxy.calls.filter(
    ({ kind, body }) => kind === 'insert' && JSON.stringify(body).includes('_other'),
  );
const SOUND = {
  tenant: 'good',
  since_day: '2026-10-01',
  weeks: '5',
  pattern: '[0-9z]',
  divisor: '3',
};

it('answers rows where nothing fails, and runs nothing else', async () => {
  expect(await ask('values', SOUND)).toMatchObject({ status: 200 });
  expect(probes()).toEqual([]);
});

it.each([
  [{ since_day: 'banana' }, "since_day FAILS Invalid date: '…'"],
  [
    { since_day: '' },
    "since_day must be given, because without it the query fails: Invalid date: ''",
  ],
  [{ weeks: '99999999' }, 'weeks FAILS Adding … WEEK to date'],
  [{ zone: 'Mars/Base' }, 'zone FAILS Invalid time zone: …'],
  [{ pattern: '(' }, 'pattern FAILS Cannot parse regular expression: missing ): ('],
  [{ divisor: '0' }, 'divisor FAILS division by zero: 1 / 0'],
  [
    { since_day: 'banana', zone: 'Mars/Base' },
    "Invalid date: '…'; zone FAILS Invalid time zone: …",
  ],
])('names the parameters whose values make the query fail: %j', async (changed, message) => {
  const answer = await ask('values', { ...SOUND, ...changed });
  expect(answer).toMatchObject({ status: 400, names: Object.keys(changed) });
  expect(answer.message?.replaceAll('has a value with which the query fails:', 'FAILS')).toContain(
    message,
  );
  expect(answer.message).not.toMatch(/banana|Mars|99999999/);
  expect(probes().length).toBeLessThanOrEqual(10);
});

it.each([
  [
    'two that only fail together',
    'together',
    { day: '9999-06-01', days: '250', n: '5' },
    ['day', 'days'],
  ],
  ['one that limits the rows', 'together', { day: '2026-01-01', days: '30', n: '-1' }, ['n']],
  ['none that only some rows refuse', 'less', { less: '1', factor: 'xyz' }, ['factor']],
])('names %s', async (_name, endpoint, values, names) => {
  expect(await ask(endpoint, values)).toMatchObject({ status: 400, names });
});

it.each([
  ['a bad row of the tenant', 'values', { ...SOUND, tenant: 'bad' }, 3],
  ['a bad row of any tenant', 'values', { ...SOUND, tenant: '' }, 3],
  ['a bad row, before a bad value is read', 'unread', { tenant: 'bad', factor: 'xyz' }, 5],
  ['a default that fails', 'unread', { tenant: 'good' }, 0],
  ['a number of rows, by which is divided', 'ratio', { tenant: 'nobody' }, 0],
  ['a zero in the rows of the tenant', 'rows', { tenant: 'zero' }, 0],
  ['a zero in the rows of any tenant', 'rows', { tenant: '' }, 0],
  ['a number that one of the rows has', 'less', { less: '1', factor: '2' }, 3],
  ['a pattern in the SQL', 'literal', { tenant: 'good' }, 0],
])('does not blame the caller for %s', async (_name, endpoint, values, jobs) => {
  const answer = await ask(endpoint, values);
  expect(answer).toEqual({ status: 500, names: [], message: 'Internal error.' });
  expect(probes()).toHaveLength(jobs);
});

const DENIED = { code: 403, reason: 'accessDenied' };
it.each<[string, number, BigQueryFault]>([
  ['refused', 1, DENIED],
  ['refused half-way', 4, DENIED],
  ['never answered', 1, 'stall'],
  [
    'failing with the examples too',
    1,
    { code: 400, reason: 'invalidQuery', message: "Invalid date: ''" },
  ],
])('keeps the error of the query where the probe is %s', async (_name, from, fault) => {
  proxy.fault = ({ kind, jobId }) => {
    // The query itself has answered by then.
    if (fault === 'stall' && kind === 'results') clock.waitFactor = 0.05;
    const isOfProbe =
      kind === 'results' &&
      probes()
        .slice(from - 1)
        .some((probe) => probe.jobId === jobId);
    return isOfProbe ? fault : 'pass';
  };
  const answer = await ask('values', { ...SOUND, since_day: '' });
  expect(answer).toMatchObject({ status: 500, names: [] });
  expect(probes().length).toBeGreaterThanOrEqual(from);
});
