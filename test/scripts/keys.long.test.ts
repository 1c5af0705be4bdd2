// Tests of `npm run keys` with a running service: creates, restricts, replaces and revokes keys.
import { spawnSync } from 'node:child_process';
import { type JsonWebKey, createPrivateKey, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import type { Firestore } from '@google-cloud/firestore';
import request from 'supertest';
import { sha256Hex } from '../../functions/core/bytes.ts';
import { createFirestore } from '../../functions/firestore/client.ts';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { freePort } from '../support/service/free-port.ts';
import { main } from '../../scripts/keys.ts';
import { type CommandResult, refusal, runCommand, runScript, wordsOf } from '../support/command.ts';
import { ControlledClock } from '../support/clock.ts';
import { type TestService, createTestService } from '../support/world.ts';
import { type Signer, createSigner } from '../support/service/sign-token.ts';
import { readExpectations } from '../support/sql/read-expectations.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { writeTypedEndpoints } from '../support/sql/typed-endpoints.ts';
import { startLocalBigQuery, tablesOf } from '../support/bigquery/local-bigquery.ts';

const HOST = process.env.FIRESTORE_EMULATOR_HOST ?? '';
const { refused = [], 'not understood': notUnderstood = [] } = readExpectations(
  'test/scripts/keys/refused.txt',
);
const KEY = /^sqk_[\w-]{43}[\da-f]{6}\n$/;
const HOUR_MS = 3_600_000;
const FAST_CLOCK = pathToFileURL('test/support/processes/ten-minutes-fast.ts').href;

let project: string;
let firestore: Firestore;

beforeEach(() => {
  project = `test-${randomUUID()}`;
  firestore = openFirestore(project);
});

afterEach(() => firestore.terminate());

const openFirestore = (ofProject: string, database = 'saved-queries-keys'): Firestore =>
  createFirestore({ project: ofProject, database, emulatorHost: HOST });

const environment = () => ({ GOOGLE_CLOUD_PROJECT: project, FIRESTORE_EMULATOR_HOST: HOST });

const keys = (...args: string[]): Promise<CommandResult> =>
  runCommand(main, ofTestSql(args), environment());

/** The command, on the endpoints of the tests where it asks for some. */
const ofTestSql = (args: string[]): string[] =>
  args[0] === 'create' && !args.includes('--sql') ? [...args, '--sql', TEST_SQL] : args;

/** The same on a computer whose clock is ten minutes fast. */
const keysOfFastClock = (...args: string[]): Promise<CommandResult> =>
  runScript('scripts/keys.ts', ofTestSql(args), {
    ...environment(),
    NODE_OPTIONS: `--import=${FAST_CLOCK}`,
  });

/** Runs a command that prints a key. */
async function keyOf(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await keys(...args);
  expect([code, stderr]).toEqual([0, expect.stringContaining('never again')]);
  expect(stdout).toMatch(KEY);
  return stdout.trim();
}

/** Runs a command that prints a private key, with which a test signs as PEM and as JWK. */
async function signersOf(...args: string[]): Promise<{ pem: Signer; jwk: Signer; note: string }> {
  const { code, stdout, stderr } = await keys(...args);
  expect([code, stderr]).toEqual([0, expect.stringContaining('never again')]);
  const [pem = '', json = '', end] = stdout.split(/(?<=-----END PRIVATE KEY-----)\n|\n$/);
  const jwk = JSON.parse(json) as JsonWebKey;
  const signers = {
    pem: createSigner(createPrivateKey(pem)),
    jwk: createSigner(createPrivateKey({ key: jwk, format: 'jwk' })),
  };
  const text = expect.stringMatching(/^[\w-]{43}$/) as string;
  const kid = signers.pem.id;
  expect([jwk, end, signers.jwk.id]).toEqual([
    { kty: 'OKP', crv: 'Ed25519', x: text, d: text, kid, alg: 'EdDSA', use: 'sig' },
    '',
    kid,
  ]);
  expect(stderr).toContain(`its kid is ${kid}.`);
  return { ...signers, note: stderr };
}

const idOf = ({ id }: Signer): string => Buffer.from(id, 'base64url').toString('hex').slice(0, 12);

describe('a key', () => {
  let bigQueryUrl: string;
  let clock: ControlledClock;
  let service: TestService;

  beforeAll(async () => {
    ({ url: bigQueryUrl } = await startLocalBigQuery({ tables: await tablesOf(TEST_SQL) }));
  });

  beforeEach(() => {
    clock = new ControlledClock(new Date().toISOString());
    service = createTestService({ clock, firestore, bigQueryUrl });
  });

  const STATS = 'tasks.run-stats?project=abc';
  const COUNTS = 'web.visit-counts?project=abc&interval=hourly';

  const call = async (path: string, key: string): Promise<number> =>
    (await service.ask(path, key)).status;

  it('grants access only to the endpoints and values of its restriction', async () => {
    const key = await keyOf(
      ...['create', 'partner', '--endpoints', 'tasks.run-stats'],
      ...['--parameter', 'project=abc,def', '--parameter', 'interval=1hr'],
    );
    expect({
      allowed: await call(`${STATS}&interval=1hr`, key),
      otherValue: await call('tasks.run-stats?project=ghi&interval=1hr', key),
      otherInterval: await call(`${STATS}&interval=7day`, key),
      otherEndpoint: await call(COUNTS, key),
    }).toEqual({ allowed: 200, otherValue: 403, otherInterval: 403, otherEndpoint: 404 });
  });

  it('says that a star in a value is only a star', async () => {
    const tree = writeTypedEndpoints();
    const args = ['--endpoints', 'types.echo', '--sql', tree.directory, '--parameter', 'string=a*'];
    const { code, stderr } = await keys('create', 'partner', ...args);
    tree.remove();
    const literal = 'Only the text "a*" itself is allowed: * stands for no other value.\n';
    expect([code, stderr]).toEqual([0, expect.stringContaining(literal)]);
  });

  it('works together with its successor for the overlap, but not longer', async () => {
    const first = await keyOf(
      ...['create', 'partner', '--endpoints', 'tasks.run-stats'],
      ...['--parameter', 'project=abc'],
    );
    expect(await call(STATS, first)).toBe(200);
    const second = await keyOf('rotate', 'partner', '--overlap', '2h');
    expect([await call(STATS, first), await call(STATS, second)]).toEqual([200, 200]);
    expect(await call(COUNTS, second)).toBe(404);
    expect(await call('tasks.run-stats?project=def', second)).toBe(403);
    clock.advance(1.9 * HOUR_MS);
    expect([await call(STATS, first), await call(STATS, second)]).toEqual([200, 200]);
    clock.advance(0.1 * HOUR_MS + 10_000);
    expect([await call(STATS, first), await call(STATS, second)]).toEqual([401, 200]);
  });

  it('is rejected 60 seconds after its revocation, but its successor is not', async () => {
    const first = await keyOf('create', 'partner', '--endpoints', '*');
    const second = await keyOf('rotate', 'partner');
    expect([await call(STATS, first), await call(STATS, second)]).toEqual([200, 200]);
    const { code } = await keys('revoke', 'partner', '--id', sha256Hex(first).slice(0, 8));
    expect(code).toBe(0);
    clock.advance(60_001);
    expect([await call(STATS, first), await call(STATS, second)]).toEqual([401, 200]);
    expect((await keys('revoke', 'partner')).code).toBe(0);
    clock.advance(60_001);
    expect(await call(STATS, second)).toBe(401);
  });

  describe('that signs', () => {
    /** The status of a call with a token of this key. */
    const callSigned = async (path: string, signer: Signer, seconds = 3600): Promise<number> => {
      const iat = Math.floor(clock.nowMs() / 1000);
      const token = signer.sign({ iat, exp: iat + seconds });
      const answer = request(service.server).get(`/api/endpoints/query/${path}`);
      return (await answer.set('Authorization', `Bearer ${token}`)).status;
    };

    it('gives tokens its rights, whether signed with the PEM or the JWK', async () => {
      const create = ['create', 'shop', '--signs', '--endpoints', 'tasks.*'];
      const { pem, jwk } = await signersOf(...create, '--parameter', 'project=abc');
      for (const signer of [pem, jwk]) {
        expect({
          allowed: await callSigned(STATS, signer),
          otherValue: await callSigned('tasks.run-stats?project=def', signer),
          otherGroup: await callSigned(COUNTS, signer),
          tooLong: await callSigned(STATS, signer, 3601),
        }).toEqual({ allowed: 200, otherValue: 403, otherGroup: 404, tooLong: 401 });
      }
      // What is stored of it, and what it prints, opens nothing itself.
      expect([await call(STATS, pem.id), await callSigned(STATS, createSigner())]).toEqual([
        401, 401,
      ]);
    });

    it('is replaced by one with its rights and lifetime; tokens of both work for the overlap', async () => {
      const { pem: first } = await signersOf(
        ...['create', 'shop', '--signs', '--endpoints', 'tasks.run-stats'],
        ...['--token-lifetime', '2h', '--requests-per-minute', '9'],
      );
      expect(await callSigned(STATS, first, 7200)).toBe(200);
      const { pem: second } = await signersOf('rotate', 'shop', '--overlap', '2h');
      expect(second.id).not.toBe(first.id);
      expect(await createKeyRegister(firestore).get(second.id)).toMatchObject({
        tokenSeconds: 7200,
        requestsPerMinute: 9,
        endpoints: ['tasks.run-stats'],
      });
      const both = async () => [
        await callSigned(STATS, first),
        await callSigned(STATS, second, 7200),
      ];
      expect(await both()).toEqual([200, 200]);
      expect(await callSigned(STATS, second, 7201)).toBe(401);
      clock.advance(1.9 * HOUR_MS);
      expect(await both()).toEqual([200, 200]);
      clock.advance(0.1 * HOUR_MS + 10_000);
      expect(await both()).toEqual([401, 200]);
    });
  });
});

it('stores only the digest of a key, with its rights', async () => {
  const key = await keyOf(
    ...['create', 'partner', '--endpoints', 'web.visit-counts,tasks.run-stats'],
    ...['--parameter', 'project=abc', '--expires', '2099-01-31T00:00:00Z'],
    ...['--requests-per-minute', '60', '--misses-per-minute', '10', '--bytes-per-day', '50GiB'],
  );
  const { docs } = await firestore.collection('apiKeys').get();
  expect(docs.map(({ id }) => id)).toEqual([sha256Hex(key)]);
  expect(JSON.stringify(docs.map((document) => document.data()))).not.toContain(key);
  expect(await createKeyRegister(firestore).get(sha256Hex(key))).toEqual({
    name: 'partner',
    endpoints: ['web.visit-counts', 'tasks.run-stats'],
    parameters: { project: ['abc'] },
    requestsPerMinute: 60,
    missesPerMinute: 10,
    bytesPerDay: 53_687_091_200,
    createdAtMs: expect.any(Number) as number,
    expiresAtMs: Date.parse('2099-01-31T00:00:00Z'),
  });
});

it('stores only the public key of a key that signs, by its thumbprint, with its rights', async () => {
  const { pem, note } = await signersOf(
    ...['create', 'shop', '--signs', '--endpoints', 'web.*', '--parameter', 'project=abc,def'],
    ...['--requests-per-minute', '9', '--misses-per-minute', '8', '--bytes-per-day', '1GB'],
    ...['--expires', '24h', '--token-lifetime', '30m'],
  );
  const { docs } = await firestore.collection('apiKeys').get();
  expect(docs.map((document) => [document.id, document.data()])).toEqual([
    [
      pem.id,
      {
        name: 'shop',
        endpoints: ['web.*'],
        parameters: { project: ['abc', 'def'] },
        requestsPerMinute: 9,
        missesPerMinute: 8,
        bytesPerDay: 1_000_000_000,
        publicKey: pem.stored().publicKey,
        tokenSeconds: 1800,
        createdAt: expect.anything() as unknown,
        expiresAt: expect.anything() as unknown,
      },
    ],
  ]);
  expect(note).toBe(
    `This is the private key of shop, as PEM and, in the last line, as JWK; its kid is ${pem.id}. It is shown now and never again.\n` +
      'Keep it in the backend that signs tokens, never in a page.\n',
  );
});

it('does not replace an ordinary key and one that signs by one key', async () => {
  await keyOf('create', 'shop', '--endpoints', '*');
  const signer = createSigner();
  await createKeyRegister(firestore).set(
    signer.id,
    signer.stored({ createdAtMs: Date.now() + 1000 }),
  );
  expect(await keys('rotate', 'shop')).toEqual(
    refusal(
      'Of the valid keys shop, some sign tokens and some do not: end those of one kind with "revoke shop --id ID".',
    ),
  );
  expect((await firestore.collection('apiKeys').get()).size).toBe(2);
  expect((await keys('revoke', 'shop', '--id', idOf(signer))).code).toBe(0);
  await keyOf('rotate', 'shop');
});

it('lists which keys sign, by the digest that the log has', async () => {
  const store = createKeyRegister(firestore);
  const [first, second] = [createSigner(), createSigner()];
  await store.set(first.id, first.stored({ name: 'a', tokenSeconds: 7200, createdAtMs: 0 }));
  const ended = { name: 'b', tokenSeconds: 3600, createdAtMs: 0, revokedAtMs: 1 };
  await store.set(second.id, second.stored(ended));
  const { stdout } = await keys('list');
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    'NAME,ENDPOINTS,PARAMETERS,LIMITS,CREATED,EXPIRES,STATE,ID'.split(','),
    ...[
      ['a', '*', 'any', 'seconds/token=7200', '1970-01-01T00:00:00Z', 'never'],
      ['b', '*', 'any', 'any', '1970-01-01T00:00:00Z', 'never'],
    ].map((row, index) => [
      ...row,
      ...(index === 0 ? ['valid, signs', idOf(first)] : ['revoked, signs', idOf(second)]),
    ]),
    [''],
  ]);
});

