// Tests of `npm run keys` with a running service: creates, restricts, replaces and revokes keys.
import { spawnSync } from 'node:child_process';
import { type JsonWebKey, createPrivateKey, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import request from 'supertest';
import { sha256Hex } from '../../functions/core/bytes.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { testDatabase } from '../support/service/firestore-emulators.ts';
import { freePort } from '../support/service/free-port.ts';
import { main } from '../../scripts/keys.ts';
import {
  type CommandResult,
  printedBy,
  refusal,
  runCommand,
  runScript,
  wordsOf,
} from '../support/command.ts';
import { ControlledClock } from '../support/clock.ts';
import { createTestService } from '../support/world.ts';
import { type Signer, createSigner } from '../support/service/sign-token.ts';
import { readExpectations } from '../support/sql/read-expectations.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { runTranscript, transcriptsOf } from '../support/sql/transcripts.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { writeTypedEndpoints } from '../support/sql/typed-endpoints.ts';
import { startLocalBigQuery, tablesOf } from '../support/bigquery/local-bigquery.ts';

const HOST = process.env.FIRESTORE_EMULATOR_HOST ?? '';
const refusals = readExpectations('test/scripts/keys/refused.txt');

/** A project without keys, and the command in it. */
function newProject() {
  const project = `test-${randomUUID()}`;
  const environment = { GOOGLE_CLOUD_PROJECT: project, FIRESTORE_EMULATOR_HOST: HOST };
  return {
    ...{ project, environment, firestore: testDatabase(project) },
    keys: (args: string[], given = {}): Promise<CommandResult> =>
      runCommand(main, ofTestSql(args), { ...environment, ...given }),
  };
}

/** The command, on the endpoints of the tests where it asks for some. */
const ofTestSql = (args: string[]): string[] =>
  args[0] === 'create' && !args.includes('--sql') ? [...args, '--sql', TEST_SQL] : args;

it.each(transcriptsOf('test/scripts/cases/keys.txt'))('%s', async (_, transcript) => {
  const { project, firestore, keys } = newProject();
  const { url: bigQueryUrl } = await startLocalBigQuery({ tables: await tablesOf(TEST_SQL) });
  const clock = new ControlledClock(new Date().toISOString());
  const service = createTestService({ clock, firestore, bigQueryUrl });
  /** By the names that the transcript gives them. */
  const secrets = new Map<string, string>();
  const signers = new Map<string, { pem: Signer; jwk: Signer }>();

  /** Runs a command that prints a key. */
  async function keyOf(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await keys(args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('never again')]);
    expect(stdout).toMatch(/^sqk_[\w-]{43}[\da-f]{6}\n$/);
    return stdout.trim();
  }

  /** Runs a command that prints a private key, with which a test signs as PEM and as JWK. */
  async function signersOf(...args: string[]): Promise<{ pem: Signer; jwk: Signer; note: string }> {
    const { code, stdout, stderr } = await keys(args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('never again')]);
    const [pem = '', json = '', end] = stdout.split(/(?<=-----END PRIVATE KEY-----)\n|\n$/);
    const jwk = JSON.parse(json) as JsonWebKey;
    const made = {
      pem: createSigner(createPrivateKey(pem)),
      jwk: createSigner(createPrivateKey({ key: jwk, format: 'jwk' })),
    };
    const text = expect.stringMatching(/^[\w-]{43}$/) as string;
    const kid = made.pem.id;
    expect([jwk, end, made.jwk.id]).toEqual([
      { kty: 'OKP', crv: 'Ed25519', x: text, d: text, kid, alg: 'EdDSA', use: 'sig' },
      '',
      kid,
    ]);
    expect(stderr).toContain(`its kid is ${kid}.`);
    return { ...made, note: stderr };
  }

  const idOf = ({ id }: Signer): string =>
    Buffer.from(id, 'base64url').toString('hex').slice(0, 12);

  /** Each remembered key by its name, with what is stored of it, and the time of now. */
  function named(text: string): string {
    let said = text;
    for (const [name, secret] of secrets) {
      said = said
        .replaceAll(secret, `{${name}}`)
        .replaceAll(sha256Hex(secret), `{digest of ${name}}`)
        .replaceAll(sha256Hex(secret).slice(0, 12), `{id of ${name}}`);
    }
    for (const [name, { pem }] of signers) {
      said = said
        .replaceAll(pem.id, `{thumbprint of ${name}}`)
        .replaceAll(String(pem.stored().publicKey), `{public key of ${name}}`)
        .replaceAll(idOf(pem), `{id of ${name}}`);
    }
    return said;
  }

  return runTranscript(transcript, new FakeSqlTree(), {
    async keys(_, args, __, given) {
      const ids = args.replaceAll(/\{id of (\w+)\}/g, (_all, name: string) =>
        sha256Hex(secrets.get(name) ?? '').slice(0, 8),
      );
      const words = wordsOf(ids.replace('{typed}', () => writeTypedEndpoints().directory));
      const result = await keys(words, given);
      const [made] = /sqk_[\w-]+/.exec(result.stdout) ?? [];
      if (made !== undefined) secrets.set(`key ${secrets.size + 1}`, made);
      return named(printedBy(result));
    },
    async key(_, args) {
      const [name = '', ...words] = wordsOf(args);
      secrets.set(name, await keyOf(...words));
      return '';
    },
    async signer(_, args) {
      const [name = '', ...words] = wordsOf(args);
      const { note, ...signer } = await signersOf(...words);
      signers.set(name, signer);
      return named(note);
    },
    async call(_, args) {
      const [, name = '', how, path = ''] = /^(\w+)(?::(\w+))? (.*)$/.exec(args) ?? [];
      const secret = secrets.get(name);
      if (secret !== undefined) return `${(await service.ask(path, secret)).status}\n`;
      const iat = Math.floor(clock.nowMs() / 1000);
      const signer = signers.get(name)?.[how === 'jwk' ? 'jwk' : 'pem'];
      const token = signer?.sign({ iat, exp: iat + (Number(how) || 3600) });
      const answer = request(service.server).get(`/api/endpoints/query/${path}`);
      return `${(await answer.set('Authorization', `Bearer ${token}`)).status}\n`;
    },
    advance: (_, seconds) => void clock.advance(Number(seconds) * 1000),
    async stored(_, database) {
      const where = database === '' ? firestore : testDatabase(project, database);
      const { docs } = await where.collection('apiKeys').get();
      const lines = docs.map((one) => `${one.id} ${JSON.stringify(one.data())}\n`);
      return named(lines.join(''));
    },
    async document(_, args) {
      const [, id = '', json] = /^(\w+) ?(.*)$/.exec(args) ?? [];
      if (json)
        await createKeyRegister(firestore).set(id.padEnd(64, '0'), JSON.parse(json) as ApiKey);
      else await firestore.doc(`apiKeys/${id}`).set({ no: 'key' });
      return '';
    },
  });
});

