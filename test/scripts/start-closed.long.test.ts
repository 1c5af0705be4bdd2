// Tests that `npm start` is closed to other machines and to the pages of other sites, and open to its user.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { type BigQueryProxy, startBigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import { describeInBrowser, launchBrowser, openTab } from '../support/browser/browser.ts';
import { runScript } from '../support/command.ts';
import { familyOf } from '../support/process.ts';
import type { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { listen } from '../support/service/listen.ts';
import { startLocalBigQuery } from '../support/bigquery/local-bigquery.ts';
import { type LocalService, startLocalService } from '../support/service/local-service.ts';
import {
  type MadeUpCredentials,
  makeUpCredentials,
} from '../support/bigquery/made-up-credentials.ts';
import { until } from '../support/until.ts';
import { ORDERS, ordersTree } from '../support/sql/orders-tree.ts';

const ANSWER = '{"result":[{"count":2}]}';
const PATH = '/api/endpoints/query/group.example?shop=b';
const KEY = 'my-own-key';
const BIGQUERY = ['--bigquery', 'my-project', '--dataset', 'sales', '--location', 'EU'];

let proxy: BigQueryProxy;
let credentials: MadeUpCredentials;
let tree: FakeSqlTree;
/** Any site: it gives an empty page, whatever it is called. */
let sitePort: string;

beforeAll(async () => {
  const local = await startLocalBigQuery({ dataset: 'sales', tables: [ORDERS] });
  proxy = await startBigQueryProxy(local.url);
  credentials = await makeUpCredentials();
  tree = ordersTree();
  const site = createServer((_, res) => {
    res.setHeader('content-type', 'text/html');
    res.end('<!doctype html><title>A site</title>');
  });
  sitePort = new URL(await listen(site)).port;
});

describe.each<[string, string[], isOpen: boolean]>([
  ['npm start', [], false],
  ['npm start -- --bigquery, with CORS_ORIGINS', BIGQUERY, true],
])('%s', (_, args, isOpen) => {
  /** What does not depend on CORS_ORIGINS, and is the same with --bigquery. */
  const itAlways = isOpen ? it.skip : it;
  let service: LocalService;
  let port: number;
  let warmPort: number;

  beforeAll(async () => {
    const all = ['--sql', tree.directory, '--warm-seconds', '86400', ...args];
    service = await startLocalService(KEY, all, {
      CORS_ORIGINS: isOpen ? `http://friend.example:${sitePort}` : '',
      BIGQUERY_EMULATOR_HOST: '',
      GOOGLE_APPLICATION_CREDENTIALS: credentials.file,
      ...(args.length === 0 ? {} : { BIGQUERY_API_ENDPOINT: proxy.url }),
    });
    ({ port, warmPort } = service);
  });
  afterAll(() => service.stop());

  const emulatorPort = (): string =>
    / Firestore +127\.0\.0\.1:(\d+)/.exec(service.stdout())?.[1] ?? '';

  describeInBrowser('in a browser', () => {
    let browser: Browser;
    let page: Page;

    beforeAll(async () => {
      browser = await launchBrowser(['--host-resolver-rules=MAP *.example 127.0.0.1']);
    });
    afterAll(() => browser.close());
    beforeEach(async () => void (page = await browser.newPage()));
    afterEach(() => page.close());

    /** What a page can read of an answer: its type, status and body; else the fault. */
    const fetched = (
      url: string,
      init: Omit<RequestInit, 'body'> & { body?: string },
    ): Promise<string> =>
      page.evaluate(
        ([from, how]) =>
          fetch(from, how).then(
            async (answer) => `${answer.type} ${answer.status} ${await answer.text()}`,
            String,
          ),
        [url, init] as const,
      );
    const withKey = { headers: { 'X-API-KEY': KEY } };
    const json = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };

    /** Resolves to the status and the text of the page to which a form leads. */
    async function submitForm(action: string, type: string): Promise<string> {
      await page.goto(`http://evil.example:${sitePort}/`);
      const answered = page.waitForResponse(action);
      await page.evaluate(
        ([to, enctype]) => {
          const form = document.createElement('form');
          Object.assign(form, { method: 'post', action: to, enctype });
          document.body.append(form);
          form.submit();
        },
        [action, type] as const,
      );
      const answer = await answered;
      return `${answer.status()} ${(await answer.body()).toString()}`;
    }

    it('denies a page of another site', async () => {
      await page.goto(`http://evil.example:${sitePort}/`);
      for (const host of ['localhost', '127.0.0.1', '[::1]', 'any.localhost']) {
        const url = `http://${host}:${port}${PATH}`;
        expect(await fetched(url, withKey)).toBe('TypeError: Failed to fetch');
        expect(await fetched(url, {})).toBe('TypeError: Failed to fetch');
        expect(await fetched(url, { mode: 'no-cors' })).toBe('opaque 0 ');
      }
      const refused = () => service.stdout().match(/"reason":"ORIGIN_NOT_ALLOWED"/g) ?? [];
      await until(() => refused().length === 8);
      expect(service.stdout()).toContain(
        `To allow them, set CORS_ORIGINS=http://evil.example:${sitePort} and restart it.`,
      );
    });

    itAlways('denies a page without an origin', async () => {
      await page.goto(`http://evil.example:${sitePort}/`);
      await page.setContent(`<iframe sandbox="allow-scripts" srcdoc="<p>A frame</p>"></iframe>`);
      const frame = await (await page.waitForSelector('iframe')).contentFrame();
      const read = await frame?.evaluate(
        async ([url, init]) => fetch(url, init).then((answer) => answer.text(), String),
        [`http://localhost:${port}${PATH}`, withKey] as const,
      );
      expect(read).toBe('TypeError: Failed to fetch');
    });

    itAlways("denies another site's name that resolves to this machine", async () => {
      const ports = [port, warmPort];
      const bigQueryPort = / BigQuery +http:\/\/127\.0\.0\.1:(\d+)/.exec(service.stdout())?.[1];
      ports.push(Number(bigQueryPort));
      expect(ports).toHaveLength(3);
      for (const at of ports) {
        const url = `http://evil.example:${at}`;
        expect((await page.goto(`${url}/`))?.status()).toBe(403);
        expect(await page.textContent('body')).toContain(
          'Call the local service as localhost, 127.0.0.1 or [::1], not as evil.example.',
        );
        for (const init of [withKey, json]) {
          expect(await fetched(`${url}${PATH}`, init)).toMatch(
            /^basic 403 \{"error":\{"code":403,/,
          );
        }
      }
    });

    itAlways('starts no warming run for a form or script of a page', async () => {
      const url = `http://localhost:${warmPort}/`;
      for (const type of [
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'text/plain',
      ]) {
        expect(await submitForm(url, type)).toMatch(/^403 .*"ORIGIN_NOT_ALLOWED"/);
      }
      expect(await submitForm(`http://localhost:${port}${PATH}`, 'text/plain')).toMatch(/^403 /);
      await page.goto(`http://evil.example:${sitePort}/`);
      expect(await fetched(url, { ...json, mode: 'no-cors' })).toBe('opaque 0 ');
      expect(await fetched(url, { method: 'POST' })).toBe('TypeError: Failed to fetch');
      expect(await fetched(url, json)).toBe('TypeError: Failed to fetch');
      // A GET, which a browser may send too, is answered 405.
      expect(service.stdout()).not.toMatch(/"event":"warm(?:_skipped)?"/);

      // As the scheduler does.
      expect((await fetch(url, json)).status).toBe(200);
      await until(() => service.stdout().includes('"event":"warm"'));
    });

    (isOpen ? it : it.skip)(
      'gives rows, and no warming run, to a page on an origin of CORS_ORIGINS',
      async () => {
        await page.goto(`http://friend.example:${sitePort}/`);
        const rows = await fetched(`http://localhost:${port}${PATH}`, withKey);
        expect(rows).toBe(`cors 200 ${ANSWER}`);
        const run = await fetched(`http://localhost:${warmPort}/`, json);
        expect(run).toBe('TypeError: Failed to fetch');
        await until(() => service.stdout().includes('"error":"No page may start a warming run."'));
      },
    );

    itAlways('serves rows to the console', async () => {
      for (const host of ['localhost', '127.0.0.1', '[::1]']) {
        const url = `http://${host}:${port}`;
        const tab = await openTab(browser, url);
        await tab.page.goto(`${url}/#group.example?shop=b`);
        await tab.page.fill('#key', KEY);
        await tab.page.keyboard.press('Enter');
        // On BigQuery itself, the values of a link wait for Run.
        await tab.page.waitForSelector('#run:focus');
        await tab.page.keyboard.press('Enter');
        // One number has no table.
        await tab.page.waitForSelector('.figures dd');
        expect(await tab.page.locator('.figures dd').allTextContents()).toEqual(['2']);
        await tab.page.context().close();
        expect(tab.faults).toEqual([]);
      }
    });
  });

  it('serves curl and npm run keys', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const url = `http://${host}:${port}${PATH}`;
      const { stdout } = await promisify(execFile)('curl', ['-s', '-H', `X-API-KEY: ${KEY}`, url]);
      expect(stdout).toBe(ANSWER);
    }
    const project = args.length === 0 ? [] : ['--project', 'my-project'];
    const keys = await runScript('scripts/keys.ts', ['list', ...project], {
      FIRESTORE_EMULATOR_HOST: `127.0.0.1:${emulatorPort()}`,
    });
    expect(keys.stdout).toMatch(/^local /m);
  });

  (process.platform === 'linux' ? it : it.skip)('listens on loopback addresses alone', () => {
    const found = listeners(service.child.pid);
    // The local BigQuery has one port, and its engine none: a socket that only this user can open.
    expect(found).toHaveLength(args.length === 0 ? 6 : 5);
    for (const at of [port, warmPort]) {
      expect(found.filter((one) => one.port === at).map(({ address }) => address)).toEqual([
        '127.0.0.1',
        '::1',
      ]);
    }
    expect(found.map((one) => one.port)).toContain(Number(emulatorPort()));
    const loopback = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
    expect(found.filter(({ address }) => !loopback.includes(address))).toEqual([]);
  });
});

const ADDRESSES: Readonly<Record<string, string>> = {
  '0100007F': '127.0.0.1',
  '00000000000000000000000001000000': '::1',
  '0000000000000000FFFF00000100007F': '::ffff:127.0.0.1',
};

/** Where a process and those that it has started listen, as the kernel has it; sorted by address. */
function listeners(pid: number | undefined) {
  const files = familyOf(pid).map((one) => `/proc/${one.pid}/fd/*`);
  // What has ended or was closed meanwhile is not listed.
  const { stdout } = spawnSync('sh', ['-c', `readlink ${files.join(' ')}`], { encoding: 'utf8' });
  const inodes = new Set([...stdout.matchAll(/socket:\[(\d+)\]/g)].map(([, inode]) => inode));
  return ['tcp', 'tcp6']
    .flatMap((file) => readFileSync(`/proc/net/${file}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && inodes.has(fields[9] ?? ''))
    .map(([, place = '']) => {
      const [address = '', port = ''] = place.split(':');
      return { address: ADDRESSES[address] ?? address, port: Number.parseInt(port, 16) };
    })
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}
