// The snippets of the console: each language sends every value as it was typed.
import { execFile, spawnSync } from 'node:child_process';
import { type IncomingMessage, createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import {
  API_KEY,
  TOKEN,
  fill,
  readLanguages,
  writeCall,
} from '../../functions/console/call/languages.ts';
import { casesBeside } from '../support/cases.ts';
import { readM } from '../support/read-m.ts';
import { rowOf } from '../support/sql/fake-sql-tree.ts';
import { listen } from '../support/service/listen.ts';
import { testDirectory } from '../support/temporary-directory.ts';

type Values = Record<string, string[]>;
type Command = [string, ...string[]];

const LANGUAGES = readLanguages(readFileSync('functions/console/call/languages.txt', 'utf8'));
/** A header takes all of it, and a shell would run a part of it. */
const KEY = 'sqk_\'"$(id)`id`\\%PATH%';
const TOKEN_TEXT = 'eyJhbGciOiJFZERTQSJ9.e30.c2ln';
const ENDPOINT = {
  path: '/api/endpoints/query/orders.per-day',
  row: Object.entries(rowOf('day DATE REQUIRED, tags STRING REPEATED')).map(([name, column]) => ({
    name,
    ...column,
  })),
};
/** One of each kind of text that a language could read as something else. */
const HOSTILE = casesBeside(import.meta.filename)<string>('hostile texts');
const anyText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.array(fc.constantFrom(...HOSTILE), { minLength: 1 }).map((parts) => parts.join('')),
);
const anyValues: fc.Arbitrary<Values> = fc
  .record(
    { shop: fc.tuple(anyText), in: fc.tuple(anyText), ids: fc.array(anyText, { minLength: 1 }) },
    { requiredKeys: [] },
  )
  .map((values) => ({ ...values }));
/** A process each: the first has all texts. */
const CASES: Values[] = [{ ids: HOSTILE }, {}, ...fc.sample(anyValues, 12)];

let origin: string;
let directory: string;
/** How many of the next requests are told that their query goes on. */
let runningCount = 0;
const asked: ReturnType<typeof readRequest>[] = [];

function readRequest(req: IncomingMessage) {
  const { pathname, searchParams } = new URL(req.url ?? '', origin);
  const names = [...new Set(searchParams.keys())];
  return {
    path: pathname,
    values: Object.fromEntries(names.map((name) => [name, searchParams.getAll(name)])),
    key: req.headers['x-api-key'],
    authorization: req.headers.authorization,
  };
}

beforeAll(async () => {
  directory = testDirectory('snippets-');
  const server = createServer((req, res) => {
    asked.push(readRequest(req));
    if (runningCount > 0) {
      runningCount -= 1;
      res.writeHead(req.headers.prefer === undefined ? 503 : 202, { 'Retry-After': 0 });
      res.end('{"error":{}}');
      return;
    }
    res.end('{"result":[{"day":"2026-11-20","tags":["a"]}]}');
  });
  origin = await listen(server);
});
beforeEach(() => void asked.splice(0));

function write(name: string, values: Values, to = origin, credential = API_KEY): string {
  const language = LANGUAGES.find(({ label }) => label === name);
  if (language === undefined) throw new Error(`There is no ${name}.`);
  const pairs = Object.entries(values).flatMap(([key, all]) => all.map((one) => [key, one]));
  const parameters = new URLSearchParams(pairs);
  return writeCall(language, { origin: to, endpoint: ENDPOINT, parameters, credential });
}

/** Runs all snippets in one process, each in a scope of its own; resolves to what it prints. */
async function runAll([command, ...args]: Command, snippets: readonly string[]): Promise<string> {
  const files = snippets.map((snippet, index) => {
    const file = join(directory, `${index}.mjs`);
    writeFileSync(file, snippet);
    return file;
  });
  const env = { ...process.env, API_KEY: KEY, API_TOKEN: TOKEN_TEXT };
  const { stdout } = await promisify(execFile)(command, [...args, ...files], { env });
  return stdout;
}

const NODE = 'for (const file of process.argv.slice(1)) await import(file);';
const PYTHON =
  'import sys\nfor file in sys.argv[1:]: exec(open(file, encoding="utf-8", newline="").read(), {})';
