// Tests of `npm run keys` for many keys: made from a file, replaced together, listed as records, and interrupted.
import { once } from 'node:events';
import { type JsonWebKey, createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import request from 'supertest';
import { sha256Hex } from '../../../functions/core/hashes.ts';
import { startLocalBigQuery, tablesOf } from '../../support/bigquery/local-bigquery.ts';
import { refusal, startScript } from '../../support/command.ts';
import { ControlledClock } from '../../support/fakes/controlled-clock.ts';
import { createKeysCommand, parseLines } from '../../support/keys-command.ts';
import { startFirestoreProxy } from '../../support/service/firestore-proxy.ts';
import { createTestService } from '../../support/service/service.ts';
import { createSigner } from '../../support/service/sign-token.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';
import { undo } from '../../support/undo.ts';
import { until } from '../../support/until.ts';

type Shown = Record<'name' | 'id' | 'key', string>;

const STATS = 'tasks.run-stats?project=';
const HOST = process.env.FIRESTORE_EMULATOR_HOST ?? '';

let keys: ReturnType<typeof createKeysCommand>;
beforeEach(() => void (keys = createKeysCommand()));

let bigQueryUrl: string;
beforeAll(async () => {
  ({ url: bigQueryUrl } = await startLocalBigQuery({ tables: await tablesOf(TEST_SQL) }));
});

const serve = (clock = new ControlledClock(new Date().toISOString())) =>
  createTestService({ clock, firestore: keys.firestore, bigQueryUrl });

const CUSTOMERS = {
  'customers.ndjson': [
    '{"name":"abc","endpoints":["tasks.run-stats"],"parameters":{"project":["abc"]},"requestsPerMinute":60}',
    '{"name":"def","endpoints":"tasks.*, web.visit-counts","parameters":{"project":"def,ghi"},"expires":"90d","bytesPerDay":"1GB"}',
    '{"name":"shop","endpoints":["*"],"signs":true,"tokenLifetime":"30m"}',
  ].join('\r\n'),
  'customers.csv':
    '\uFEFFname,endpoints,parameters.project,requestsPerMinute,expires,bytesPerDay\r\n' +
    'abc,tasks.run-stats,abc,60,,\r\n' +
    '"def","tasks.*, web.visit-counts","def,ghi",,90d,1GB\r\n',
};

describe.each(Object.entries(CUSTOMERS))('a file %s', (name, content) => {
  it('becomes keys with its rights, which a file shows once, to its owner', async () => {
    const out = keys.path(name.replace('customers', 'keys'));
    const created = await keys.run('create', '--from', keys.file(name, content), '--out', out);
    expect([created.code, created.stdout]).toEqual([0, '']);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const text = readFileSync(out, 'utf8');
    const [header, ...lines] = text.trimEnd().split('\n');
    const shown = name.endsWith('.csv')
      ? lines.map((line) => line.split(',')).map(([name, id, key]) => ({ name, id, key }) as Shown)
      : parseLines<Shown>(text);
    if (name.endsWith('.csv')) expect(header).toBe('name,id,key');
    expect(created.stderr).toBe(
      `${out} has ${shown.length} keys. They are shown now and never again.\n`,
    );
    const [abc, def] = shown.map(({ key }) => key);
    expect(shown[0]).toEqual({ name: 'abc', id: sha256Hex(abc ?? '').slice(0, 12), key: abc });
    const service = serve();
    const status = async (project: string, key = '') =>
      (await service.ask(`${STATS}${project}`, key)).status;
    expect([await status('abc', abc), await status('def', abc)]).toEqual([200, 403]);
    expect([await status('ghi', def), await status('abc', def)]).toEqual([200, 403]);
    const [first, second] = await keys.stored();
    expect(first).toMatchObject({
      name: 'abc',
      endpoints: ['tasks.run-stats'],
      requestsPerMinute: 60,
    });
    expect(second).toMatchObject({ endpoints: ['tasks.*', 'web.visit-counts'], bytesPerDay: 1e9 });
    expect(Number(second?.expiresAtMs) - Number(second?.createdAtMs)).toBe(90 * 86_400_000);
  });
});

it('prints the JWK of a key that signs, with which a token is signed', async () => {
  const file = keys.file('shop', '{"name":"shop","endpoints":["tasks.*"],"signs":true}');
  const { stdout } = await keys.run('create', '--from', file);
  const [{ key = '', id = '' } = {}] = parseLines<Shown>(stdout);
  const jwk = JSON.parse(key) as JsonWebKey;
  const signer = createSigner(createPrivateKey({ key: jwk, format: 'jwk' }));
  expect(Buffer.from(signer.id, 'base64url').toString('hex').slice(0, 12)).toBe(id);
  const iat = Math.floor(Date.now() / 1000);
  const token = signer.sign({ iat, exp: iat + 60 });
  const ask = request(serve().server).get(`/api/endpoints/query/${STATS}abc`);
  expect((await ask.set('Authorization', `Bearer ${token}`)).status).toBe(200);
});

describe('refuses the whole file, with every fault and its line', () => {
  const valid = '{"name":"a","endpoints":["*"]}';
  const known =
    'known are name, expires, requestsPerMinute, missesPerMinute, bytesPerDay, tokenLifetime, endpoints, parameters, signs';
  const restricted = (value: string) =>
    `{"name":"b","endpoints":["tasks.run-stats"],"parameters":${value}}`;
  const unknown = (field: string) => `unknown field "${field}"; ${known}`;
  it.each<[what: string, name: string, content: string | Buffer, ...faults: string[]]>([
    [
      'an unknown field',
      'f',
      `${valid}\n\n{"name":"b","endpoint":["*"]}`,
      `3: ${unknown('endpoint')}`,
      '3: endpoints is missing',
    ],
    [
      '__proto__',
      'f',
      '{"name":"a","endpoints":["*"],"__proto__":{"signs":true}}',
      `1: ${unknown('__proto__')}`,
    ],
    [
      'a parameter __proto__',
      'f',
      restricted('{"__proto__":["a"]}'),
      '1: tasks.run-stats has no parameter __proto__, so this restriction would deny the key this endpoint. Its parameters: project, function_id, interval.',
    ],
    [
      'a duplicate member',
      'f',
      '{"name":"a","endpoints":["*"],"name":"b"}',
      '1: duplicate field name: first in 1:2',
    ],
    ['a name twice', 'f', `${valid}\n${valid}`, '2: a is in line 1 too'],
    ['a missing name', 'f', '{"endpoints":["*"]}', '1: name is missing'],
    [
      'a name of another type',
      'f',
      '{"name":["a"],"endpoints":["*"]}',
      '1: name must be a text or a number',
    ],
    [
      'several faults',
      'f',
      '{"name":"A","endpoints":["*"],"expires":"1y","requestsPerMinute":0.5,"tokenLifetime":"1h"}',
      '1: A name must be 1 to 63 lower-case letters, digits and hyphens and start with a letter, not "A".',
      '1: requestsPerMinute must be a whole number from 1 to 1000000, not "0.5".',
      '1: expires must be a time in UTC such as 2027-01-01T00:00:00Z or a duration such as 30m, 24h or 90d, not "1y".',
      '1: tokenLifetime is for a key that signs tokens: add signs.',
    ],
    [
      'an empty expiry',
      'f',
      '{"name":"a","endpoints":["*"],"expires":""}',
      '1: expires must be a time in UTC such as 2027-01-01T00:00:00Z or a duration such as 30m, 24h or 90d, not "".',
    ],
    [
      'an expiry of null',
      'f',
      '{"name":"a","endpoints":["*"],"expires":null}',
      '1: expires must be a text or a number',
    ],
    [
      'an expiry in the past',
      'f',
      '{"name":"a","endpoints":["*"],"expires":"2020-01-01T00:00:00Z"}',
      '1: expires 2020-01-01T00:00:00Z is not in the future.',
    ],
    [
      'no endpoints',
      'f',
      '{"name":"a","endpoints":[]}',
      '1: endpoints must be a list of texts, with at least one and none empty',
    ],
    [
      'parameters of null',
      'f',
      restricted('null'),
      '1: parameters must be an object of lists of values',
    ],
    [
      'a value with a comma, which is one value',
      'f',
      restricted('{"interval":["1hr,7day"]}'),
      '1: "1hr,7day" would never be allowed: interval of tasks.run-stats must be one of 5min, 15min, 1hr, 1day, 7day.',
    ],
    [
      'no allowed values',
      'f',
      restricted('{"project":[]}'),
      '1: parameters.project must be a list of texts, with at least one and none empty',
    ],
    ['malformed JSON', 'f.ndjson', `{"name":\n${valid}`, '1: not valid JSON: value expected'],
    ['a list', 'f', `[${valid}]`, '1: is not an object of JSON'],
    ['two objects in a line', 'f', `${valid} ${valid}`, '1: not valid JSON: end of file expected'],
    ['deep nesting', 'f.ndjson', '['.repeat(200_000), '1: is nested too deeply'],
    [
      'half of a surrogate pair',
      'f',
      '{"name":"a","endpoints":["\\ud800"]}',
      '1: has half of a surrogate pair',
    ],
    [
      'a line of more than 1 MB',
      'f',
      `${valid}\n{"name":"${'x'.repeat(1_000_000)}"}`,
      '2: is longer than 1000000 bytes',
    ],
    [
      'invalid UTF-8',
      'f',
      Buffer.from(`${valid}\n{"name":"\xff"}`, 'latin1'),
      '2: is not UTF-8: save it as UTF-8',
    ],
    [
      'UTF-16',
      'f.csv',
      Buffer.from('\uFEFFname\n', 'utf16le'),
      '1: is not UTF-8: save it as UTF-8',
    ],
    [
      'an unknown column',
      'f.csv',
      'name,endpoints,paramters.project\na,*,abc\n',
      `1: ${unknown('paramters.project')}, parameters.NAME`,
    ],
    ['a column twice', 'f.csv', 'name,endpoints,name\na,*,b\n', '1: has the column "name" twice'],
    [
      'a row that is too short',
      'f.csv',
      'name,endpoints,parameters.project\na,*\nb,*,abc,\n',
      '2: has 2 cells, and the header has 3',
      '3: has 4 cells, and the header has 3',
    ],
    [
      'an empty cell of a restriction',
      'f.csv',
      'name,endpoints,parameters.project\na,tasks.run-stats,\n',
      '2: parameters.project needs values, separated by commas and none empty.',
    ],
    [
      'a quotation mark that is not closed',
      'f.csv',
      'name,endpoints\n"a\nb",*\nb,"*\n',
      '2: A name must be 1 to 63 lower-case letters, digits and hyphens and start with a letter, not "a',
      '2: b".',
      '4: has a quotation mark that is not closed, or not around a whole cell',
    ],
    [
      'a quotation mark inside a cell',
      'f.csv',
      'name,endpoints\na"b,*\nA,*\n',
      '2: has a quotation mark that is not closed, or not around a whole cell',
      '3: A name must be 1 to 63 lower-case letters, digits and hyphens and start with a letter, not "A".',
    ],
    [
      'semicolons',
      'f.csv',
      'name;endpoints\na;*\n',
      `1: ${unknown('name;endpoints')}, parameters.NAME`,
    ],
  ])('%s', async (_what, name, content, ...faults) => {
    const file = keys.file(name, content);
    const lines = faults.map((fault) => `${file}:${fault}`);
    expect(await keys.run('create', '--from', file)).toEqual(refusal(lines.join('\n')));
    expect(await keys.stored()).toEqual([]);
  });

  it('a name in use, and leaves no file', async () => {
    expect((await keys.run('create', 'a', '--endpoints', '*')).code).toBe(0);
    const file = keys.file('f', `{"name":"b","endpoints":["*"]}\n${valid}`);
    const out = keys.path('out.csv');
    expect(await keys.run('create', '--from', file, '--out', out)).toEqual(
      refusal(`${file}:2: A key a already exists: "rotate a" replaces it, "revoke a" ends it.`),
    );
    expect([(await keys.stored()).length, existsSync(out)]).toEqual([1, false]);
  });

  it.each(['', '\uFEFF\r\n \n', 'name,endpoints\n'])('an empty file: %j', async (content) => {
    const file = keys.file('f.csv', content);
    expect(await keys.run('create', '--from', file)).toEqual(refusal(`${file} has no keys.`));
  });

  it('a file that is not there, and an output that has content or cannot be written', async () => {
    const [file, full] = [keys.file('f', valid), keys.file('full', 'x')];
    const away = keys.path('none/out');
    const none = keys.path('none');
    for (const [from, out, fault] of [
      [none, keys.path('out'), `${none} cannot be read: no such file or directory.`],
      [file, full, `${full} exists already, and may have keys: specify another file.`],
      [file, away, `${away} cannot be written: no such file or directory.`],
    ] as const) {
      expect(await keys.run('create', '--from', from, '--out', out)).toEqual(refusal(fault));
    }
    expect([await keys.stored(), readFileSync(full, 'utf8')]).toEqual([[], 'x']);
  });
});

const fileOf = (count: number): string => {
  const names = Array.from({ length: count }, (_, index) => `customer-${index}`);
  return names.map((name) => `${JSON.stringify({ name, endpoints: ['*'] })}\n`).join('');
};

it('makes more keys than three commits can take, and says how far it is', async () => {
  const { code, stdout, stderr } = await keys.run('create', '--from', keys.file('f', fileOf(1600)));
  const shown = parseLines<Shown>(stdout);
  expect([code, shown.length, new Set(shown.map(({ key }) => key)).size]).toEqual([
    ...[0, 1600, 1600],
  ]);
  expect(stderr).toContain('500 of 1600 keys are written.\n');
  const stored = await keys.store.list();
  expect(
    shown.filter(({ key }) => stored.get(sha256Hex(key))?.key?.revokedAtMs !== undefined),
  ).toEqual([]);
  expect((await serve().ask(`${STATS}abc`, shown.at(-1)?.key)).status).toBe(200);
});

describe('interrupted', () => {
  const COUNT = 1100;
  /** Lets so many commits pass. */
  const interrupted = async (commits: number, ...args: string[]) => {
    const proxy = await startFirestoreProxy(HOST);
    undo(() => proxy.close());
    let count = 0;
    proxy.fault = ({ method }) =>
      method === 'Commit' && (count += 1) > commits ? { status: 7 } : 'pass';
    return keys.runAt(proxy.host, ...args);
  };
  const valid = async () =>
    (await keys.stored()).filter(({ revokedAtMs, expiresAtMs }) => !revokedAtMs && !expiresAtMs);

  it.each([
    ['before all keys are there', 2, 0, 1000],
    ['while they become valid', 4, 500, 500],
  ])(
    '%s, a creation shows no key, and a repeat creates all',
    async (_when, commits, left, written) => {
      const create = ['create', '--from', keys.file('f', fileOf(COUNT))];
      const { code, stdout, stderr } = await interrupted(commits, ...create);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        new RegExp(
          `${written} of 1100 keys are written\\. No key is shown, so nobody can use one: run the command again, which ends them first\\.\n$`,
        ),
      );
      expect((await valid()).length).toBe(left);
      const again = await keys.run(...create);
      expect(again.code).toBe(0);
      const shown = new Set(parseLines<Shown>(again.stdout).map(({ key }) => sha256Hex(key)));
      const stored = [...(await keys.store.list())].filter(
        ([, { key }]) => !key?.revokedAtMs && !key?.expiresAtMs,
      );
      expect([shown.size, stored.length, stored.every(([id]) => shown.has(id))]).toEqual([
        ...[COUNT, COUNT, true],
      ]);
      // Nothing is left to be ended.
      const third = keys.file('g', '{"name":"other","endpoints":["*"]}');
      expect((await keys.run('create', '--from', third)).stderr).not.toContain('interrupted');
    },
  );

  it('a creation is not seen in keys that were revoked when they were created', async () => {
    const key = { endpoints: ['*'], createdAtMs: 5 };
    await keys.store.set('1'.repeat(64), { ...key, name: 'a' });
    await keys.store.set('2'.repeat(64), { ...key, name: 'b', revokedAtMs: 5 });
    expect((await keys.run('create', 'c', '--endpoints', '*')).code).toBe(0);
    expect((await valid()).map(({ name }) => name)).toEqual(['a', 'c']);
  });

  // The emulator of `npm start` does not compare times.
  const itCompares = process.env.FIRESTORE_EMULATOR_KIND === 'in-process' ? it.skip : it;
  itCompares('a creation that is taken for interrupted stops, and shows no key', async () => {
    const proxy = await startFirestoreProxy(HOST);
    undo(() => proxy.close());
    let commits = 0;
    proxy.fault = ({ method }) => (method === 'Commit' && (commits += 1) === 4 ? 'stall' : 'pass');
    const create = ['create', '--from', keys.file('f', fileOf(COUNT))];
    const slow = startScript('scripts/keys.ts', keys.ofTestSql(create), keys.env(proxy.host));
    await until(() => commits === 4);
    const { code, stderr } = await keys.run(...create);
    expect([code, stderr]).toEqual([0, expect.stringContaining('keys of an interrupted run')]);
    proxy.endStalls();
    const [slowCode] = (await once(slow.child, 'close')) as [number];
    expect([slowCode, slow.stdout()]).toEqual([1, '']);
    expect(slow.stderr()).toContain('Another command has changed these keys meanwhile');
    expect((await valid()).length).toBe(COUNT);
  });

  it('while the old keys end, a rotation has shown the new ones and names the state', async () => {
    await keys.run('create', '--from', keys.file('f', fileOf(600)));
    const rotated = await interrupted(3, 'rotate', '--all', '--endpoints', '*');
    expect([rotated.code, parseLines(rotated.stdout).length]).toEqual([1, 600]);
    expect(rotated.stderr).toContain(
      '500 of 600 keys are written. The new keys are valid, and the other old ones have no new end: "revoke" ends them.',
    );
    expect((await valid()).length).toBe(700);
  });
});

