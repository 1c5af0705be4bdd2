// Tests of `/mcp` as a resource of HTTP: who may call it, from where, and with which bodies.
import request, { type Response } from 'supertest';
import { listen } from '../support/service/listen.ts';
import { callTool, leaveBodies, post, rpc } from './mcp-client.ts';
import { API_KEY, type QueryServer, createQueryServer } from '../support/world.ts';
import { openConnection } from '../support/service/raw-http.ts';
import { turnsUntil } from '../support/until.ts';

let service: QueryServer;

leaveBodies();
beforeEach(() => {
  service = createQueryServer({ mcp: 'on' });
});

const HOURLY = { project: 'a', interval: 'hourly' };

const errorOf = ({ body }: Response) =>
  (body as { error?: { code: number; message: string; details?: { reason: string }[] } }).error;
/** Supertest would write a buffer as JSON. */
async function postBytes(bytes: Buffer): Promise<Response> {
  return post(service.server, '')
    .serialize(() => bytes as unknown as string)
    .send({});
}
const reasonOf = (answer: Response): string | undefined => errorOf(answer)?.details?.[0]?.reason;

it.each(['get', 'post', 'delete'] as const)(
  '/mcp does not exist for %s if MCP is off',
  async (method) => {
    service = createQueryServer();
    const answer = await request(service.server)[method]('/mcp').set('X-API-KEY', API_KEY);
    expect([answer.status, reasonOf(answer)]).toEqual([404, 'PATH_NOT_FOUND']);
  },
);

it.each([
  ['get', '/mcp', 'POST, OPTIONS'],
  ['delete', '/mcp', 'POST, OPTIONS'],
  ['put', '/mcp', 'POST, OPTIONS'],
  ['post', '/api/endpoints', 'GET, HEAD, OPTIONS'],
] as const)('%s %s is rejected: that path allows %s', async (method, path, allow) => {
  const answer = await request(service.server)[method](path).set('X-API-KEY', API_KEY);
  expect([answer.status, reasonOf(answer)]).toEqual([405, 'METHOD_NOT_ALLOWED']);
  expect(answer.headers.allow).toBe(allow);
});

