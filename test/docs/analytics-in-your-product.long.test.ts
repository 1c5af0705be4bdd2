// The tutorial docs/tutorials/analytics-in-your-product.md: its backends and its page, in a browser.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { SignJWT, decodeJwt, importJWK } from 'jose';
import type { JWK } from 'jose';
import type { Page } from 'playwright-core';
import { rightsOf } from '../../functions/keys/token.ts';
import { keyIdOf } from '../../functions/keys/verify-token.ts';
import { startLocalBigQuery, tablesOf } from '../support/bigquery/local-bigquery.ts';
import { describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { kill } from '../support/process.ts';
import { projectOf, testFirestore } from '../support/service/firestore-emulators.ts';
import { freePort } from '../support/service/free-port.ts';
import { runFunction } from '../support/service/running-function.ts';
import { readmeBlocks } from '../support/sql/readme-example.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { undo } from '../support/undo.ts';
import { eventually } from '../support/until.ts';

const PAGE = readFileSync('docs/tutorials/analytics-in-your-product.md', 'utf8');
const [makeKey, writePage, writeNode, writePython, tryOut, rotate, revoke] = readmeBlocks(
  'sh',
  PAGE,
);

/** The projects of the two customers. */
const [AYLIN, BEN] = ['kfqzwmxhvtrnjdbyplca', 'hxuvgqtmdzolyrnsbeki'] as const;
const startedMs = Date.now();

/** One that has PyJWT; Debian's has no effect on another that is first in PATH. */
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import jwt, cryptography']).status === 0,
);
if (python === undefined) {
  const debian = 'python3-jwt and python3-cryptography';
  process.stdout.write(`PyJWT (${debian}) is not installed: the backend in Python is not tested\n`);
}

/** The folders in which the blocks are pasted. */
const directory = testDirectory('analytics-');
const [clone, shop] = [join(directory, 'clone'), join(directory, 'shop')];
const firestore = testFirestore();
const backendPort = await freePort();
const origin = `http://localhost:${backendPort}`;
let url: string;

beforeAll(async () => {
  const hourMs = startedMs - (startedMs % 3_600_000);
  /** Of an hour that began so many hours before the one of now. */
  const invocations = (project: string, hoursAgo: number, count: number): object[] =>
    Array.from({ length: count }, (_, minute) => ({
      id: `${project}-${hoursAgo}-${minute}`,
      timestamp: new Date(hourMs - hoursAgo * 3_600_000 + minute * 60_000).toISOString(),
      metadata: [
        {
          ...{ project_ref: project, function_id: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed' },
          ...{ execution_time_ms: 100, response: [{ status_code: 200 }] },
        },
      ],
    }));
  const ofAylin = [...invocations(AYLIN, 2, 2), ...invocations(AYLIN, 3, 3)];
  const rows = { function_relay_logs: [...ofAylin, ...invocations(BEN, 2, 7)] };
  const bigquery = await startLocalBigQuery({ tables: await tablesOf('sql', rows) });
  const service = await runFunction({
    ...{ target: 'query', firestore, bigQueryUrl: bigquery.url, sql: 'sql' },
    env: { CORS_ORIGINS: origin, KEY_CACHE_SECONDS: '1' },
  });
  url = `http://localhost:${service.port}`;
  mkdirSync(clone);
  await paste(makeKey, clone);
  for (const block of [writePage, writeNode, writePython]) await paste(block);
});

/** What a block prints, with the addresses of this test. Commands that install packages do not. */
async function paste(block = '', directory = shop): Promise<string> {
  const commands = `
    npm() { case "$1" in
      run) shift 4; (cd '${resolve('.')}' && '${process.execPath}' scripts/keys.ts "$@");;
      install) mkdir -p node_modules; ln -sfn '${resolve('node_modules/jose')}' node_modules/jose;;
    esac; }
    python3() { mkdir -p venv/bin; ln -sfn "$(type -P true)" venv/bin/pip; }`;
  const script = `${commands}\n${block}`
    .replace('127.0.0.1:12345', process.env.FIRESTORE_EMULATOR_HOST ?? '')
    .replaceAll('http://localhost:8080', url)
    .replaceAll('http://localhost:3000', origin);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: directory,
    env: {
      ...process.env,
      GOOGLE_CLOUD_PROJECT: projectOf(firestore),
      KEYS_DATABASE: '(default)',
    },
  });
  return stdout;
}

/** It ends with the test. */
async function startBackend(program: string, file: string): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(backendPort) };
  const backend = spawn(program, [file], { cwd: shop, env, stdio: 'ignore' });
  undo(() => kill(backend));
  await eventually(() => fetch(origin), 10_000);
  return backend;
}

const readSigningKey = (): JWK =>
  JSON.parse(readFileSync(join(shop, 'signing-key.json'), 'utf8')) as JWK;

const askForToken = (cookie: string): Promise<Response> =>
  fetch(`${origin}/token`, { headers: { Cookie: cookie } });

async function tokenOf(customer: string): Promise<string> {
  const answer = await askForToken(`customer=${customer}`);
  expect(answer.status).toBe(200);
  return answer.text();
}

