// The snippets of the console: each language sends every value as it was typed.
import { execFile, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
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
import { namedColumns } from '../support/sql/fake-sql-tree.ts';
import { listen } from '../support/service/listen.ts';
import { testDirectory } from '../support/temporary-directory.ts';

type Values = Record<string, string[]>;

const LANGUAGES = readLanguages(readFileSync('functions/console/call/languages.txt', 'utf8'));
const ORIGIN = 'https://queries.example.com';
const ENDPOINT = {
  path: '/api/endpoints/query/orders.per-day',
  row: namedColumns('day DATE REQUIRED, tags STRING REPEATED'),
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
/** The first has all texts. */
const CASES: Values[] = [{ ids: HOSTILE }, {}, ...fc.sample(anyValues, 12)];

function write(name: string, values: Values, origin = ORIGIN, credential = API_KEY): string {
  const language = LANGUAGES.find(({ label }) => label === name);
  if (language === undefined) throw new Error(`There is no ${name}.`);
  const pairs = Object.entries(values).flatMap(([key, all]) => all.map((one) => [key, one]));
  const parameters = new URLSearchParams(pairs);
  return writeCall(language, { origin, endpoint: ENDPOINT, parameters, credential });
}

const NODE = [process.execPath, '--input-type=module', '-e'];

// Each command runs the files of its snippets, in a scope of their own.
it.each(
  [
    {
      name: 'curl',
      isRepeated: true,
      command: ['bash', '-c', 'for file; do . "$file" || exit 1; done', 'bash'],
    },
    {
      name: 'JavaScript',
      isRepeated: true,
      command: [...NODE, 'for (const file of process.argv.slice(1)) await import(file);'],
    },
    {
      name: 'Python',
      isRepeated: true,
      command: [
        'python3',
        '-c',
        'import sys\nfor file in sys.argv[1:]: exec(open(file, encoding="utf-8", newline="").read(), {})',
      ],
    },
    {
      // What a spreadsheet has, with a stand-in for UrlFetchApp.
      name: 'Apps Script',
      isRepeated: false,
      command: [
        ...NODE,
        `
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
        }`,
      ],
    },
  ].filter(({ command: [program = ''] }) => spawnSync(program, ['--version']).status === 0),
)(
  '$name sends all values as they are, and the key or the token alone; asks again while the query goes on: $isRepeated',
  async ({ name, isRepeated, command: [program = '', ...args] }) => {
    /** A header takes all of it, and a shell would run a part of it. */
    const KEY = 'sqk_\'"$(id)`id`\\%PATH%';
    const TOKEN_TEXT = 'eyJhbGciOiJFZERTQSJ9.e30.c2ln';
    const directory = testDirectory('snippets-');
    const asked: object[] = [];
    /** How many of the next requests are told that their query goes on. */
    let runningCount = 0;
    const server = createServer(({ url = '', headers }, res) => {
      const { pathname: path, searchParams } = new URL(url, origin);
      const names = [...new Set(searchParams.keys())];
      const values = Object.fromEntries(names.map((one) => [one, searchParams.getAll(one)]));
      asked.push({ path, values, key: headers['x-api-key'], authorization: headers.authorization });
      if (runningCount > 0) {
        runningCount -= 1;
        res.writeHead(headers.prefer === undefined ? 503 : 202, { 'Retry-After': 0 });
        res.end('{"error":{}}');
      } else res.end('{"result":[{"day":"2026-11-20","tags":["a"]}]}');
    });
    const origin = await listen(server);
    /** Runs all snippets in one process; resolves to what it prints, and what was asked. */
    async function run(cases: Values[], credential = API_KEY) {
      const files = cases.map((values, index) => {
        const file = join(directory, `${index}.mjs`);
        writeFileSync(file, write(name, values, origin, credential));
        return file;
      });
      const env = { ...process.env, API_KEY: KEY, API_TOKEN: TOKEN_TEXT };
      const { stdout } = await promisify(execFile)(program, [...args, ...files], { env });
      return { printed: stdout.match(/2026-11-20|error/g), sent: asked.splice(0) };
    }

    const all = await run(CASES);
    expect(all.sent).toEqual(CASES.map((values) => ({ path: ENDPOINT.path, values, key: KEY })));
    expect(all.printed).toEqual(CASES.map(() => '2026-11-20'));
    const withToken = await run([{ shop: ['a'] }], TOKEN);
    const authorization = `Bearer ${TOKEN_TEXT}`;
    expect(withToken.sent).toEqual([expect.objectContaining({ key: undefined, authorization })]);
    if (!isRepeated) return;
    runningCount = 1;
    const again = await run([{ shop: ['a'] }]);
    expect([again.printed, again.sent.length]).toEqual([['2026-11-20'], 2]);
  },
);

it.each(LANGUAGES)('$label says where a key goes, and where a token goes', (language) => {
  const texts = (credential: typeof API_KEY): string =>
    `${fill(language.hint, credential)} ${write(language.label, {}, ORIGIN, credential)}`;
  expect(texts(API_KEY)).not.toMatch(/token|Bearer|Authorization/i);
  expect(texts(TOKEN)).not.toMatch(/\bkey\b|X-API-KEY|API_KEY/i);
  expect(fill(language.hint, TOKEN)).toMatch(/ the token .*`|`<your token>`/);
});

it('MCP has the address and the header, and no key', () => {
  for (const [credential, headers] of [
    [API_KEY, { 'X-API-KEY': '${API_KEY}' }],
    [TOKEN, { Authorization: 'Bearer ${API_TOKEN}' }],
  ] as const) {
    const server = { type: 'http', url: `${ORIGIN}/mcp`, headers };
    const written = JSON.parse(write('MCP', {}, ORIGIN, credential)) as unknown;
    expect(written).toEqual({ mcpServers: { 'saved-queries': server } });
  }
});

it('an empty list is an empty value in a query string', () => {
  expect(write('curl', { ids: [''] })).toContain("orders.per-day?ids='");
});

it('Power Query has all values as they are', async () => {
  const fixed = (placeholder: string) => [placeholder, ORIGIN, ENDPOINT.path.slice(1)];
  const columns = ['application/json', 'day', 'tags'];
  for (const values of CASES) {
    const code = write('Power Query', values);
    const read = { '': fixed('<your key>'), ...values, 'X-API-KEY': columns };
    expect(await readM(code)).toEqual(read);
    // Line breaks within a text would be changed by some clipboards.
    expect(code.split('\n')).toHaveLength(Object.keys(values).length + 11);
  }
  expect(await readM(write('Power Query', {}, ORIGIN, TOKEN))).toMatchObject({
    ...{ '': fixed('Bearer <your token>'), Authorization: columns },
  });
});

it('no language shows an invisible character, which could reorder what is read', () => {
  for (const { label } of LANGUAGES) {
    const code = write(label, { shop: ['\u202e\u2066\u200b\u{e0001}'] });
    expect([label, code]).toEqual([label, expect.not.stringMatching(/\p{Cf}/u)]);
  }
});