it('dates keys with the time of Firestore, not of the computer', async () => {
  const startedMs = Date.now();
  const create = ['create', 'partner', '--endpoints', '*', '--expires', '24h'];
  const first = (await keysOfFastClock(...create)).stdout.trim();
  const rotated = await keysOfFastClock('rotate', 'partner', '--overlap', '2h', '--expires', '48h');
  const second = rotated.stdout.trim();
  const register = createKeyRegister(firestore);
  const { createdAtMs, expiresAtMs } = (await register.get(sha256Hex(first))) ?? {};
  const successor = await register.get(sha256Hex(second));
  const leadsMs = [
    Number(createdAtMs),
    Number(expiresAtMs) - 2 * HOUR_MS,
    Number(successor?.createdAtMs),
    Number(successor?.expiresAtMs) - 48 * HOUR_MS,
    Date.parse(/until (\S+) at/.exec(rotated.stderr)?.[1] ?? '') + 1000 - 2 * HOUR_MS,
  ].map((ms) => ms - startedMs);
  expect(Math.min(...leadsMs)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...leadsMs)).toBeLessThanOrEqual(Date.now() - startedMs + 1000);
});

it('states the expiry of a key that ends before the overlap', async () => {
  await keyOf('create', 'partner', '--endpoints', '*', '--expires', '2h');
  const { stderr } = await keys('rotate', 'partner');
  // The new key inherits the expiry, which may be the end of an earlier overlap.
  const [, expires] = /The new key expires at (\S+)\.\n/.exec(stderr) ?? [];
  expect(stderr).toContain(`The old key works until ${expires} at the latest.`);
  const endsMs = Date.parse(/until (\S+) at the latest/.exec(stderr)?.[1] ?? '');
  expect(endsMs - Date.now()).toBeLessThanOrEqual(2 * HOUR_MS);
});