describe('a web page', () => {
  const IMITATION = { 'X-Forwarded-Host': 'evil.example.com', 'X-Forwarded-Proto': 'https' };
  const from = (origin: string, headers = {}): Promise<Response> =>
    post(service.server, rpc('tools/list'), {
      Origin: origin,
      Host: 'queries.example.com',
      ...headers,
    });

  it.each([
    ['https://evil.example.com', {}],
    ['null', {}],
    ['https://queries.example.com.evil.example', {}],
    ['https://queries.example.com:444', {}],
    ['https://evil.example.com', IMITATION],
  ])('of %s may not call tools, even if CORS_ORIGINS is *: %j', async (origin, headers) => {
    const answer = await from(origin, headers);
    expect([answer.status, reasonOf(answer)]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
    expect(service.keyStore.lookups).toEqual([]);
  });

  it('of the service itself may call tools', async () => {
    expect((await from('https://queries.example.com')).status).toBe(200);
  });

  it('of a listed origin may call tools', async () => {
    service = createQueryServer({ mcp: 'on', corsOrigins: ['https://app.example.com'] });
    const answer = await from('https://app.example.com');
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example.com');
    expect((await from('https://other.example.com')).status).toBe(403);
  });
});

describe('a request body', () => {
  const list = (padding: number): string =>
    JSON.stringify(rpc('tools/list', { padding: 'x'.repeat(padding) }));

  it('of 256 KiB is accepted, and one more byte is rejected', async () => {
    const most = 256 * 1024;
    const own = list(0).length;
    expect((await post(service.server, list(most - own))).status).toBe(200);
    const answer = await post(service.server, list(most - own + 1));
    expect([answer.status, reasonOf(answer)]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it('without a key is not read', async () => {
    const answer = await post(service.server, list(300_000), { 'X-API-KEY': 'sqk_unknown-key' });
    expect(answer.status).toBe(401);
  });

  it.each([
    ['nothing', '', 400, -32_700],
    ['no JSON', '{"jsonrpc":', 400, -32_700],
    ['a batch', [rpc('tools/list'), rpc('tools/list')], 400, -32_600],
    ['no message', { hello: 1 }, 400, undefined],
    ['a subscription', rpc('subscriptions/listen'), 404, -32_601],
  ])('of %s gets a JSON-RPC error', async (_, message, status, code) => {
    const answer = await post(service.server, message);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0' });
    if (code !== undefined) expect(errorOf(answer)?.code).toBe(code);
  });

  it.each([
    ['s-1', 's-1'],
    [{ of: 'another type' }, null],
  ])('of a subscription with the id %j gets an error with the id %j', async (id, expected) => {
    const answer = await post(service.server, { ...rpc('subscriptions/listen'), id });
    expect(answer.body).toMatchObject({ id: expected, error: { code: -32_601 } });
  });

  it.each([
    ['initialize', { clientInfo: { name: 'a', version: '1', icons: Array(100_000).fill(0) } }],
    ['tools/list', { _meta: Object.fromEntries(Array(600).fill(0).entries()) }],
    ['tools/call', { name: 'run', arguments: {}, inputResponses: Array(600).fill(0) }],
    ['tools/call', { name: 'run', arguments: Array(600).fill(0) }],
  ])('of %s with very many values is rejected with a short message', async (method, params) => {
    const answer = await post(service.server, rpc(method, params));
    expect([answer.status, errorOf(answer)?.code]).toEqual([400, -32_600]);
    expect(answer.text.length).toBeLessThan(200);
  });

  it('that arrives slowly is cut off after ten seconds', async () => {
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

  const UNREAD = [
    ...['', 'text/plain', 'multipart/form-data; boundary=x', 'application/json-seq'],
    ...['iso-8859-1', 'utf-16', 'us-ascii', 'utf-8; charset=utf-16', ''].map(
      (charset) => `application/json; charset=${charset}`,
    ),
    ...['application/json, text/plain', "application/json; charset*=utf-8''utf-16"],
    'application/json; charset = utf-16',
  ];
  it.each<readonly [string, number]>([
    ['application/json', 200],
    ['Application/JSON ; charset="UTF-8"', 200],
    ['application/json; charset=utf8', 200],
    ...UNREAD.map((contentType) => [contentType, 415] as const),
  ])('of the content type "%s" gets %i', async (contentType, status) => {
    const answer = await post(service.server, rpc('ping'), { 'Content-Type': contentType });
    expect(answer.status).toBe(status);
    if (status !== 200) expect(errorOf(answer)?.code).toBe(-32_000);
  });

  it.each([
    ['gzip', 415],
    ['br', 415],
    ['identity, gzip', 415],
    ['Identity', 200],
  ])('of the encoding "%s" gets %i', async (encoding, status) => {
    const answer = await post(service.server, rpc('ping'), { 'Content-Encoding': encoding });
    expect(answer.status).toBe(status);
  });

  it.each([
    ['a byte that is no UTF-8', [0xff]],
    ['a letter of Latin-1', [0xe9]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a letter in too many bytes', [0xc1, 0x81]],
    ['a letter cut off', [0xe2, 0x82]],
    ['a control character', [0x01]],
  ])('with %s in a text is rejected', async (_, bytes) => {
    const body = JSON.stringify(rpc('tools/call', { name: 'web_visit-counts', arguments: HOURLY }));
    const [before = '', after = ''] = body.split('hourly');
    const sent = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    const answer = await postBytes(sent);
    const message = 'The body is not JSON in UTF-8, or it is nested too deeply.';
    expect([answer.status, errorOf(answer)]).toMatchObject([400, { code: -32_700, message }]);
    expect(service.queryRunner.requests).toEqual([]);
  });

  it('with a byte order mark is rejected', async () => {
    const answer = await postBytes(Buffer.from(`\ufeff${JSON.stringify(rpc('ping'))}`));
    expect([answer.status, errorOf(answer)?.code]).toEqual([400, -32_700]);
  });

  it('of a notification is accepted without an answer', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const answer = await post(service.server, message);
    expect([answer.status, answer.text]).toEqual([202, '']);
  });
});

it('responses may not be stored by caches, and have no session id', async () => {
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const answer = await post(service.server, rpc('initialize', params));
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  expect(answer.headers).not.toHaveProperty('mcp-session-id');
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    vary: 'Accept, Accept-Encoding, Authorization, Origin, X-API-KEY',
  });
});

describe('the limits of a key', () => {
  const AGENT = 'sqk_agent-with-limits';
  const call = (interval: string) =>
    callTool(service.server, 'web_visit-counts', { project: 'a', interval }, AGENT);

  it('count each message as a request', async () => {
    service.keyStore.add(AGENT, { name: 'agent', requestsPerMinute: 3 });
    const send = async (method: string): Promise<unknown[]> => {
      const answer = await post(service.server, rpc(method), { 'X-API-KEY': AGENT });
      return [answer.status, answer.headers.ratelimit, answer.headers['retry-after']];
    };
    expect(await send('tools/list')).toEqual([200, '"requests";r=2;t=20', undefined]);
    expect((await call('hourly')).isError).not.toBe(true);
    expect((await send('ping'))[0]).toBe(200);
    expect(await send('tools/list')).toEqual([429, '"requests";r=0;t=20', '20']);
    service.clock.advance(20_000);
    expect((await send('tools/list'))[0]).toBe(200);
  });

  it('allow repeating a stored call when its misses are used up, and state when to try another', async () => {
    service.keyStore.add(AGENT, { name: 'agent', missesPerMinute: 1 });
    expect((await call('hourly')).isError).not.toBe(true);
    const refused = await call('daily');
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toMatch(/Wait 60 seconds before the next call\.$/);
    expect((await call('hourly')).isError).not.toBe(true);
    expect(service.queryRunner.requests).toHaveLength(1);
  });
});