describe.each([
  ['Node.js', process.execPath, 'backend.mjs'],
  ['Python', python, 'backend.py'],
])('the backend in %s', (_, program, file) => {
  const test = program === undefined ? it.skip : it;
  beforeEach(() => program && startBackend(program, file));

  test('signs tokens of ten minutes for the customer who is signed in, and for nobody else', async () => {
    expect((await askForToken('')).status).toBe(401);
    expect((await askForToken('customer=nobody')).status).toBe(401);
    const token = await tokenOf('aylin');
    expect(keyIdOf(token)).toBe(readSigningKey().kid);
    const claims = decodeJwt(token);
    const { expiresAtMs, ...read } = rightsOf(claims, 3600);
    expect(expiresAtMs / 1000 - (claims.iat ?? 0)).toBe(600);
    expect(read).toEqual({
      endpoints: ['functions.invocation-stats'],
      parameters: { project: [AYLIN] },
      fixed: ['project'],
      subject: '009cb433e38eb6e0',
      requestsPerMinute: 60,
    });
  });

  test('gives tokens that get the answers which the tutorial shows', async () => {
    const [, tried = ''] = readmeBlocks('console', PAGE);
    const commands = tried.split('\n').filter((line) => line.startsWith('$ '));
    expect(commands).toHaveLength(4);
    const output = await paste([tryOut, ...commands.map((line) => line.slice(2))].join('\n'));
    expect(output).toBe(tried.replaceAll(/^\$ .*\n/gm, ''));
  });

  describeInBrowser('with its page', () => {
    const browser = useBrowser();
    // Its tabs request nothing but the backend and the service.
    afterEach(() => {
      const faults = browser.takeFaults() ?? [];
      expect(faults.filter((fault) => !fault.startsWith(`request to ${url}/api/`))).toEqual([]);
    });

    /** Opens a tab that shows the chart of a customer, or why there is none. */
    const signIn = async (customer: string, prepare?: (page: Page) => Promise<unknown>) => {
      const page = await browser.open(origin);
      // As long as the test runs, no hour ends.
      await page.clock.setFixedTime(startedMs);
      await prepare?.(page);
      await page.goto(`${origin}/sign-in?customer=${customer}`);
      await page.waitForSelector('#message:not(:text-is("Loading …"))');
      return page;
    };

    test('shows the rows of the customer who is signed in, and of no other', async () => {
      /** Oldest first: what the bars say, how high they are, and at which of the hours 0 to 24 they stand. */
      function barsOf(page: Page): Promise<unknown> {
        return page.evaluate(`[...document.querySelectorAll('#chart rect')].map((bar) => ({
    count: Number(bar.textContent.split(': ')[1]),
    height: Math.round(bar.getAttribute('height')),
    hour: bar.getAttribute('x') / 29,
  }))`);
      }

      const page = await signIn('aylin');
      expect(await page.textContent('#message')).toBe('5 invocations');
      expect(await barsOf(page)).toEqual([
        { count: 3, height: 200, hour: 21 },
        { count: 2, height: 133, hour: 22 },
      ]);
      await page.goto(`${origin}/sign-in?customer=ben`);
      await page.waitForSelector('#message:text-is("7 invocations")');
      expect(await barsOf(page)).toEqual([{ count: 7, height: 200, hour: 22 }]);
    });

    test('fetches a new token once if the service refuses the one it has', async () => {
      /** The same claims, some seconds earlier, signed with the key of the backend. */
      async function earlier(seconds: number, token: string): Promise<string> {
        const jwk = readSigningKey();
        const { iat = 0, exp = 0, ...claims } = decodeJwt(token);
        return new SignJWT({ ...claims, iat: iat - seconds, exp: exp - seconds })
          .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: jwk.kid ?? '' })
          .sign(await importJWK(jwk, 'EdDSA'));
      }

      const old = await earlier(640, await tokenOf('aylin'));
      let fetched = 0;
      const page = await signIn('aylin', async (tab) =>
        tab.route('**/token', (route) => {
          fetched += 1;
          return fetched === 1 ? route.fulfill({ body: old }) : route.continue();
        }),
      );
      expect([fetched, await page.textContent('#message')]).toEqual([2, '5 invocations']);
    });
  });
});

it('tokens go on while the key is replaced, and open nothing once it is revoked', async () => {
  const STATS = 'functions.invocation-stats?interval=1day';
  const statusOf = async (token: string): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${url}/api/endpoints/query/${STATS}`, { headers })).status;
  };
  const backend = await startBackend(process.execPath, 'backend.mjs');
  const old = await tokenOf('aylin');
  await paste(rotate, clone);
  await kill(backend);
  await startBackend(process.execPath, 'backend.mjs');
  const token = await tokenOf('aylin');
  expect(keyIdOf(token)).not.toBe(keyIdOf(old));
  expect([await statusOf(old), await statusOf(token)]).toEqual([200, 200]);
  await paste(revoke, clone);
  await eventually(async () => {
    expect([await statusOf(old), await statusOf(token)]).toEqual([401, 401]);
  }, 10_000);
});