it('dates keys with the time of Firestore, not of the computer', async () => {
  const { firestore, environment } = newProject();
  const HOUR_MS = 3_600_000;
  const FAST_CLOCK = pathToFileURL('test/support/processes/ten-minutes-fast.ts').href;
  /** The same on a computer whose clock is ten minutes fast. */
  const keysOfFastClock = (...args: string[]): Promise<CommandResult> =>
    runScript('scripts/keys.ts', ofTestSql(args), {
      ...environment,
      NODE_OPTIONS: `--import=${FAST_CLOCK}`,
    });
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

describe('rejects with one line', () => {
  it.each(refusals.refused ?? [])('npm run keys -- %s', async (command, fault) => {
    const { firestore, keys } = newProject();
    expect(await keys(wordsOf(command))).toEqual(refusal(fault));
    expect((await firestore.collection('apiKeys').get()).size).toBe(0);
  });

  it.each([
    ...(refusals['not understood'] ?? []),
    ['', 'use one of create, list, revoke, rotate. See --help.'],
  ])('npm run keys -- %s, with exit code 2', async (command, fault) => {
    const { firestore, keys } = newProject();
    expect(await keys(wordsOf(command))).toEqual(refusal(fault, 2));
    expect((await firestore.collection('apiKeys').get()).size).toBe(0);
  });

  it('missing credentials', async () => {
    const metadata = createServer((_, res) => res.writeHead(403).end()).listen(await freePort());
    const refused = await runScript('scripts/keys.ts', ['list'], {
      GOOGLE_CLOUD_PROJECT: 'my-project',
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

it('uses the project of npm start with an emulator', async () => {
  const { stdout } = await newProject().keys(['list', '--help']);
  expect(stdout.replace(/\s+/g, ' ')).toContain('with FIRESTORE_EMULATOR_HOST, local-project');
  expect(stdout.replace(/\s+/g, ' ')).toContain('KEYS_DATABASE, else saved-queries-keys');
  const local = testDatabase('local-project');
  const name = `key-${randomUUID().slice(0, 8)}`;
  const { code } = await runCommand(main, ['create', name, '--endpoints', '*'], {
    GOOGLE_CLOUD_PROJECT: '',
    FIRESTORE_EMULATOR_HOST: HOST,
  });
  const { docs } = await local.collection('apiKeys').where('name', '==', name).get();
  expect([code, docs.length]).toEqual([0, 1]);
});
