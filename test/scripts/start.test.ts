// Tests of `npm start`: the printed lines work, and each fault is reported in one line.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/local/tcp-ports.ts';
import { main } from '../../scripts/start.ts';
import { FakeSqlTree } from '../support/fake-sql-tree.ts';
import { TEST_SQL } from '../support/test-sql.ts';
import { endScripts, runCommand, startScript } from '../support/command.ts';

let port: number;

beforeEach(async () => {
  port = await freePort();
});

afterEach(() => endScripts());

async function environment(): Promise<Record<string, string>> {
  return { PORT: String(port), WARM_PORT: String(await freePort()), FIRESTORE_EMULATOR_HOST: '' };
}

it('serves every endpoint on sample logs: the printed curl lines work as they are', async () => {
  const service = startScript('scripts/start.ts', [], await environment());
  await service.until(/Ctrl-C/);
  const lines = service.stdout().match(/^ {2}curl .*$/gm) ?? [];
  expect(lines).toHaveLength(readdirSync('sql/endpoints').length);
  for (const line of lines) {
    const { stdout } = await promisify(execFile)('bash', ['-c', `${line} -s`]);
    expect(JSON.parse(stdout)).toEqual({ result: expect.any(Array) as object[] });
  }
  service.child.kill('SIGINT');
  const [code] = (await once(service.child, 'close')) as [number];
  expect(code).toBe(0);
  await expect(fetch(`http://localhost:${port}/`)).rejects.toThrow('fetch failed');
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'ppid,args']);
  const children = stdout
    .split('\n')
    .filter((row) => row.trim().startsWith(`${service.child.pid} `));
  expect(children).toEqual([]);
});

it('serves the logs of a directory with the key of LOCAL_API_KEY, in KEYS_DATABASE', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'logs-'));
  const timestamp = new Date().toISOString();
  writeFileSync(
    join(directory, 'task_runs.ndjson'),
    `${JSON.stringify({
      timestamp: timestamp.replace('T', ' ').replace('Z', ' UTC'),
      project: 'mine',
      function_id: 'f',
      duration_ms: '12.5',
    })}\n`,
  );
  writeFileSync(join(directory, 'web_visits.ndjson'), '');
  const service = startScript('scripts/start.ts', ['--sql', TEST_SQL, '--logs', directory], {
    ...(await environment()),
    LOCAL_API_KEY: 'my-own-key',
    KEYS_DATABASE: 'saved-queries-keys',
  });
  await service.until(/Ctrl-C/);
  const ask = (key: string): Promise<Response> =>
    fetch(
      `http://localhost:${port}/api/endpoints/query/tasks.run-stats?project=mine&interval=7day`,
      { headers: { 'X-API-KEY': key } },
    );
  expect((await ask('local-dev-key')).status).toBe(401);
  const { result } = (await (await ask('my-own-key')).json()) as { result: object[] };
  expect(result).toMatchObject([{ avg_duration: 12.5, max_duration: 12.5, count: 1 }]);
  service.child.kill('SIGTERM');
  await once(service.child, 'close');
  rmSync(directory, { recursive: true });
});

it('serves the saved queries of another directory, started from another directory', async () => {
  const tree = new FakeSqlTree()
    .endpoint({}, 'SELECT 7 AS count')
    .write('sources/orders/schema.json', [{ name: 'id', type: 'STRING' }]);
  const service = startScript(
    join(process.cwd(), 'scripts/start.ts'),
    ['--sql', basename(tree.directory)],
    await environment(),
    dirname(tree.directory),
  );
  await service.until(/Ctrl-C/);
  const answer = await fetch(`http://localhost:${port}/api/endpoints/query/group.example`, {
    headers: { 'X-API-KEY': 'local-dev-key' },
  });
  expect(await answer.json()).toEqual({ result: [{ count: 7 }] });
  service.child.kill('SIGINT');
  await once(service.child, 'close');
  tree.remove();
});

describe('stops at once with one clear line', () => {
  async function fault(
    args: string[],
    env: Record<string, string> = {},
    exitCode = 1,
  ): Promise<string> {
    const { code, stdout, stderr } = await runCommand(main, args, {
      ...(await environment()),
      ...env,
    });
    expect(code).toBe(exitCode);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^[^\n]+\n$/);
    return stderr;
  }

  it('for a port that is in use', async () => {
    const other = createServer().listen(port);
    await once(other, 'listening');
    expect(await fault([])).toBe(`Error: Port ${port} is in use; set PORT to another one.\n`);
    other.close();
  });

  it('for a port that is none', async () => {
    expect(await fault([], { PORT: 'http' })).toMatch(/PORT must be a port from 1 to 65535/);
  });

  it('for a directory of logs that is not there', async () => {
    expect(await fault(['--logs', '/no/such/directory'])).toMatch(/\/no\/such\/directory/);
  });

  it('for a log file that is missing, and for one that is broken', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'logs-'));
    writeFileSync(join(directory, 'web_visits.ndjson'), '{"requests":[]}\nnonsense\n');
    expect(await fault(['--sql', TEST_SQL, '--logs', directory])).toMatch(
      /web_visits\.ndjson|task_runs/,
    );
    writeFileSync(join(directory, 'task_runs.ndjson'), '');
    expect(await fault(['--sql', TEST_SQL, '--logs', directory])).toMatch(/web_visits\.ndjson:1: /);
    rmSync(directory, { recursive: true });
  });

  it('for an option that it does not have', async () => {
    expect(await fault(['--log', 'x'], {}, 2)).toBe(
      'Error: There is no option --log. Did you mean --logs?\n',
    );
  });

  it('for a directory of saved queries that is not there', async () => {
    expect(await fault(['--sql', '/no/such/directory'])).toBe(
      'Error: There is no directory /no/such/directory (--sql).\n',
    );
  });

  it('for a setting that cannot be used', async () => {
    expect(await fault([], { MEMORY_CACHE_SECONDS: '-1' })).toBe(
      'Error: Settings: MEMORY_CACHE_SECONDS must be a whole number from 0 to 300.\n',
    );
  });
});