it('lists what each key may do, without complete digests', async () => {
  const store = createKeyRegister(firestore);
  const digest = (id: string): string => id.padEnd(64, '0');
  const partner = {
    name: 'partner',
    endpoints: ['web.visit-counts'],
    parameters: { project: ['abc', 'def'], interval: ['daily'] },
  };
  await store.set(digest('1b'), {
    ...partner,
    createdAtMs: Date.parse('2026-11-20T10:00:00.500Z'),
  });
  await store.set(digest('0a'), {
    ...partner,
    createdAtMs: Date.parse('2026-01-01T00:00:00Z'),
    expiresAtMs: Date.parse('2026-02-01T00:00:00Z'),
  });
  const limits = { requestsPerMinute: 60, bytesPerDay: 1e9 };
  await store.set(digest('2c'), { name: 'dashboard', endpoints: ['*'], ...limits });
  await firestore.doc('apiKeys/other').set({ no: 'key' });
  const { code, stdout, stderr } = await keys('list');
  expect(stdout.split('\n')).toEqual([
    'NAME       ENDPOINTS         PARAMETERS                      LIMITS                                CREATED               EXPIRES               STATE    ID',
    'dashboard  *                 any                             requests/min=60 bytes/day=1000000000  by Terraform          never                 valid    2c0000000000',
    'partner    web.visit-counts  interval=daily project=abc,def  any                                   2026-01-01T00:00:00Z  2026-02-01T00:00:00Z  expired  0a0000000000',
    'partner    web.visit-counts  interval=daily project=abc,def  any                                   2026-11-20T10:00:00Z  never                 valid    1b0000000000',
    '',
  ]);
  expect([code, stderr]).toEqual([
    0,
    '1 documents in apiKeys are not valid keys and allow nothing.\n',
  ]);
});

