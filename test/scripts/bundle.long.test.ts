// Tests of `npm run bundle`: the same bytes each time, and a folder that serves without this repository.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { startFunction } from '../../scripts/start/function-process.ts';
import { main } from '../../scripts/bundle.ts';
import { refusal, runCommand, runScript } from '../support/command.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { CLIENTS, expectRowsOfTools } from '../mcp/mcp-client.ts';
import { sampleRows } from '../support/sql/sample-rows.ts';
import { API_KEY, storeKey } from '../support/world.ts';
import { startLocalBigQuery, tablesOf } from '../support/bigquery/local-bigquery.ts';
import { testDatabase } from '../support/service/firestore-emulators.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { undo } from '../support/undo.ts';

const folder = testDirectory('bundle-');
const dist = join(folder, 'dist');

beforeAll(async () => {
  expect(await bundle('scripts/bundle.ts', dist)).toMatch(/ {2}sha256 [0-9a-f]{64}$/);
});

async function bundle(script: string, out: string, env = {}): Promise<string> {
  const { code, stdout, stderr } = await runScript(script, ['--out', out, '--sql', TEST_SQL], env);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trimEnd();
}

/** The files of the zip. */
const zipped = (): Record<string, Uint8Array> =>
  unzipSync(readFileSync(join(dist, 'function.zip')));

