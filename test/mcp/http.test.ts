// Tests of `/mcp` as a resource of HTTP: who may call it, from where, and with which bodies.
import type { Response } from 'supertest';
import { listen } from '../support/service/listen.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { leaveBodies, post, rpc } from './mcp-client.ts';
import { API_KEY, createQueryServer } from '../support/world.ts';
import { openConnection } from '../support/service/raw-http.ts';
import { turnsUntil } from '../support/until.ts';

leaveBodies();
it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps, { mcp: 'on' }));

const errorOf = ({ body }: Response) =>
  (body as { error?: { code: number; message: string; details?: { reason: string }[] } }).error;

it('a request body of 256 KiB is accepted, and one more byte is rejected', async () => {
  const service = createQueryServer({ mcp: 'on' });
  const list = (padding: number): string =>
    JSON.stringify(rpc('tools/list', { padding: 'x'.repeat(padding) }));
  const most = 256 * 1024;
  const own = list(0).length;
  expect((await post(service.server, list(most - own))).status).toBe(200);
  const answer = await post(service.server, list(most - own + 1));
  expect([answer.status, errorOf(answer)?.details?.[0]?.reason]).toEqual([413, 'BODY_TOO_LARGE']);
});

it('a request body without a key is not read', async () => {
  const service = createQueryServer({ mcp: 'on' });
  const answer = await post(service.server, 'x'.repeat(300_000), {
    'X-API-KEY': 'sqk_unknown-key',
  });
  expect(answer.status).toBe(401);
});

it.each([
  ['initialize', { clientInfo: { name: 'a', version: '1', icons: Array(100_000).fill(0) } }],
  ['tools/list', { _meta: Object.fromEntries(Array(600).fill(0).entries()) }],
  ['tools/call', { name: 'run', arguments: {}, inputResponses: Array(600).fill(0) }],
  ['tools/call', { name: 'run', arguments: Array(600).fill(0) }],
])(
  'a request body of %s with very many values is rejected with a short message',
  async (method, params) => {
    const service = createQueryServer({ mcp: 'on' });
    const answer = await post(service.server, rpc(method, params));
    expect([answer.status, errorOf(answer)?.code]).toEqual([400, -32_600]);
    expect(answer.text.length).toBeLessThan(200);
  },
);

it('a request body that arrives slowly is cut off after ten seconds', async () => {
  const service = createQueryServer({ mcp: 'on' });
  const { port } = new URL(await listen(service.server));
  const connection = await openConnection(Number(port));
  const path =
    'POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n';
  await connection.send(`${path}X-API-KEY: ${API_KEY}\r\n\r\n{"jsonrpc":`);
  let status: number | undefined;
  void connection.answer().then((answer) => (status = answer.status));
  await turnsUntil(
    () => status !== undefined,
    () => service.clock.advance(service.keyStore.lookups.length > 0 ? 1000 : 0),
  );
  expect(status).toBe(408);
});

it.each([
  ['a byte that is no UTF-8', [0xff]],
  ['a letter of Latin-1', [0xe9]],
  ['half a surrogate pair', [0xed, 0xa0, 0x80]],
  ['a letter in too many bytes', [0xc1, 0x81]],
  ['a letter cut off', [0xe2, 0x82]],
  ['a control character', [0x01]],
])('a request body with %s in a text is rejected', async (_, bytes) => {
  const service = createQueryServer({ mcp: 'on' });
  const HOURLY = { project: 'a', interval: 'hourly' };
  const body = JSON.stringify(rpc('tools/call', { name: 'web_visit-counts', arguments: HOURLY }));
  const [before = '', after = ''] = body.split('hourly');
  const sent = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
  // Supertest would write a buffer as JSON.
  const answer = await post(service.server, '')
    .serialize(() => sent as unknown as string)
    .send({});
  const message = 'The body is not JSON in UTF-8, or it is nested too deeply.';
  expect([answer.status, errorOf(answer)]).toMatchObject([400, { code: -32_700, message }]);
  expect(service.queryRunner.requests).toEqual([]);
});
