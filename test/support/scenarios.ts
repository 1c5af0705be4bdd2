// Runs a text file of scenarios: each of its tables is a test over HTTP, and each line of a table a step of it, in JSON.
import request from 'supertest';
import { type Reason, ServiceError } from '../../functions/core/errors.ts';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import type { QueryRequest } from '../../functions/core/query-runner.ts';
import { withChecksum } from '../../functions/keys/access.ts';
import { queryResult } from './fakes/fake-query-runner.ts';
import { inBytes } from './in-bytes.ts';
import { type Fields, expectFields, expectTold } from './scenario-answers.ts';
import { storeActs } from './scenario-stores.ts';
import { listen } from './service/listen.ts';
import { createSigner } from './service/sign-token.ts';
import { columns } from './sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from './sql/fake-sql-tree.ts';
import { testCatalogueWith } from './sql/test-sql.ts';
import { loadTypedEndpoints } from './sql/typed-endpoints.ts';
import { type Acts, type Step, runSteps, takeAll } from './steps.ts';
import { API_KEY, createQueryServer } from './world.ts';

/** Of the clock of a new service; times of tokens are written as numbers. */
const NOW = Date.parse('2026-11-20T10:00:00Z') / 1000;
const signer = createSigner();

/**
 * A status, or what is expected by name: of the answer, or of a header; `null` is none, and `/…/` a regular expression.
 * With `same` the body is that of the answer before.
 */
type Told = number | Fields;
/**
 * `["METHOD /path", { headers, and the body }, told]`: without a method a GET, and without a slash a call of an endpoint.
 * `["CALL tool", arguments, told]` and `["RPC method", parameters, told]` are messages to `/mcp`; arguments may be a text.
 */
export type Exchange =
  [line: string, told: Told] | [line: string, sent: Fields | string, told: Told];

type Settings = NonNullable<Parameters<typeof createQueryServer>[0]>;

/** Takes the steps of one test; the settings are those of each service. */
export async function runScenario(steps: readonly Step[], settings: Settings = {}): Promise<void> {
  await runSteps(createScenario(settings), steps);
}

function createScenario(usual: Settings): Acts {
  let service = createQueryServer(usual);
  /** Those that share their stores, in the order of their starts. */
  let instances = [service];
  /** The headers with which requests come. */
  let caller: Fields = { 'X-API-KEY': API_KEY };
  /** What stands for `$token`, `$etag` and the like in what is sent. */
  const known: Record<string, string> = { kid: signer.id, public: signer.stored().publicKey ?? '' };
  const heard: string[] = [];

  const filled = (text: unknown) =>
    String(text).replaceAll(/\$([a-z]+)/g, (whole, name: string) => known[name] ?? whole);

  const withFilled = (fields: Fields): Fields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, of]) => [name, typeof of === 'string' ? filled(of) : of]),
    );

  async function exchange([line, ...rest]: Exchange): Promise<void> {
    const { server } = service;
    const told = rest.at(-1) as Told;
    const given = rest.length > 1 ? (rest[0] as Fields | string) : {};
    const [, word = 'GET', target = ''] = /^(?:([A-Z]+) )?(.*)$/s.exec(filled(line)) ?? [];
    const message = messageOf(word, target, given);
    const { body, ...headers } = message ? { body: message } : (given as Fields);
    const [method, path] = message ? ['POST', '/mcp'] : [word, pathOf(target)];
    if (!server.listening) await listen(server);
    const verb = method.toLowerCase() as 'get' | 'head' | 'post';
    const sent = request(server)[verb](path).timeout(15_000);
    const types = path === '/mcp' && { Accept: 'application/json, text/event-stream' };
    if (body !== undefined) void sent.type('json');
    // What a request says of its key is all that it says of it.
    const isOther = 'Authorization' in headers || 'X-API-KEY' in headers;
    const all = { ...types, ...(isOther ? {} : caller), ...headers };
    for (const [name, value] of Object.entries(all)) {
      if (value !== null) void sent.set(name, filled(value));
    }
    if (body !== undefined)
      void sent.send(filled(typeof body === 'string' ? body : JSON.stringify(body)));
    const answer = await (method === 'HEAD' ? sent : inBytes(sent));
    const text = method === 'HEAD' ? answer.text : String(answer.body);
    heard.push(text, JSON.stringify(answer.headers));
    const { same, ...expected }: Fields = typeof told === 'number' ? { status: told } : told;
    if (same === true) expect([line, text]).toEqual([line, heard.at(-4)]);
    try {
      Object.assign(known, expectTold(line, answer, text, withFilled(expected)));
    } catch (error) {
      // An answer does not say why it has the status 500.
      const cause = answer.status === 500 && JSON.stringify(service.log.lines.at(-1)?.fields.error);
      if (cause) (error as Error).message += `\n${cause}`;
      throw error;
    }
  }

  const current = () => service;
  const acts: Acts = {
    '': exchange,
    ...storeActs(current, (steps) => takeAll(acts, steps), exchange),
    /** A new service: with settings, and with other endpoints than those of `test/sql`. */
    service: (settings: Fields) => {
      service = createQueryServer({ ...usual, ...settingsOf(settings) });
      instances = [service];
    },
    /** Another instance, which shares the stores. */
    instance: (settings: Fields) => {
      service = createQueryServer({ ...usual, ...settingsOf(settings), shared: service });
      instances.push(service);
    },
    /** Goes on with an earlier instance. */
    at: (instance: number) => void (service = instances[instance] as typeof service),
    as: (headers: Fields) => void (caller = headers),
    advance: (ms: number) => service.clock.advance(ms),
    /** Stores an API key. */
    key: (secret: string, { key: _, ...fields }: Fields) =>
      service.keyStore.add(filled(secret), fields),
    /** Stores the key that signs the tokens. */
    signer: (fields: object) => void service.keyStore.keys.set(signer.id, signer.stored(fields)),
    forget: () => service.keyStore.keys.clear(),
    /** Makes `$token` with the claims, and its parts. */
    token: (claims: Fields | string, step: Fields) =>
      void Object.assign(known, signed(claims, step, filled, known.signature)),
    /** The rows of the next queries, which may take a time, or the error with which the next one fails. */
    rows: (
      given: unknown[][] | number,
      { columns: list, takesMs = 0, text, rows: _, ...fields }: Fields,
    ) =>
      service.queryRunner.answerWith(() => {
        service.clock.advance(takesMs as number);
        // A number of rows, with a number and a text of that length.
        const letters = 'x'.repeat(Number(text ?? 1));
        const rows = Array.isArray(given)
          ? given
          : Array.from({ length: given }, (_row, n) => [String(n), letters]);
        const cells = rows.map((row) => ({ f: row.map((v) => ({ v })) }));
        const schema = typeof list === 'string' && { schema: columns(list) };
        return queryResult({ ...schema, rows: cells, ...fields });
      }),
    /** The error of the next query, or of so many; later ones give rows. */
    fails: (
      [reason, message = '', cause]: string[],
      { takesMs = 0, bytesBilled, times = 1 }: Fields,
    ) => {
      const fail = (query: QueryRequest): never => {
        service.clock.advance(takesMs as number);
        if (bytesBilled !== undefined) query.onBilled?.(bytesBilled as number);
        if (reason === 'Error') throw new Error(message);
        throw new ServiceError(reason as Reason, message, { cause: cause && new Error(cause) });
      };
      const [first = fail, ...others] = Array<typeof fail>(times as number).fill(fail);
      service.queryRunner.answerWith(first, ...others, queryResult());
    },
    /** A key that nobody has. */
    invent: (isWithChecksum: boolean, { n = '$n' }: Fields) => {
      const text = `sqk_${filled(n).padStart(43, 'x')}`;
      known.invented = isWithChecksum ? withChecksum(text) : text;
    },
    times: async (count: number, { do: steps }: Fields) => {
      for (let n = 0; n < count; n += 1) {
        known.n = String(n);
        await takeAll(acts, steps as Step[]);
      }
    },
    jobs: (count: number) => expect(service.queryRunner.requests).toHaveLength(count),
    /** The request of the last query. */
    ran: (expected: object) => expect(service.queryRunner.requests.at(-1)).toMatchObject(expected),
    lookups: (count: number) => expect(service.keyStore.lookups).toHaveLength(count),
    verified: (count: number) => expect(service.verified()).toBe(count),
    /** The last line of the log. */
    logged: (expected: Fields) => {
      const { fields, ...line } = service.log.lines.at(-1) ?? {};
      expectFields('the log', { ...line, ...fields }, withFilled(expected));
    },
    /** What neither an answer nor the log has. */
    unsaid: (pattern: string) =>
      expect(JSON.stringify([heard, service.log.lines])).not.toMatch(new RegExp(pattern)),
  };
  return acts;
}

