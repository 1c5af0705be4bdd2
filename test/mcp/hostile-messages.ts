// Sends hostile messages to `POST /mcp`: no answer is a fault of the service or contains data of others.
import { API_KEY, type QueryServer } from '../support/world.ts';
import { createRandom, pickOf } from '../support/random.ts';

const HEADERS = {
  'X-API-KEY': API_KEY,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const METHODS = [
  ...['initialize', 'server/discover', 'tools/list', 'tools/call', 'ping', 'subscriptions/listen'],
  ...['resources/read', 'prompts/get', 'completion/complete', 'logging/setLevel', 'tasks/get'],
  ...['notifications/cancelled', 'sampling/createMessage', 'constructor', '__proto__', ''],
];
const TOOLS = ['web_visit-counts', 'tasks_run-stats', 'search', 'describe', 'run', 'toString', ''];
const CURSORS = ['0.AAAAAAAAAAAAAAAAAAAAAA', '200.', '1e9.x', `${'9'.repeat(400)}.a`, '\u0000'];

/** What no answer may contain: keys, values of other keys, places in the code. */
const LEAKS = /sqk_|tenant-of-another|node_modules|\.ts:\d|\\n +at |apiKeys/;

export async function sendHostileMessages(service: QueryServer, count: number, seed: number) {
  const random = createRandom(seed);
  const { port } = service.server.address() as { port: number };
  const statuses = new Map<number, number>();
  for (let index = 0; index < count; index += 1) {
    const { body, headers } = hostileMessage(random);
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body,
    });
    const text = await answer.text();
    const told = `seed ${seed}, message ${index}: ${answer.status} ${text.slice(0, 300)} for ${body.slice(0, 300)}`;
    if (answer.status >= 500 || LEAKS.test(text)) throw new Error(told);
    if (text.length > 60_000) throw new Error(`${told}, ${text.length} characters`);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  }
  return statuses;
}

type Message = { body: string; headers: Record<string, string> };

function hostileMessage(random: () => number): Message {
  const method = pickOf(METHODS, random);
  const isModern = random() < 0.4;
  const params: Record<string, unknown> = {
    name: random() < 0.8 ? pickOf(TOOLS, random) : anyValue(random, 2),
    arguments: random() < 0.8 ? hostileArguments(random) : anyValue(random, 3),
    ...(isModern ? { _meta: random() < 0.9 ? ENVELOPE : anyValue(random, 2) } : {}),
  };
  const id = random() < 0.8 ? 1 : pickOf([undefined, anyValue(random, 1)], random);
  const message = { jsonrpc: '2.0', id, method, params };
  const headers: Record<string, string> = isModern
    ? {
        'MCP-Protocol-Version': random() < 0.9 ? '2026-07-28' : 'none',
        ...(random() < 0.9 ? { 'Mcp-Method': method } : {}),
        ...(typeof params.name === 'string' && random() < 0.9
          ? { 'Mcp-Name': encodeURIComponent(params.name.toWellFormed()) }
          : {}),
      }
    : {};
  const kind = random();
  if (kind < 0.5) return { body: JSON.stringify(message), headers };
  if (kind < 0.75) return { body: mutate(JSON.stringify(message), random), headers };
  if (kind < 0.85) return { body: JSON.stringify(anyValue(random, 4)), headers };
  if (kind < 0.9) {
    const batch = Array.from({ length: 1 + Math.floor(random() * 5) }, () => message);
    return { body: JSON.stringify(batch), headers };
  }
  if (kind < 0.95) {
    const depth = Math.floor(random() * 20_000);
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const rest = pickOf(
      [`"deep":${deep}`, `"params":${deep}`, `"params":{"name":"run","arguments":${deep}}`],
      random,
    );
    return { body: `{"jsonrpc":"2.0","id":1,"method":"tools/call",${rest}}`, headers };
  }
  const size = Math.floor(random() * 300_000);
  return { body: JSON.stringify({ ...message, padding: 'x'.repeat(size) }), headers };
}

function hostileArguments(random: () => number): Record<string, unknown> {
  const given: Record<string, unknown> = {
    project: random() < 0.7 ? 'a' : anyValue(random, 2),
    interval: random() < 0.7 ? 'hourly' : anyValue(random, 2),
  };
  if (random() < 0.4) given.cursor = random() < 0.7 ? pickOf(CURSORS, random) : anyValue(random, 1);
  if (random() < 0.2) given.limit = anyValue(random, 1);
  if (random() < 0.2) given.columns = anyValue(random, 2);
  const others = ['name', 'arguments', 'query', '__proto__', 'format'];
  if (random() < 0.2) given[pickOf(others, random)] = anyValue(random, 2);
  return given;
}

const VALUES = [
  ...[null, true, 0, -0, 1e308, -1, 0.1, 2 ** 53, '', 'a', '*', '../../..', '\u0000', '\ud800'],
  ...['💥', '(a+)+$', "'; DROP TABLE x", 'a'.repeat(5000), '{"a":1}', '%00', '__proto__'],
  'tasks.run-stats',
];

function anyValue(random: () => number, depth: number): unknown {
  const kind = random();
  if (depth === 0 || kind < 0.6) return pickOf(VALUES, random);
  const length = Math.floor(random() * 4);
  if (kind < 0.8) return Array.from({ length }, () => anyValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length }, () => [
      String(pickOf(VALUES, random)).slice(0, 50),
      anyValue(random, depth - 1),
    ]),
  );
}

/** Characters changed, left out or doubled. */
function mutate(message: string, random: () => number): string {
  let mutated = message;
  for (let change = 0; change < 1 + random() * 4; change += 1) {
    const at = Math.floor(random() * mutated.length);
    const put = pickOf(['', '"', '{', ']', ',', '\\', '9', 'null', '\u0001', '-', 'é'], random);
    mutated = mutated.slice(0, at) + put + mutated.slice(at + Math.floor(random() * 3));
  }
  return mutated;
}