/** What a spreadsheet has of Apps Script, with a stand-in for UrlFetchApp. */
const APPS_SCRIPT = `
  import { execFileSync } from 'node:child_process';
  import { readFileSync } from 'node:fs';
  import { runInNewContext } from 'node:vm';
  const UrlFetchApp = {
    fetch(url, { headers }) {
      const pairs = Object.entries(headers).flatMap(([name, value]) => ['-H', name + ': ' + value]);
      const body = execFileSync('curl', ['--silent', '--globoff', ...pairs, url], { encoding: 'utf8' });
      return { getResponseCode: () => 200, getContentText: () => body };
    },
  };
  const PropertiesService = {
    getScriptProperties: () => ({ getProperty: (name) => process.env[name] }),
  };
  for (const file of process.argv.slice(1)) {
    const code = readFileSync(file, 'utf8') + '\\nJSON.stringify(savedQuery())';
    console.log(runInNewContext(code, { UrlFetchApp, PropertiesService }));
  }`;
const SHELL: Command = ['bash', '-c', 'for file; do . "$file" || exit 1; done', 'bash'];
const node = (code: string): Command => [process.execPath, '--input-type=module', '-e', code];
const RUNS: Record<string, Command> = {
  curl: SHELL,
  JavaScript: node(NODE),
  ...(spawnSync('python3', ['--version']).status === 0 && { Python: ['python3', '-c', PYTHON] }),
  'Apps Script': node(APPS_SCRIPT),
};

it.each(Object.entries(RUNS))(
  '%s sends all values as they are, and the key',
  async (id, command) => {
    const snippets = CASES.map((values) => write(id, values));
    const printed = await runAll(command, snippets);
    const { path } = ENDPOINT;
    expect(asked).toEqual(CASES.map((values) => ({ path, values, key: KEY })));
    expect(printed.match(/2026-11-20/g)).toHaveLength(CASES.length);
  },
);

it.each(Object.entries(RUNS).filter(([id]) => id !== 'Apps Script'))(
  '%s asks again while the query goes on',
  async (id, command) => {
    runningCount = 1;
    const printed = await runAll(command, [write(id, { shop: ['a'] })]);
    expect(printed.match(/2026-11-20|error/g)).toEqual(['2026-11-20']);
    expect(asked).toHaveLength(2);
  },
);

it.each(Object.entries(RUNS))(
  '%s sends a token as Authorization: Bearer, and no key',
  async (id, command) => {
    await runAll(command, [write(id, { shop: ['a'] }, origin, TOKEN)]);
    const authorization = `Bearer ${TOKEN_TEXT}`;
    expect(asked).toEqual([expect.objectContaining({ key: undefined, authorization })]);
  },
);

it.each(LANGUAGES)('$label says where a key goes, and where a token goes', (language) => {
  const texts = (credential: typeof API_KEY): string =>
    `${fill(language.hint, credential)} ${write(language.label, {}, origin, credential)}`;
  expect(texts(API_KEY)).not.toMatch(/token|Bearer|Authorization/i);
  expect(texts(TOKEN)).not.toMatch(/\bkey\b|X-API-KEY|API_KEY/i);
  expect(fill(language.hint, TOKEN)).toMatch(/ the token .*`|`<your token>`/);
});

it('MCP has the address and the header, and no key', () => {
  for (const [credential, headers] of [
    [API_KEY, { 'X-API-KEY': '${API_KEY}' }],
    [TOKEN, { Authorization: 'Bearer ${API_TOKEN}' }],
  ] as const) {
    const server = { type: 'http', url: `${origin}/mcp`, headers };
    const written = JSON.parse(write('MCP', {}, origin, credential)) as unknown;
    expect(written).toEqual({ mcpServers: { 'saved-queries': server } });
  }
});

it('an empty list is an empty value in a query string', () => {
  expect(write('curl', { ids: [''] })).toContain("orders.per-day?ids='");
});

it('Power Query has all values as they are', async () => {
  const fixed = (placeholder: string) => [placeholder, origin, ENDPOINT.path.slice(1)];
  const columns = ['application/json', 'day', 'tags'];
  for (const values of CASES) {
    const code = write('Power Query', values);
    const read = { '': fixed('<your key>'), ...values, 'X-API-KEY': columns };
    expect(await readM(code)).toEqual(read);
    // Line breaks within a text would be changed by some clipboards.
    expect(code.split('\n')).toHaveLength(Object.keys(values).length + 11);
  }
  expect(await readM(write('Power Query', {}, origin, TOKEN))).toMatchObject({
    ...{ '': fixed('Bearer <your token>'), Authorization: columns },
  });
});

it('no language shows an invisible character, which could reorder what is read', () => {
  for (const { label } of LANGUAGES) {
    const code = write(label, { shop: ['\u202e\u2066\u200b\u{e0001}'] });
    expect([label, code]).toEqual([label, expect.not.stringMatching(/\p{Cf}/u)]);
  }
});