const readManifest = (): { main: string; dependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8')) as ReturnType<typeof readManifest>;

describe('the zip', () => {
  it('has the same bytes when rebuilt elsewhere, in another time zone', async () => {
    const copy = join(folder, 'a copy of the repository');
    for (const item of ['functions', 'scripts', 'sql', 'package.json', 'package-lock.json']) {
      cpSync(item, join(copy, item), { recursive: true });
    }
    symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
    const other = join(folder, 'elsewhere');
    await bundle(join(copy, 'scripts/bundle.ts'), other, { TZ: 'Pacific/Auckland' });
    const [first, second] = [dist, other].map((out) => readFileSync(join(out, 'function.zip')));
    expect(second?.equals(first as Buffer)).toBe(true);
  });

  it('contains code and the compiled catalogue, but no source, saved query or source map', () => {
    const paths = Object.keys(zipped());
    const isChunk = (path: string): boolean => /^functions\/[\w-]+-[0-9A-Z]{8}\.js/.test(path);
    expect(paths.filter((path) => !isChunk(path))).toEqual([
      'functions/catalogue.json',
      'functions/console/dist/console.html',
      'functions/partitions.sql',
      'functions/start.js',
      'package-lock.json',
      'package.json',
    ]);
  });

  it.each([
    ['endpoint.json', { cachingSeconds: 1 }, 'SELECT 1 AS count'],
    ['query.sql', {}, 'SELECT amnt AS count FROM UNNEST([1])'],
  ])('is not built if %s has a fault', async (file, fields, sql) => {
    const tree = new FakeSqlTree().endpoint(fields, sql);
    const args = ['--out', join(folder, 'faulty'), '--sql', tree.directory];
    const { code, stderr } = await runCommand(main, args);
    expect([code, stderr.replaceAll(tree.directory, 'sql')]).toEqual([
      1,
      expect.stringContaining(`sql/endpoints/group.example/${file}`),
    ]);
    expect(existsSync(join(folder, 'faulty'))).toBe(false);
  });

  it('contains nothing about the machine that built it', () => {
    for (const [path, content] of Object.entries(zipped())) {
      const text = new TextDecoder().decode(content);
      expect([path, text.includes(process.cwd())]).toEqual([path, false]);
      // As a word it is in libraries.
      expect([path, /\/\/[\w.-]*registry/.test(text)]).toEqual([path, false]);
    }
  });
});

describe('the folder', () => {
  it('depends only on the functions framework, in the version of package-lock.json', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    const framework = '@google-cloud/functions-framework';
    expect(readManifest()).toEqual({
      name: 'saved-query-endpoints',
      version: '0.2.0',
      private: true,
      type: 'module',
      main: 'functions/start.js',
      scripts: { 'gcp-build': 'GOOGLE_CLOUD_PROJECT=build node functions/start.js || true' },
      dependencies: { [framework]: packages[`node_modules/${framework}`]?.version },
    });
  });

  it('installs only the packages of the framework, in the tested versions', async () => {
    type Lock = { packages: Record<string, { version: string; integrity?: string }> };
    const [own, whole] = [join(dist, 'package-lock.json'), 'package-lock.json'].map(
      (file) => (JSON.parse(readFileSync(file, 'utf8')) as Lock).packages,
    );
    const { '': manifest, ...locked } = own ?? {};
    expect(manifest).toMatchObject({ dependencies: readManifest().dependencies });
    expect(Object.keys(locked)).toContain('node_modules/express');
    expect(Object.keys(locked)).not.toContain('node_modules/jest');
    for (const [place, description] of Object.entries(locked)) {
      expect([place, description]).toEqual([place, whole?.[place]]);
    }
    // A dry run needs no network.
    const dryRun = ['ci', '--dry-run', '--offline', '--loglevel=notice'];
    const { stdout } = await promisify(execFile)('npm', dryRun, { cwd: dist });
    expect(stdout).toContain('\nadd express 5');
    expect(stdout).not.toMatch(/^add @google-cloud\/(?:bigquery|firestore)/m);
  });

  it('contains no database administration API, which would slow down a cold start', () => {
    const files = readdirSync(join(dist, 'functions')).filter((file) => file.endsWith('.js'));
    const texts = files.map((file) => readFileSync(join(dist, 'functions', file), 'utf8'));
    expect(texts.join('')).not.toContain('CreateBackupSchedule');
  });

  it.each([
    ["BigQuery's client", /class \w*BigQuery\w* extends/],
    ['the verification of tokens', /JWSSignatureVerificationFailed/],
    ['the protocol of agents', /subscriptions\/listen/],
  ])('loads %s only with the first request that needs it', (_, pattern) => {
    /** A file and those that it loads at once. */
    const loadedWith = (file: string, read = new Map<string, string>()): Map<string, string> => {
      if (read.has(file)) return read;
      const text = readFileSync(join(dist, 'functions', file), 'utf8');
      read.set(file, text);
      for (const [, next] of text.matchAll(/(?:^|;)import(?:\{[^}]*\}from)?"\.\/([^"]+)"/gm)) {
        loadedWith(next as string, read);
      }
      return read;
    };
    const holders = (file: string): string[] =>
      [...loadedWith(file)].filter(([, text]) => pattern.test(text)).map(([name]) => name);
    const entry = readFileSync(join(dist, 'functions/start.js'), 'utf8');
    const [, index = ''] = /await import\("\.\/([^"]+)"\)/.exec(entry) ?? [];
    expect(loadedWith(index).size).toBeGreaterThan(1);
    expect(holders(index)).toEqual([]);
    const lazy = [...(loadedWith(index).get(index) ?? '').matchAll(/import\("\.\/([^"]+)"\)/g)];
    expect(new Set(lazy.flatMap(([, file]) => holders(file as string))).size).toBe(1);
  });

  describe('in isolation, with only its declared packages', () => {
    const alone = join(folder, 'alone');
    const project = `test-${randomUUID()}`;
    let bigQueryUrl: string;

    beforeAll(async () => {
      cpSync(dist, alone, { recursive: true });
      for (const name of Object.keys(readManifest().dependencies)) {
        const link = join(alone, 'node_modules', name);
        mkdirSync(join(link, '..'), { recursive: true });
        symlinkSync(join(process.cwd(), 'node_modules', name), link);
      }
      const tables = await tablesOf(TEST_SQL, sampleRows(Date.now()));
      ({ url: bigQueryUrl } = await startLocalBigQuery({ tables }));
      await storeKey(testDatabase(project));
    });

    async function start(target: 'query' | 'warm'): Promise<string> {
      const env = {
        ...process.env,
        ...{ NODE_ENV: 'production', CONSOLE: 'on', MCP: 'on' },
        GOOGLE_CLOUD_PROJECT: project,
        BIGQUERY_EMULATOR_HOST: bigQueryUrl,
      };
      const started = await startFunction({ target, source: alone, port: 0, env, stdio: 'ignore' });
      undo(() => started.stop());
      return started.url;
    }

    it('serves the console, and both endpoints, then from the cache', async () => {
      const url = await start('query');
      const page = await fetch(url);
      expect([page.status, page.headers.get('Content-Type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      const ask = async (path: string): Promise<[number, string | null, number]> => {
        const answer = await fetch(`${url}/api/endpoints/query/${path}`, {
          headers: { 'X-API-KEY': API_KEY },
        });
        const { result = [] } = (await answer.json()) as { result?: object[] };
        return [answer.status, answer.headers.get('Cache-Status'), result.length];
      };
      for (const call of ['tasks.run-stats?interval=7day', 'web.visit-counts?interval=daily']) {
        const path = `${call}&project=kfqzwmxhvtrnjdbyplca`;
        const [status, cacheStatus, rowCount] = await ask(path);
        expect([status, cacheStatus]).toEqual([
          200,
          expect.stringMatching(/^saved-queries; fwd=uri-miss; stored; ttl=\d+$/),
        ]);
        expect(rowCount).toBeGreaterThan(6);
        expect(await ask(path)).toEqual([
          200,
          expect.stringMatching(/^saved-queries; hit; ttl=\d+; detail=memory$/),
          rowCount,
        ]);
      }
    });

    it('keeps the code cache of the cloud build, whose failure does not stop the build', async () => {
      const { scripts } = JSON.parse(readFileSync(join(alone, 'package.json'), 'utf8')) as {
        scripts: Record<'gcp-build', string>;
      };
      const build = (own = {}): Promise<unknown> =>
        promisify(execFile)('sh', ['-c', scripts['gcp-build']], {
          cwd: alone,
          env: { ...own, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
        });
      await build({ CATALOGUE: join(folder, 'no such file') });
      await build();
      const compiled = join(alone, 'functions/compiled');
      const [version = ''] = readdirSync(compiled);
      expect(version).toContain(process.version);
      expect(readdirSync(join(compiled, version)).length).toBeGreaterThan(3);
      expect((await fetch(`${await start('query')}/api/endpoints`)).status).toBe(401);
    });

    it.each(CLIENTS)('serves agents if MCP is on: %s', async (kind) => {
      await expectRowsOfTools(kind, await start('query'), API_KEY);
    });

    it('warms the results that were read', async () => {
      const answer = await fetch(await start('warm'), { method: 'POST', body: '{}' });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ live: 2, failed: [] });
    });
  });
});

it('refuses to replace a folder that is not a bundle', async () => {
  expect(await runCommand(main, ['--out', '.'])).toEqual(
    refusal('. contains other files: choose another folder with --out.'),
  );
});

it('explains in one sentence why it cannot write, and leaves nothing behind', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, 'as it was');
  expect(await runCommand(main, ['--out', file])).toEqual(
    refusal(`${file} cannot be written: not a directory.`),
  );
  expect(readFileSync(file, 'utf8')).toBe('as it was');
  expect(readdirSync(dist).sort()).toEqual([
    ...['.gcloudignore', 'function.zip', 'functions', 'package-lock.json', 'package.json'],
  ]);
});
