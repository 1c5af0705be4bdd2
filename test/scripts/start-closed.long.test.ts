// Tests that `npm start` is closed to other machines and to the pages of other sites, and open to its user.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { startBigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import { describeInBrowser, launchBrowser, openTab } from '../support/browser/browser.ts';
import { casesBeside } from '../support/cases.ts';
import { runScript, wordsOf } from '../support/command.ts';
import { describeOnLinux, familyOf } from '../support/process.ts';
import { listen } from '../support/service/listen.ts';
import { startLocalBigQuery } from '../support/bigquery/local-bigquery.ts';
import { type LocalService, startLocalService } from '../support/service/local-service.ts';
import { makeUpCredentials } from '../support/bigquery/made-up-credentials.ts';
import { until } from '../support/until.ts';
import { ORDERS, ordersTree } from '../support/sql/orders-tree.ts';

const PATH = '/api/endpoints/query/group.example?shop=b';
const KEY = 'my-own-key';
const FRIEND = 'http://friend.example';

async function settingsOfBigQuery(): Promise<Record<string, string>> {
  const local = await startLocalBigQuery({ dataset: 'sales', tables: [ORDERS] });
  const { url } = await startBigQueryProxy(local.url);
  const { file } = await makeUpCredentials();
  return {
    BIGQUERY_API_ENDPOINT: url,
    GOOGLE_APPLICATION_CREDENTIALS: file,
    CORS_ORIGINS: FRIEND,
  };
}

