// `npm start -- --bigquery` in front of a BigQuery that asks for a token: what it asks, costs, prints and cancels.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readSampleRows } from '../../scripts/start/rows/sample-rows.ts';
import { freePort } from '../support/service/free-port.ts';
import { readSources } from '../../scripts/sources/read-sources.ts';
import { main } from '../../scripts/start.ts';
import {
  type BigQueryCall,
  type BigQueryProxy,
  startBigQueryProxy,
} from '../support/bigquery/bigquery-proxy.ts';
import { casesBeside } from '../support/cases.ts';
import { refusal, runCommand, wordsOf } from '../support/command.ts';
import type { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { startLocalBigQuery } from '../support/bigquery/local-bigquery.ts';
import {
  LOCAL_KEY,
  type LocalService,
  startEnvironment,
  startLocalService,
} from '../support/service/local-service.ts';
import {
  type MadeUpCredentials,
  makeUpCredentials,
} from '../support/bigquery/made-up-credentials.ts';
import { SHARDS, runReadme } from '../support/sql/readme-example.ts';
import { until } from '../support/until.ts';
import { COUNT, ORDERS, ordersTree } from '../support/sql/orders-tree.ts';

const local = await startLocalBigQuery({ dataset: 'sales', tables: [ORDERS] });
/** Answers 401 to a call without a token that was given. */
let proxy: BigQueryProxy;
let credentials: MadeUpCredentials;
let tree: FakeSqlTree;

beforeEach(async () => {
  credentials = await makeUpCredentials();
  proxy = await startBigQueryProxy(local.url);
  proxy.fault = refuseStrangers;
  tree = ordersTree();
});

function refuseStrangers({ token = '' }: BigQueryCall) {
  if (credentials.tokens.includes(token)) return 'pass';
  return { code: 401, reason: 'authError', message: 'Invalid Credentials' };
}

function environment(): Record<string, string> {
  return {
    BIGQUERY_EMULATOR_HOST: '',
    BIGQUERY_API_ENDPOINT: proxy.url,
    GOOGLE_APPLICATION_CREDENTIALS: credentials.file,
    CONSOLE: 'off',
  };
}

const ARGUMENTS = ['--bigquery', 'my-project', '--dataset', 'sales', '--location', 'EU'];
function start(args: string[] = [], env: Record<string, string> = {}): Promise<LocalService> {
  const own = args.includes('--sql') ? [] : ['--sql', tree.directory];
  const all = [...own, ...ARGUMENTS, ...args];
  return startLocalService(LOCAL_KEY, all, { ...environment(), ...env });
}

it('uses the credentials of the user, runs no query without a request, and limits the bytes billed', async () => {
  const service = await start([], { MAX_BYTES_BILLED: '20971520', CONSOLE: '' });
  expect(service.stderr()).toBe('');
  expect(service.stdout()).toContain('  BigQuery   project my-project, dataset sales in EU\n');
  expect(service.stdout()).toContain(
    '\nQueries run in BigQuery and cost money now: each bills at most 20 MiB (MAX_BYTES_BILLED).\n',
  );
  expect(service.stdout()).toMatch(/^ {2}curl .*'http:.*\/group\.example\?shop=b'$/m);
  // The console waits for Run.
  const page = await (await fetch(`http://localhost:${service.port}/`)).text();
  expect(page).toMatch(/^<!doctype html>\s*<html lang/);
  expect(proxy.calls).toEqual([]);
  await expect(fetch(`http://localhost:${service.warmPort}/`)).rejects.toThrow('fetch failed');

  const before = proxy.calls.length;
  expect(await service.ask('group.example?shop=b')).toEqual({ result: [{ count: 2 }] });
  expect(await service.ask('group.example?shop=b')).toEqual({ result: [{ count: 2 }] });
  // One call for both, with a token that is still good.
  const calls = proxy.calls.slice(before);
  expect(calls).toMatchObject([
    { kind: 'query', body: { maximumBytesBilled: '20971520', query: COUNT } },
  ]);

  // A definition that changes is checked on this machine, and served.
  tree.write('endpoints/group.example/query.sql', COUNT.replace('shop', 'shops'));
  await until(() => service.stderr().includes('group.example/query.sql:1:44'));
  tree.write('endpoints/group.example/query.sql', COUNT.replace('(*)', '(*) + 1'));
  await until(() => service.stdout().includes('group.example: changed'));
  expect(proxy.calls.slice(before)).toHaveLength(1);
  expect(await service.ask('group.example?shop=b')).toEqual({ result: [{ count: 3 }] });
  await service.stop('SIGTERM');
});

it('reads shards of Google Analytics and a table of another dataset', async () => {
  const sql = join(runReadme(SHARDS), 'sql');
  const sources = await readSources(join(sql, 'sources'));
  const { tables } = await readSampleRows(join(sql, 'sources'), sources, Date.now());
  for (const table of tables) await local.putTable(table);
  const service = await start(['--sql', sql]);
  expect(service.stderr()).toBe('');

  const before = proxy.calls.length;
  expect(await service.ask('shop.purchases?from_day=2026-11-19&to_day=2026-11-20')).toEqual({
    result: [{ country: 'DE', purchases: 2, revenue: 200.5 }],
  });
  expect(await service.ask('shop.purchases?from_day=2026-11-20&to_day=2026-11-20')).toEqual({
    result: [{ country: 'DE', purchases: 1, revenue: 120.5 }],
  });
  const calls = proxy.calls.slice(before);
  expect(calls.map((call) => [call.kind, refuseStrangers(call)])).toEqual([
    ['query', 'pass'],
    ['query', 'pass'],
  ]);
  await service.stop('SIGTERM');
});

it('warms only with --warm-seconds', async () => {
  const service = await start(['--warm-seconds', '1']);
  await service.until(/^warm 200 /m);
  await service.stop('SIGTERM');
});

it('cancels the job of a request on Ctrl-C', async () => {
  const isRead = ({ kind }: BigQueryCall): boolean => kind === 'query' || kind === 'results';
  proxy.fault = (call) => (isRead(call) ? 'unfinished' : refuseStrangers(call));
  const port = await freePort();
  const env = { ...startEnvironment(port, await freePort()), ...environment() };
  // A process group of its own, as in a terminal.
  const child = spawn(
    process.execPath,
    ['scripts/start.ts', '--sql', tree.directory, ...ARGUMENTS],
    { env: { ...process.env, ...env }, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await until(() => text.includes('Ctrl-C'));
  const asked = fetch(`http://localhost:${port}/api/endpoints/query/group.example?shop=b`, {
    headers: { 'X-API-KEY': LOCAL_KEY },
  });
  await until(() => proxy.calls.some(({ kind }) => kind === 'results'));
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await once(child, 'close');
  expect(await (await asked).json()).toMatchObject({
    error: { details: [{ reason: 'INSTANCE_STOPPING' }, {}] },
  });
  const [{ jobId } = { jobId: '' }] = proxy.calls.filter(({ kind }) => kind === 'results');
  const cancelled = proxy.calls.filter(({ kind }) => kind === 'cancel');
  expect(cancelled.map((call) => [call.jobId, refuseStrangers(call)])).toEqual([[jobId, 'pass']]);
});

type Refused = [
  what: string,
  args: string,
  env: Record<string, string>,
  line: string,
  code: number,
];

it.each<Refused>([
  ...casesBeside(import.meta.filename)<Refused>('refused'),
  [
    'credentials that are revoked',
    ARGUMENTS.join(' '),
    {},
    'No credentials found: run "gcloud auth application-default login".',
    1,
  ],
])(
  'stops immediately with one clear line, and runs no query, for %s',
  async (what, args, given, line, code) => {
    if (what === 'credentials that are revoked') credentials.revoke();
    const ports = startEnvironment(await freePort(), await freePort());
    const env = { ...ports, ...environment(), ...given };
    const all = ['--sql', tree.directory, ...wordsOf(args)];
    const stopped = await runCommand(main, all, env);
    // Progress, where the start takes longer than a second.
    const stdout = stopped.stdout.replaceAll(/^\d+ s: .*\n/gm, '');
    expect({ ...stopped, stdout }).toEqual(refusal(line, code));
    expect(proxy.calls.filter(({ kind }) => kind !== 'other')).toEqual([]);
  },
);
