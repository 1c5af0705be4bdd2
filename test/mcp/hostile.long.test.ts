// Law of `POST /mcp`: no hostile message is a fault of the service or gets data of others. Others in each hour, and more with HOSTILE_MESSAGES.
import fc from 'fast-check';
import { listen } from '../support/service/listen.ts';
import { SEED } from '../support/random.ts';
import { leaveBodies, post } from './mcp-client.ts';
import { createQueryServer } from '../support/world.ts';

leaveBodies();

it('hostile messages get no 5xx and no data of others', async () => {
  const MESSAGES = Number(process.env.HOSTILE_MESSAGES ?? 2000);
  /** What no answer may contain: keys, values of other keys, places in the code, a fault of the service. */
  const LEAKS = /Internal error|sqk_|tenant-of-another|node_modules|\.ts:\d|\\n +at |apiKeys/;
  const MODERN = '2026-07-28';
  const META = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { any } = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(
        ...[
          null,
          true,
          0,
          -0,
          1e308,
          -1,
          0.1,
          2 ** 53,
          '',
          'a',
          '*',
          '../../..',
          '\u0000',
          '\ud800',
        ],
        ...['💥', '(a+)+$', "'; DROP TABLE x", 'a'.repeat(5000), '{"a":1}', '%00', '__proto__'],
        'tasks.run-stats',
      ),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', '', '*', '__proto__', 'name'), tie('any'), { maxKeys: 3 }),
    ),
  }));
  const mostly = (...usual: unknown[]) =>
    fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: any });
  const rarely = fc.option(any, { freq: 5, nil: undefined });
  const cursor = mostly(
    '0.AAAAAAAAAAAAAAAAAAAAAA',
    '200.',
    '1e9.x',
    `${'9'.repeat(400)}.a`,
    undefined,
  );
  const given = fc.record({
    ...{ project: mostly('a'), interval: mostly('hourly'), cursor, limit: rarely, columns: rarely },
    ...{ name: rarely, arguments: rarely, query: rarely, format: rarely },
  });
  const tools = [
    'web_visit-counts',
    'tasks_run-stats',
    'search',
    'describe',
    'run',
    'toString',
    '',
  ];
  const message = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: mostly(1, 1, undefined),
    method: fc.constantFrom(
      ...['initialize', 'server/discover', 'tools/list', 'tools/call', 'tools/call', 'ping'],
      ...['subscriptions/listen', 'resources/read', 'prompts/get', 'completion/complete'],
      ...['logging/setLevel', 'tasks/get', 'notifications/cancelled', 'sampling/createMessage'],
      ...['constructor', '__proto__', ''],
    ),
    params: fc.record({
      name: mostly(...tools),
      arguments: fc.oneof({ weight: 4, arbitrary: given }, { weight: 1, arbitrary: any }),
      _meta: mostly(undefined, undefined, META),
    }),
  });
  type Message = typeof message extends fc.Arbitrary<infer T> ? T : never;

  /** Those of today's protocol, which has some, and seldom others. */
  function headersOf({ method, params: { name, _meta } }: Message) {
    if (_meta !== META) return fc.constant({});
    const tool = typeof name === 'string' ? encodeURIComponent(name.toWellFormed()) : '';
    const right = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, 'Mcp-Name': tool };
    const others = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'].map((header) => ({
      ...{ ...right, [header]: 'none' },
    }));
    return fc.oneof(
      { weight: 9, arbitrary: fc.constant(right) },
      { weight: 1, arbitrary: fc.constantFrom(...others) },
    );
  }

  /** Characters are changed, left out or doubled. */
  const changed = (text: string) =>
    fc
      .array(fc.tuple(fc.nat(text.length), fc.constantFrom(...'"{],\\9-é\u0001', ''), fc.nat(2)), {
        minLength: 1,
        maxLength: 5,
      })
      .map((changes) => {
        const put = (all: string, [at, by, over]: [number, string, number]) =>
          all.slice(0, at) + by + all.slice(at + over);
        return changes.reduce(put, text);
      });
  const deep = fc.nat(20_000).chain((depth) => {
    const list = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    return fc.constantFrom(
      ...[`"deep":${list}`, `"params":${list}`, `"params":{"name":"run","arguments":${list}}`].map(
        (rest) => `{"jsonrpc":"2.0","id":1,"method":"tools/call",${rest}}`,
      ),
    );
  });
  const sent = message.chain((one) => {
    const text = JSON.stringify(one);
    const body = fc.oneof(
      { weight: 10, arbitrary: fc.constant(text) },
      { weight: 5, arbitrary: changed(text) },
      { weight: 2, arbitrary: any.map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: fc.constantFrom(`[${text}]`, `[${text},${text}]`) },
      { weight: 1, arbitrary: deep },
      {
        weight: 1,
        arbitrary: fc
          .nat(300_000)
          .map((size) => JSON.stringify({ ...one, padding: 'x'.repeat(size) })),
      },
    );
    return fc.tuple(body, headersOf(one));
  });
  const { server } = createQueryServer({ mcp: 'on' });
  await listen(server);
  const statuses: number[] = [];
  await fc.assert(
    fc.asyncProperty(sent, async ([body, headers]) => {
      const { status, text } = await post(server, body, headers);
      expect([status < 500, LEAKS.test(text), text.length < 60_000]).toEqual([true, false, true]);
      statuses.push(status);
    }),
    { numRuns: MESSAGES, seed: SEED, endOnFailure: true },
  );
  const countOf = (status: number) => statuses.filter((one) => one === status).length;
  expect([...new Set(statuses)].sort()).toEqual([200, 202, 400, 404, 413]);
  for (const status of [200, 400]) expect(countOf(status)).toBeGreaterThan(MESSAGES / 10);
}, 300_000);