describe.each([
  ['npm start', '', 6],
  [
    'npm start -- --bigquery, with CORS_ORIGINS',
    '--bigquery my-project --dataset sales --location EU',
    5,
  ],
])('%s', (_, args, listenerCount) => {
  let service: LocalService;
  let ports: Record<string, number>;
  const isLocal = args === '';

  beforeAll(async () => {
    const all = ['--sql', ordersTree().directory, '--warm-seconds', '86400', ...wordsOf(args)];
    const settings = isLocal ? {} : await settingsOfBigQuery();
    const env = { BIGQUERY_EMULATOR_HOST: '', CORS_ORIGINS: '', ...settings };
    service = await startLocalService(KEY, all, env);
    const portOf = (name: string): number =>
      Number(new RegExp(` ${name} +(?:http://)?127.0.0.1:(\\d+)`).exec(service.stdout())?.[1]);
    ports = {
      ...{ query: service.port, warm: service.warmPort },
      ...{ bigquery: portOf('BigQuery'), firestore: portOf('Firestore') },
    };
  });
  afterAll(() => service.stop());

  async function send(
    method: string,
    server: string,
    name: string,
    headers: Record<string, string>,
  ) {
    const port = ports[server] ?? 0;
    const all = { Host: `${name}:${port}`, 'X-API-KEY': KEY, ...headers };
    const sent = request({ host: '127.0.0.1', port, path: PATH, method, headers: all });
    sent.end(method === 'POST' ? '{}' : undefined);
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      sent.once('response', resolve).once('error', reject),
    );
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }

  type Given = [...Parameters<typeof send>, status: number, part: string];
  it.each(
    casesBeside(import.meta.filename)<Given>('requests').filter(
      ([, server]) => isLocal || server !== 'bigquery',
    ),
  )(
    '%s to %s at %s with %j is answered %i %s',
    async (method, server, name, headers, status, part) => {
      expect(await send(method, server, name, headers)).toMatchObject({
        status,
        text: expect.stringContaining(part) as string,
      });
      expect(service.stdout()).not.toMatch(/"event":"warm(?:_skipped)?"/);
    },
  );

  it('gives rows to a page on an origin of CORS_ORIGINS alone', async () => {
    const { status, headers } = await send('GET', 'query', 'localhost', { Origin: FRIEND });
    expect([status, headers['access-control-allow-origin']]).toEqual(
      isLocal ? [403, undefined] : [200, FRIEND],
    );
  });

  it('starts a warming run for the scheduler', async () => {
    const json = { 'Content-Type': 'Application/JSON; charset=utf-8' };
    expect(await send('POST', 'warm', 'localhost', json)).toMatchObject({ status: 200 });
    await until(() => service.stdout().includes('"event":"warm"'));
  });

  it('serves npm run keys', async () => {
    const project = isLocal ? [] : ['--project', 'my-project'];
    const keys = await runScript('scripts/keys.ts', ['list', ...project], {
      FIRESTORE_EMULATOR_HOST: `127.0.0.1:${ports.firestore}`,
    });
    expect(keys.stdout).toMatch(/^local /m);
  });

  describeOnLinux('on Linux', () => {
    it('listens on loopback addresses alone', () => {
      const addresses: Readonly<Record<string, string>> = {
        '0100007F': '127.0.0.1',
        '00000000000000000000000001000000': '::1',
        '0000000000000000FFFF00000100007F': '::ffff:127.0.0.1',
      };

      /** Where a process and those that it has started listen, as the kernel has it; sorted by address. */
      function listeners(pid: number | undefined) {
        const files = familyOf(pid).map((one) => `/proc/${one.pid}/fd/*`);
        // What has ended or was closed meanwhile is not listed.
        const { stdout } = spawnSync('sh', ['-c', `readlink ${files.join(' ')}`], {
          encoding: 'utf8',
        });
        const inodes = new Set([...stdout.matchAll(/socket:\[(\d+)\]/g)].map(([, inode]) => inode));
        return ['tcp', 'tcp6']
          .flatMap((file) => readFileSync(`/proc/net/${file}`, 'utf8').trim().split('\n').slice(1))
          .map((line) => line.trim().split(/\s+/))
          .filter((fields) => fields[3] === '0A' && inodes.has(fields[9] ?? ''))
          .map(([, place = '']) => {
            const [address = '', port = ''] = place.split(':');
            return { address: addresses[address] ?? address, port: Number.parseInt(port, 16) };
          })
          .sort((a, b) => (a.address < b.address ? -1 : 1));
      }

      const found = listeners(service.child.pid);
      // The local BigQuery has one port, and its engine none: a socket that only this user can open.
      expect(found).toHaveLength(listenerCount);
      for (const at of [service.port, service.warmPort]) {
        expect(found.filter((one) => one.port === at).map(({ address }) => address)).toEqual([
          '127.0.0.1',
          '::1',
        ]);
      }
      expect(found.map((one) => one.port)).toContain(ports.firestore);
      const loopback = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
      expect(found.filter(({ address }) => !loopback.includes(address))).toEqual([]);
    });
  });

  describeInBrowser('in a browser', () => {
    it('denies a page of another site, and serves the console', async () => {
      const site = createServer((__, res) => res.setHeader('content-type', 'text/html').end());
      const evil = `http://evil.example:${new URL(await listen(site)).port}/`;
      const browser = await launchBrowser(['--host-resolver-rules=MAP *.example 127.0.0.1']);
      const page = await browser.newPage();
      await page.goto(evil);
      const fetched = (url: string, init: { headers?: Record<string, string>; mode?: 'no-cors' }) =>
        page.evaluate(
          ([from, how]) => fetch(from, how).then(({ type, status }) => `${type} ${status}`, String),
          [url, init] as const,
        );
      const url = `http://localhost:${service.port}${PATH}`;
      expect(await fetched(url, { headers: { 'X-API-KEY': KEY } })).toBe(
        'TypeError: Failed to fetch',
      );
      expect(await fetched(url, { mode: 'no-cors' })).toBe('opaque 0');
      const rebound = `http://evil.example:${service.port}`;
      expect((await page.goto(rebound))?.status()).toBe(403);
      expect(await fetched(`${rebound}${PATH}`, {})).toBe('basic 403');
      for (const host of ['localhost', '127.0.0.1', '[::1]']) {
        const own = `http://${host}:${service.port}`;
        const tab = await openTab(browser, own);
        await tab.page.goto(`${own}/#group.example?shop=b`);
        await tab.page.fill('#key', KEY);
        await tab.page.keyboard.press('Enter');
        // On BigQuery itself, the values of a link wait for Run.
        await tab.page.waitForSelector('#run:focus');
        await tab.page.keyboard.press('Enter');
        // One number has no table.
        await tab.page.waitForSelector('.figures dd');
        expect(await tab.page.locator('.figures dd').allTextContents()).toEqual(['2']);
        expect(tab.faults).toEqual([]);
      }
      await browser.close();
    });
  });
});