it('prints a record of each key with --json, and the key itself only once', async () => {
  const parse = ({ stdout }: CommandResult) => JSON.parse(stdout) as Record<string, string>;
  const create = ['create', 'partner', '--endpoints', 'web.*', '--parameter', 'project=b,a'];
  const created = await keys(...create, '--json', '--bytes-per-day', '50MB');
  const { key = '', id = '', createdAt } = parse(created);
  expect(sha256Hex(key)).toMatch(new RegExp(`^${id}`));
  const rights = { name: 'partner', endpoints: ['web.*'], parameters: { project: ['b', 'a'] } };
  const record = { id, ...rights, bytesPerDay: 50_000_000, createdAt, state: 'valid' };
  expect(parse(created)).toEqual({ ...record, key });
  const listed = await keys('list', '--json');
  expect(parse(listed)).toEqual(record);
  const second = parse(await keys('rotate', 'partner', '--json'));
  expect(second).toMatchObject({ ...rights, bytesPerDay: 50_000_000, state: 'valid' });
  expect([second.id, second.key]).not.toContain(id);
  const revoked = parse(await keys('revoke', 'partner', '--id', id, '--json'));
  const time = expect.stringMatching(/^20.*Z$/) as string;
  expect(revoked).toEqual({ ...record, expiresAt: time, revokedAt: time, state: 'revoked' });
  const signs = parse(await keys('create', 'shop', '--signs', '--endpoints', '*', '--json'));
  expect(signs.key).toMatchObject({ kty: 'OKP', x: signs.publicKey });
});