const pathOf = (target: string): string =>
  target.startsWith('/') ? target : `/api/endpoints/query/${target}`;

/** A message to `/mcp` as text, so that arguments can have what no JavaScript value has. */
function messageOf(word: string, target: string, given: Fields | string): string | undefined {
  if (word !== 'CALL' && word !== 'RPC') return undefined;
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const [method, params] =
    word === 'RPC' ? [target, text] : ['tools/call', `{"name":"${target}","arguments":${text}}`];
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
}

/**
 * A token and its parts: from now for an hour, unless the claims say other times. Header and claims may be texts. A `signer` is
 * `another`, or `of the same kid`; a `signature` is `zeros`, `changed`, or the `last` one.
 */
function signed(
  claims: Fields | string,
  { header = {}, signer: by, signature: kind }: Fields,
  filled: (text: string) => string,
  last = '',
) {
  const own = by === undefined ? signer : createSigner();
  const kid = by === 'another' ? own.id : signer.id;
  const textOf = (of: unknown, usual: object) =>
    filled(typeof of === 'string' ? of : JSON.stringify({ ...usual, ...(of as object) }));
  const made = own.signTexts(
    textOf(header, { alg: 'EdDSA', typ: 'JWT', kid }),
    textOf(claims, { iat: NOW, exp: NOW + 3600 }),
  );
  const [encoded = '', body = '', right = ''] = made.split('.');
  const others: Record<string, string> = {
    zeros: 'A'.repeat(86),
    changed: right.replace(/^./, (one) => (one === 'A' ? 'B' : 'A')),
    last,
  };
  const parts = { header: encoded, claims: body, signature: others[String(kind)] ?? right };
  return { ...parts, token: Object.values(parts).join('.') };
}

function settingsOf({ sql, endpoint, changed, ...settings }: Fields) {
  if (changed !== undefined)
    return { ...settings, catalogue: testCatalogueWith(changed as object) };
  if (sql === 'types') return { ...settings, catalogue: loadTypedEndpoints() };
  if (sql !== undefined) return { ...settings, catalogue: loadCatalogue(sql as string) };
  if (endpoint === undefined) return settings;
  const { parameters = {}, row, ...fields } = endpoint as { parameters?: object; row?: string };
  const complete = Object.entries(parameters).map(([name, of]) => [name, parameter(of as object)]);
  const rows = row === undefined ? {} : { row: typeof row === 'string' ? rowOf(row) : row };
  const definition = { ...fields, ...rows, parameters: Object.fromEntries(complete) as object };
  return { ...settings, catalogue: new FakeSqlTree().endpoint(definition).catalogue() };
}
