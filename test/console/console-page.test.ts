// Tests of the page of the console: when it is served, and what it may load.
import request from 'supertest';
import { loadConsole } from '../../functions/http/console-page.ts';
import { buildConsolePage } from '../support/browser/console-server.ts';
import { createQueryServer } from '../support/world.ts';

const load = await buildConsolePage();
const page = load();

it('the page is there for everybody, with a policy that allows its own script and style alone', async () => {
  const { server } = createQueryServer({ console: page });
  const answer = await request(server).get('/');
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
    ) as string,
  });
  expect(answer.text).toMatch(/^<!doctype html>/);
  const repeated = await request(server).get('/').set('If-None-Match', String(answer.headers.etag));
  expect(repeated.status).toBe(304);
  expect((await request(server).post('/')).status).toBe(405);
});

it('the page is at most 95 kB on the wire, names no other place and no endpoint, and is told apart where it runs examples', () => {
  expect(page.gzip?.length).toBeLessThan(95_000);
  const text = page.body.toString();
  const places = [...text.matchAll(/https?:\/\/[^\s"'<)]+/g)].map(([url]) => url);
  expect(places.filter((url) => !url.startsWith('http://www.w3.org/'))).toEqual([]);
  expect(text).not.toMatch(/run-stats|data-examples/);
  const examples = load({ runsExamples: true });
  expect(examples.body.toString()).toContain('<html data-examples="run" lang="en">');
  expect(examples.etag).not.toBe(page.etag);
});

it('the page is not there where the console is off', async () => {
  const answer = await request(createQueryServer().server).get('/');
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ error: { details: [{ reason: 'PATH_NOT_FOUND' }] } });
});

it('reports how to build it if it is missing', () => {
  expect(() => loadConsole('no/console.html')).toThrow(
    'CONSOLE is on, but no/console.html is missing: npm start and npm run bundle build it.',
  );
});