describe('rotate --all', () => {
  const rotate = (...args: string[]) => keys.run('rotate', '--all', ...args);

  it('replaces the keys that list a matching endpoint, and names them', async () => {
    const clock = new ControlledClock(new Date().toISOString());
    const service = serve(clock);
    const status = async (key = '') => (await service.ask(`${STATS}abc`, key)).status;
    const file = keys.file(
      'f.csv',
      'name,endpoints,expires\none,tasks.run-stats,90d\ngroup,"tasks.*,web.visit-counts",\nall,*,\nweb,web.*,\n',
    );
    const created = await keys.run('create', '--from', file, '--out', keys.path('keys'));
    expect(created.code).toBe(0);
    const old = new Map(
      parseLines<Shown>(readFileSync(keys.path('keys'), 'utf8')).map(({ name, key }) => [
        name,
        key,
      ]),
    );
    await keys.store.set('a'.repeat(64), { name: 'dashboard', endpoints: ['tasks.*'] });
    const { code, stdout, stderr } = await rotate('--endpoints', 'tasks.*', '--overlap', '2h');
    expect(code).toBe(0);
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'Left out, because Terraform manages them (--force): dashboard.',
      'These are 2 keys. They are shown now and never again.',
      'Rotated: group, one.',
    ]);
    expect(stderr).toMatch(
      /The first of the new keys expires at \S+\.\nThe old keys work until \S+ at the latest\.\n$/,
    );
    const shown = parseLines<Shown>(stdout);
    expect(shown.map(({ name }) => name)).toEqual(['group', 'one']);
    const all = () =>
      Promise.all(
        [...shown.map(({ key }) => key), old.get('one'), old.get('group'), old.get('all')].map(
          status,
        ),
      );
    expect(await all()).toEqual([200, 200, 200, 200, 200]);
    clock.advance(7_210_000);
    expect(await all()).toEqual([200, 200, 401, 401, 200]);
  });

  it('replaces keys of Terraform too if forced, and all keys by *', async () => {
    await keys.store.set('a'.repeat(64), { name: 'dashboard', endpoints: ['tasks.*'] });
    await keys.run('create', 'web', '--endpoints', 'web.*');
    const out = keys.path('out.csv');
    const { stderr } = await rotate('--endpoints', '*', '--force', '--out', out);
    expect(stderr).toContain('Rotated: dashboard, web.\n');
    const lines = readFileSync(out, 'utf8').split('\n');
    expect(lines.map((line) => line.split(',')[0])).toEqual(['name', 'dashboard', 'web', '']);
  });

  it('changes nothing if no key matches, or one name has keys of both kinds', async () => {
    const fault = 'No key to rotate lists web.visit-counts.';
    expect(await rotate('--endpoints', 'web.visit-counts')).toEqual(refusal(fault));
    const signer = createSigner();
    const createdAtMs = Date.now();
    await keys.store.set(signer.id, signer.stored({ name: 'b', createdAtMs }));
    for (const [id, name] of [
      ['1', 'a'],
      ['2', 'b'],
    ] as const) {
      await keys.store.set(id.repeat(64), { name, endpoints: ['*'], createdAtMs });
    }
    expect((await rotate('--endpoints', '*')).stderr).toContain(
      'Of the valid keys b, some sign tokens and some do not',
    );
    expect((await keys.stored()).length).toBe(3);
  });
});

