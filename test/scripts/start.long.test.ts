// Tests of `npm start`: the printed lines work, and each fault is reported in one line.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { freePort } from '../support/service/free-port.ts';
import { runLocally } from '../support/bigquery/local-bigquery.ts';
import { CONSOLE_PAGE } from '../../scripts/compile/console-page.ts';
import { main } from '../../scripts/start.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { runCommand, wordsOf } from '../support/command.ts';
import {
  LOCAL_KEY,
  startEnvironment,
  startLocalService,
} from '../support/service/local-service.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { ordersTree } from '../support/sql/orders-tree.ts';
import { familyOf } from '../support/process.ts';
import { eventually } from '../support/until.ts';

/** Runs the printed curl lines; the paths with their parameters, and the rows. */
async function runPrinted(stdout: string): Promise<[string, object[]][]> {
  const lines = stdout.match(/^ {2}curl .*$/gm) ?? [];
  return await Promise.all(
    lines.map(async (line): Promise<[string, object[]]> => {
      const { stdout: body } = await promisify(execFile)('bash', ['-c', `${line} -s`]);
      const [, path = ''] = /api\/endpoints\/query\/([^']*)/.exec(line) ?? [];
      return [path, (JSON.parse(body) as { result: object[] }).result];
    }),
  );
}

it('serves every endpoint on sample logs, without a network: the printed curl lines work as they are', async () => {
  const outside = join(testDirectory('outside-'), 'refused');
  const startedMs = Date.now();
  const service = await startLocalService(LOCAL_KEY, ['--warm-seconds', '1'], {
    NODE_OPTIONS: `--import ${pathToFileURL('test/support/processes/refuse-outside.ts').href}`,
    REFUSED_OUTSIDE: outside,
    // As on a laptop where somebody works with Google Cloud.
    METADATA_SERVER_DETECTION: '',
    GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/credentials.json',
  });
  expect(service.stdout()).toMatch(/^\d+ s: .+ …$/m);
  // Whether there is a page of an earlier start or not: it may be of an earlier version.
  expect(statSync(CONSOLE_PAGE).mtimeMs).toBeGreaterThan(startedMs);
  const answers = await runPrinted(service.stdout());
  expect(answers).toHaveLength(readdirSync('sql/endpoints').length);
  for (const [path, rows] of answers)
    if (!path.startsWith('service.usage'))
      expect(rows).toEqual(expect.arrayContaining([expect.any(Object)]));
  expect(service.stderr()).toBe('');
  // Its own requests reach the local BigQuery a second later, in no certain order: the service makes one at its start.
  const [, host = ''] = /BigQuery +(\S+)/.exec(service.stdout()) ?? [];
  const sql = `SELECT COUNT(DISTINCT endpoint) FROM service_requests WHERE timestamp >= '2020-01-01'`;
  await eventually(async () => {
    const [[count]] = (await runLocally(host, { sql, parameters: {} })) as [[string]];
    expect(count).toBe(String(answers.length));
  }, 30_000);
  const { result: usage } = await service.ask(
    'service.usage?interval=1hr&endpoint=usage.api-counts',
  );
  expect(usage).toEqual([
    expect.objectContaining({
      key_name: 'local',
      requests: 1,
      misses: 1,
      bytes_billed: 10_485_760,
    }),
  ]);
  // A link to the console for each curl line, with the same parameters.
  const links = [...service.stdout().matchAll(/^ {2}http:\/\/localhost:\d+\/#(.*)$/gm)];
  // With ? a link runs the endpoint, also without parameters.
  const paths = answers.map(([path]) => (path.includes('?') ? path : `${path}?`));
  expect(links.map(([, link]) => link)).toEqual(paths);
  const headers = { 'X-API-KEY': LOCAL_KEY };
  for (const path of ['', 'api/endpoints', 'api/endpoints/openapi.json']) {
    expect((await fetch(`${service.url}/${path}`, { headers })).status).toBe(200);
  }
  await service.until(/^warm 200 .*"live":[1-9]/m);
  expect(service.stderr()).toBe('');
  expect(await service.stop()).toEqual([0, null]);
  expect(existsSync(outside) && readFileSync(outside, 'utf8')).toBe(false);
  await expect(fetch(service.url)).rejects.toThrow('fetch failed');
  expect(familyOf(service.child.pid)).toEqual([]);
}, 180_000);

it('serves with --logs a BigQuery export, stores the key of LOCAL_API_KEY in KEYS_DATABASE, and reports ignored fields', async () => {
  const AGO_MS = 100_000_000;
  const directory = testDirectory('logs-');
  const run = (id: number, atMs: number) => ({
    id: String(id),
    timestamp: new Date(atMs).toISOString().replace('T', ' ').replace('Z', ' UTC'),
    labels: { team: 'a' },
    project: 'mine',
    function_id: 'f',
    duration_ms: '12.5',
  });
  for (const shard of [0, 1]) {
    writeFileSync(
      join(directory, `task_runs-00000000000${shard}.json.gz`),
      gzipSync(`${JSON.stringify(run(shard, Date.now() - AGO_MS))}\n`),
    );
  }
  const visit = (index: number) => ({
    timestamp: Math.floor(Date.now() / 1000) - index,
    requests: [{ url: 'https://shop.example.com/a' }],
  });
  const lines = Array.from({ length: 10_000 }, (_, index) => `${JSON.stringify(visit(index))}\n`);
  writeFileSync(join(directory, 'web_visits.ndjson'), lines.join(''));
  const args = ['--sql', TEST_SQL, '--logs', directory];
  const env = { KEYS_DATABASE: 'saved-queries-keys' };
  const service = await startLocalService('my-own-key', args, env);
  // It arrives by another pipe than the lines that the start waits for.
  await eventually(() => expect(service.stderr()).toContain('ignored'), 15_000);
  expect(service.stderr().split('\n')).toEqual([
    'task_runs: ignored, not in schema.json or of a type without local values: id, labels',
    '',
  ]);
  // The rows are older than an hour and a day: only the longest interval has them.
  expect(await service.ask('tasks.run-stats?project=mine&interval=7day')).toEqual({
    result: [expect.objectContaining({ avg_duration: 12.5, max_duration: 12.5, count: 2 })],
  });
  const headers = { 'X-API-KEY': LOCAL_KEY };
  expect((await fetch(`${service.url}/api/endpoints`, { headers })).status).toBe(401);
  const { result } = await service.ask('web.visit-counts?project=shop&interval=daily');
  const visits = (result as { visits: number }[]).map((row) => row.visits);
  expect(visits.reduce((sum, count) => sum + count, 0)).toBe(10_000);
  await service.stop('SIGTERM');
});

it('serves another directory with the rows of its sample.ndjson, started from anywhere, but no query that npm run check rejects', async () => {
  const tree = ordersTree()
    .endpoint(
      { id: '11111111-2222-4333-8444-777777777777', name: 'group.refused' },
      'SELECT cuont AS count FROM orders',
    )
    .write('sources/customers/schema.json', [{ name: 'id', type: 'STRING' }]);
  const name = basename(tree.directory);
  const service = await startLocalService(LOCAL_KEY, ['--sql', name], {}, dirname(tree.directory));
  await eventually(() => expect(service.stderr()).toContain('Not served'), 15_000);
  expect(service.stderr().split('\n')).toEqual([
    `customers has no rows: put sample.ndjson into ${name}/sources/customers`,
    '',
    `${name}/endpoints/group.refused/query.sql:1:8: Unrecognized name: cuont`,
    'Not served: group.refused',
    '',
    '',
  ]);
  expect(await runPrinted(service.stdout())).toEqual([['group.example?shop=b', [{ count: 2 }]]]);
  await service.stop();
});

describe('stops immediately with one clear line', () => {
  let port: number;
  beforeEach(async () => void (port = await freePort()));

  async function fault(args: string[], env: Record<string, string> = {}): Promise<string> {
    const environment = { ...startEnvironment(port, await freePort()), ...env };
    const { code, stdout, stderr } = await runCommand(main, args, environment);
    expect(code).toBe(1);
    expect(stdout.replaceAll(/^\d+ s: .* …\n/gm, '')).toBe('');
    expect(stderr).toMatch(/^[^\n]+\n$/);
    return stderr;
  }

  it('for a port in use', async () => {
    const other = createServer().listen(port);
    await once(other, 'listening');
    expect(await fault([])).toBe(`Error: Port ${port} is in use; set PORT to another one.\n`);
    other.close();
  });

  it('for a damaged sample.ndjson', async () => {
    const tree = ordersTree().write('sources/orders/sample.ndjson', '{"id":1}\n{"id":}\n');
    expect(await fault(['--sql', tree.directory])).toMatch(
      /\/sources\/orders\/sample\.ndjson:2: not valid JSON: /,
    );
  });

  it('for a schema that the sample logs do not match', async () => {
    const schema = [{ name: 'id', type: 'STRING' }];
    const tree = ordersTree().write('sources/edge_logs/schema.json', schema);
    expect(await fault(['--sql', tree.directory])).toBe(
      `Error: edge_logs: the sample logs do not fit schema.json (event_message: no such field); put sample.ndjson into ${tree.directory}/sources/edge_logs\n`,
    );
  });

  it.each<[string, string, Record<string, string>, RegExp]>([
    ['an invalid port', '', { PORT: 'http' }, /PORT must be a port from 1 to 65535/],
    ['a port that is too large', '', { PORT: '65536' }, /PORT must be a port from 1 to 65535/],
    ['a missing directory of logs', '--logs /no/such', {}, /\/no\/such/],
    [
      'a setting that cannot be used',
      '',
      { MEMORY_CACHE_SECONDS: '-1' },
      /^Error: Settings: MEMORY_CACHE_SECONDS must be a whole number from 0 to 300\.\n$/,
    ],
  ])('for %s', async (_, args, env, message) => {
    expect(await fault(wordsOf(args), env)).toMatch(message);
  });
});