it('reports that there are no keys', async () => {
  expect(await keys('list')).toEqual({ code: 0, stdout: '', stderr: 'No keys found.\n' });
});

it('does not change keys of Terraform, unless forced', async () => {
  const store = createKeyRegister(firestore);
  await store.set('a'.repeat(64), { name: 'dashboard', endpoints: ['*'] });
  const fault =
    'The key dashboard is managed by Terraform, whose next apply would undo this: change api_keys there, or use --force.';
  expect(await keys('revoke', 'dashboard')).toEqual(refusal(fault));
  expect(await keys('rotate', 'dashboard')).toEqual(refusal(fault));
  expect(await store.get('a'.repeat(64))).toEqual({ name: 'dashboard', endpoints: ['*'] });
  await store.set('b'.repeat(64), { name: 'dashboard', endpoints: ['*'], createdAtMs: 0 });
  expect((await keys('revoke', 'dashboard', '--id', 'bbb')).code).toBe(0);
  expect((await keys('revoke', 'dashboard', '--force')).code).toBe(0);
  expect((await store.get('a'.repeat(64)))?.revokedAtMs).toBeGreaterThan(0);
});

it('reuses a name only after its first key has ended', async () => {
  await keyOf('create', 'partner', '--endpoints', '*');
  expect(await keys('create', 'partner', '--endpoints', '*')).toEqual(
    refusal(
      'A key partner already exists: "rotate partner" replaces it, "revoke partner" ends it.',
    ),
  );
  expect((await keys('revoke', 'partner')).code).toBe(0);
  await keyOf('create', 'partner', '--endpoints', '*');
});