it('lists keys as records, with the names of export', async () => {
  const signer = createSigner();
  const createdAtMs = Date.parse('2026-01-01T00:00:00Z');
  await keys.store.set(
    signer.id,
    signer.stored({ tokenSeconds: 60, createdAtMs, revokedAtMs: createdAtMs + 5 }),
  );
  await keys.store.set('a'.repeat(64), {
    name: 'dash',
    endpoints: ['*'],
    parameters: { b: ['1'], a: ['2'] },
    expiresAtMs: 0,
  });
  const { stdout, stderr } = await keys.run('list', '--json');
  expect(stderr).toContain('LAST USED is unknown');
  const signing = Buffer.from(signer.id, 'base64url').toString('hex').slice(0, 12);
  expect(stdout).toBe(
    `{"id":"aaaaaaaaaaaa","name":"dash","managedBy":"terraform","endpoints":["*"],"parameters":{"a":["2"],"b":["1"]},"expiresAt":"1970-01-01T00:00:00.000Z","state":"expired"}
{"id":"${signing}","name":"shop","endpoints":["*"],"publicKey":"${signer.stored().publicKey}","tokenSeconds":60,"createdAt":"2026-01-01T00:00:00.000Z","revokedAt":"2026-01-01T00:00:00.005Z","state":"revoked"}
`,
  );
});

it('says in a record when a key was last used, null for not in 90 days', async () => {
  const timestamp = '2026-11-21T09:00:00Z';
  for (const [id, name] of [
    ['1', 'a'],
    ['2', 'b'],
  ] as const) {
    await keys.store.set(id.repeat(64), { name, endpoints: ['*'], createdAtMs: 0 });
  }
  const tables = await tablesOf('sql', {
    service_requests: [{ timestamp, key_id: '1'.repeat(12) }],
  });
  const { url } = await startLocalBigQuery({
    clock: new ControlledClock('2026-11-22T10:00:00Z'),
    tables,
  });
  const list = startScript('scripts/keys.ts', ['list', '--json'], {
    ...keys.env(),
    BIGQUERY_EMULATOR_HOST: url,
  });
  await once(list.child, 'close');
  expect(parseLines(list.stdout()).map(({ lastUsed }) => lastUsed)).toEqual([
    '2026-11-21T09:00:00.000Z',
    null,
  ]);
});
