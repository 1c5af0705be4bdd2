// Tests that `npm start` works without a network, and tries no connection to the outside.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { LOCAL_KEY, startLocalService } from '../support/service/local-service.ts';
import { testDirectory } from '../support/temporary-directory.ts';

const PRELOADED = pathToFileURL('test/support/processes/refuse-outside.ts').href;

let environment: Record<string, string>;

beforeEach(() => {
  environment = {
    NODE_OPTIONS: `--import ${PRELOADED}`,
    REFUSED_OUTSIDE: join(testDirectory('outside-'), 'refused'),
  };
});

/** The attempts so far. */
function refused(): string {
  const { REFUSED_OUTSIDE: file = '' } = environment;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

it('the guard notes and blocks every way out', async () => {
  const code = `
    const ways = [
      () => fetch('https://192.0.2.1/'),
      () => fetch('https://example.com/'),
      () => require('node:tls').connect(443, '192.0.2.2'),
      () => require('node:dns').resolve4('example.org', () => {}),
      () => require('node:dgram').createSocket('udp4').send('x', 53, '192.0.2.1'),
    ];
    process.on('uncaughtException', () => {});
    for (const way of ways) try { way()?.catch?.(() => {}); } catch {}`;
  await promisify(execFile)(process.execPath, ['-e', code], {
    env: { ...process.env, ...environment },
  });
  const names = ['connect 192.0.2.1', 'example.com', 'connect 192.0.2.2', 'resolve4 example.org'];
  for (const noted of [...names, 'send 192.0.2.1']) expect(refused()).toContain(noted);
});

it('serves rows, the console, the catalogue and warming without an outgoing connection', async () => {
  const service = await startLocalService(LOCAL_KEY, ['--warm-seconds', '1'], {
    ...environment,
    // As on a laptop where somebody works with Google Cloud.
    METADATA_SERVER_DETECTION: '',
    GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/credentials.json',
  });
  const calls = [...service.stdout().matchAll(/^ {2}curl .* '(http:.*)'$/gm)];
  expect(calls.length).toBeGreaterThan(0);
  const headers = { 'X-API-KEY': LOCAL_KEY };
  for (const [, url = ''] of calls) {
    const answer = await fetch(url, { headers });
    const { result } = (await answer.json()) as { result: object[] };
    // Requests are in the local BigQuery a second later.
    if (!url.includes('/service.usage')) expect(result.length).toBeGreaterThan(0);
  }
  for (const path of ['', 'api/endpoints', 'api/endpoints/openapi.json']) {
    expect((await fetch(`${service.url}/${path}`, { headers })).status).toBe(200);
  }
  await service.until(/^warm 200 .*"live":[1-9]/m);
  expect(service.stderr()).toBe('');
  expect(await service.stop()).toEqual([0, null]);
  expect(refused()).toBe('');
});