describe('rejects with one line', () => {
  it.each(refused)('npm run keys -- %s', async (command, fault) => {
    expect(await keys(...wordsOf(command))).toEqual(refusal(fault));
    expect((await firestore.collection('apiKeys').get()).size).toBe(0);
  });

  it.each([...notUnderstood, ['', 'use one of create, list, revoke, rotate. See --help.']])(
    'npm run keys -- %s, with exit code 2',
    async (command, fault) => {
      expect(await keys(...wordsOf(command))).toEqual(refusal(fault, 2));
      expect((await firestore.collection('apiKeys').get()).size).toBe(0);
    },
  );

  it('a missing project', async () => {
    const none = { GOOGLE_CLOUD_PROJECT: '', FIRESTORE_EMULATOR_HOST: '' };
    expect(await runCommand(main, ['list'], none)).toEqual(
      refusal('Specify the project: --project or GOOGLE_CLOUD_PROJECT.', 2),
    );
  });

  it('missing credentials', async () => {
    const metadata = createServer((_, res) => res.writeHead(403).end()).listen(await freePort());
    const refused = await runScript('scripts/keys.ts', ['list'], {
      GOOGLE_CLOUD_PROJECT: project,
      FIRESTORE_EMULATOR_HOST: '',
      GOOGLE_APPLICATION_CREDENTIALS: '',
      HOME: '/nonexistent',
      CLOUDSDK_CONFIG: '/nonexistent',
      // Where no metadata server answers, Google's client warns of it, and the command does not.
      METADATA_SERVER_DETECTION: '',
      GCE_METADATA_HOST: `localhost:${(metadata.address() as AddressInfo).port}`,
    });
    metadata.close();
    expect(refused).toEqual(
      refusal('No credentials found: run "gcloud auth application-default login".'),
    );
  });

  it('a Firestore that does not respond', async () => {
    const emulatorHost = `127.0.0.1:${await freePort()}`;
    // In a process of its own: a client that cannot connect ends with its process alone.
    const program = `
      import { withFirestore } from './scripts/keys/key-register.ts';
      const where = { project: 'p', database: 'd', emulatorHost: '${emulatorHost}', timeoutMs: 300 };
      await withFirestore(where, (firestore, inTime) => inTime(firestore.listCollections()))
        .catch(({ message }) => console.log(message));
      process.exit();`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      env: { ...process.env, FIRESTORE_EMULATOR_HOST: emulatorHost },
    });
    expect(stdout).toBe(
      `Firestore does not answer at ${emulatorHost} (FIRESTORE_EMULATOR_HOST).\n`,
    );
  });
});

it.each([
  ['KEYS_DATABASE', [], 'keys'],
  ['the database of the deployment that is named', ['--deployment', 'staging'], 'sq-staging-keys'],
  ['the database that is stated', ['--deployment', 'staging', '--database', 'own'], 'own'],
])('stores keys in %s, where no other deployment finds them', async (_, options, database) => {
  const args = ['create', 'partner', '--endpoints', '*', ...options];
  const { code } = await runCommand(main, args, { ...environment(), KEYS_DATABASE: 'keys' });
  const where = openFirestore(project, database);
  const { size } = await where.collection('apiKeys').get();
  await where.terminate();
  expect([code, size]).toEqual([0, 1]);
});

it('uses the project of npm start with an emulator', async () => {
  const { stdout } = await keys('list', '--help');
  expect(stdout.replace(/\s+/g, ' ')).toContain('with FIRESTORE_EMULATOR_HOST, local-project');
  expect(stdout.replace(/\s+/g, ' ')).toContain('KEYS_DATABASE, else saved-queries-keys');
  const local = openFirestore('local-project');
  const name = `key-${randomUUID().slice(0, 8)}`;
  const { code } = await runCommand(main, ['create', name, '--endpoints', '*'], {
    GOOGLE_CLOUD_PROJECT: '',
    FIRESTORE_EMULATOR_HOST: HOST,
  });
  const { docs } = await local.collection('apiKeys').where('name', '==', name).get();
  await local.terminate();
  expect([code, docs.length]).toEqual([0, 1]);
});
