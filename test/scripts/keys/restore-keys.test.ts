// Tests of docs/restore.md: keys are exported, the database is lost, and after the import each key opens what it opened.
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import request from 'supertest';
import type { ApiKey } from '../../../functions/core/key-store.ts';
import { sha256Hex } from '../../../functions/core/hashes.ts';
import { startLocalBigQuery, tablesOf } from '../../support/bigquery/local-bigquery.ts';
import { refusal, wordsOf } from '../../support/command.ts';
import { ControlledClock } from '../../support/fakes/controlled-clock.ts';
import { createKeysCommand } from '../../support/keys-command.ts';
import { startFirestoreProxy } from '../../support/service/firestore-proxy.ts';
import { createTestService } from '../../support/service/service.ts';
import { type Signer, createSigner } from '../../support/service/sign-token.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';
import { undo } from '../../support/undo.ts';

const START = '2026-11-20T10:00:00.000Z';
const START_MS = Date.parse(START);
const HOUR_MS = 3_600_000;

let keys: ReturnType<typeof createKeysCommand>;
beforeEach(() => void (keys = createKeysCommand()));

const A = 'a'.repeat(64);
const line = (fields: object = {}, hash = A): string =>
  JSON.stringify({ hash, name: 'a', endpoints: ['*'], createdAt: START, ...fields });
const put = (fields: Partial<ApiKey> = {}, hash = A) =>
  keys.store.set(hash, { name: 'a', endpoints: ['*'], createdAtMs: START_MS, ...fields });
const load = (content: string | Buffer, ...options: string[]) =>
  keys.run('import', keys.file('keys.ndjson', content), ...options);
const ID = A.slice(0, 12);

describe('after a loss of the database', () => {
  const SECRETS = ['plain', 'restricted', 'limited', 'ending', 'expired', 'revoked', 'declared'];
  const secretOf = (name: string): string => `sqk_of-a-test-of-its-restoration-${name}`;
  let signers: Record<'shop' | 'ended', Signer>;
  let bigQueryUrl: string;

  beforeAll(async () => {
    ({ url: bigQueryUrl } = await startLocalBigQuery({ tables: await tablesOf(TEST_SQL) }));
  });

  beforeEach(async () => {
    signers = { shop: createSigner(), ended: createSigner() };
    const fields: Record<string, Partial<ApiKey>> = {
      restricted: { endpoints: ['tasks.*'], parameters: { project: ['abc'] } },
      limited: { requestsPerMinute: 3, missesPerMinute: 3, bytesPerDay: 1e9 },
      ending: { expiresAtMs: START_MS + HOUR_MS },
      expired: { expiresAtMs: START_MS - 1 },
      revoked: { revokedAtMs: START_MS - 1 },
      declared: { createdAtMs: undefined },
    };
    for (const name of SECRETS) await put({ name, ...fields[name] }, sha256Hex(secretOf(name)));
    const { shop, ended } = signers;
    const parameters = { project: ['abc'] };
    const times = { createdAtMs: START_MS };
    await keys.store.set(shop.id, shop.stored({ parameters, tokenSeconds: 600, ...times }));
    await keys.store.set(ended.id, ended.stored({ revokedAtMs: START_MS - 1, ...times }));
  });

  /** The status of each key and token for each call, of a new instance, now and after an hour. */
  async function opened() {
    const statuses: Record<string, number[]> = {};
    for (const atMs of [START_MS, START_MS + HOUR_MS]) {
      const clock = new ControlledClock(new Date(atMs).toISOString());
      const service = createTestService({ clock, firestore: keys.firestore, bigQueryUrl });
      const iat = atMs / 1000;
      const tokenOf = (signer: Signer, seconds: number) =>
        `Bearer ${signer.sign({ iat, exp: iat + seconds })}`;
      const headers = {
        ...Object.fromEntries(SECRETS.map((name) => [name, `Bearer ${secretOf(name)}`])),
        shop: tokenOf(signers.shop, 600),
        'shop, for too long': tokenOf(signers.shop, 601),
        ended: tokenOf(signers.ended, 60),
      };
      for (const call of [
        'tasks.run-stats?project=abc',
        'tasks.run-stats?project=def',
        'web.visit-counts?project=abc&interval=hourly',
        'tasks.run-stats?project=abc',
      ]) {
        for (const [name, header] of Object.entries(headers)) {
          const ask = request(service.server).get(`/api/endpoints/query/${call}`);
          (statuses[name] ??= []).push((await ask.set('Authorization', header)).status);
        }
      }
    }
    return statuses;
  }

  it('the commands of docs/restore.md give each key and token what it had', async () => {
    const before = await opened();
    expect(before).toMatchObject({
      plain: Array.from({ length: 8 }, () => 200),
      restricted: [200, 403, 404, 200, 200, 403, 404, 200],
      limited: [200, 200, 200, 429, 200, 200, 200, 429],
      ending: [200, 200, 200, 200, 401, 401, 401, 401],
      revoked: Array.from({ length: 8 }, () => 401),
      shop: [200, 403, 200, 200, 200, 403, 200, 200],
    });
    const documents = await contents();
    const page = readFileSync('docs/restore.md', 'utf8');
    const calls = [
      ...page.matchAll(/^ *npm run keys -- ((?:export|import) .*) --project my-project$/gm),
    ];
    const [exported, rehearsal, imported] = calls.map(([, call = '']) =>
      wordsOf(call.replaceAll('keys.ndjson', keys.path('keys.ndjson'))),
    );
    expect((await keys.run(...(exported ?? []))).stderr).toBe('9 keys exported.\n');
    await keys.lose();
    expect(new Set(Object.values(await opened()).flat())).toEqual(new Set([401]));
    // As the apply of step 1.
    await put({ name: 'declared', createdAtMs: undefined }, sha256Hex(secretOf('declared')));
    const left =
      'Left out, because Terraform manages it: declared. The next apply writes what api_keys declares.\n';
    expect(await keys.run(...(rehearsal ?? []))).toMatchObject({
      code: 0,
      stderr: `8 keys: 8 new, 0 overwritten, 0 unchanged.\n${left}Nothing is written (--dry-run).\n`,
    });
    expect((await keys.stored()).length).toBe(1);
    expect(await keys.run(...(imported ?? []))).toEqual({
      code: 0,
      stdout: '',
      stderr: `8 keys: 8 new, 0 overwritten, 0 unchanged.\n${left}`,
    });
    expect(await opened()).toEqual(before);
    expect(await contents()).toEqual(documents);
  });

  const contents = async () =>
    (await keys.firestore.collection('apiKeys').get()).docs.map((one) => [one.id, one.data()]);
});

it('exports hashes and fields of all keys, to their owner only', async () => {
  const signer = createSigner();
  await put({ parameters: { b: ['1'], a: [''] }, revokedAtMs: START_MS + 5 });
  await keys.store.set(signer.id, signer.stored({ name: 'b', createdAtMs: START_MS }));
  await keys.store.set('c'.repeat(64), { name: 'c', endpoints: ['x.*'], expiresAtMs: START_MS });
  await keys.firestore.doc('apiKeys/d').set({ name: 'd' });
  const lines = `{"hash":"${A}","name":"a","endpoints":["*"],"parameters":{"a":[""],"b":["1"]},"createdAt":"${START}","revokedAt":"2026-11-20T10:00:00.005Z"}
{"hash":"${signer.id}","name":"b","endpoints":["*"],"publicKey":"${signer.stored().publicKey}","createdAt":"${START}"}
{"hash":"${'c'.repeat(64)}","name":"c","managedBy":"terraform","endpoints":["x.*"],"expiresAt":"${START}"}
`;
  const notes = '3 keys exported.\n1 documents in apiKeys are not valid keys and allow nothing.\n';
  expect(await keys.run('export')).toEqual({ code: 0, stdout: lines, stderr: notes });
  const out = keys.file('out', 'an earlier export');
  chmodSync(out, 0o644);
  expect(await keys.run('export', '--out', out)).toEqual({ code: 0, stdout: '', stderr: notes });
  expect([readFileSync(out, 'utf8'), statSync(out).mode & 0o777]).toEqual([lines, 0o600]);
});

it('leaves an earlier export as it is once the keys are lost', async () => {
  const out = keys.file('out', 'an earlier export');
  const fault = 'saved-queries-keys has no keys: nothing is exported.';
  expect(await keys.run('export', '--out', out)).toEqual(refusal(fault));
  expect(readFileSync(out, 'utf8')).toBe('an earlier export');
});

it('imports from standard input what an export prints', async () => {
  await put({ revokedAtMs: START_MS });
  const { stdout } = await keys.run('export');
  await keys.lose();
  const piped = spawnSync(process.execPath, ['scripts/keys.ts', 'import', '-'], {
    input: stdout.replaceAll('\n', '\r\n'),
    encoding: 'utf8',
    env: { ...process.env, ...keys.env() },
  });
  expect(piped.stderr).toBe('1 key: 1 new, 0 overwritten, 0 unchanged.\n');
  expect((await keys.run('export')).stdout).toBe(stdout);
});

describe('a key that is in the database', () => {
  it('stays unchanged if it has the same content, in any order', async () => {
    await put({ parameters: { a: ['1'], b: ['2'] } });
    const [before] = (await keys.firestore.collection('apiKeys').get()).docs;
    const { code, stderr } = await load(line({ parameters: { b: ['2'], a: ['1'] } }));
    expect([code, stderr]).toEqual([0, '1 key: 0 new, 0 overwritten, 1 unchanged.\n']);
    const [after] = (await keys.firestore.collection('apiKeys').get()).docs;
    expect(after?.updateTime).toEqual(before?.updateTime);
  });

  it('is replaced only with --overwrite if it has other content, which is named', async () => {
    await put({ parameters: { a: ['1'] }, requestsPerMinute: 5 });
    const other = `${line({ requestsPerMinute: 6 })}\n${line({ name: 'new' }, 'b'.repeat(64))}`;
    expect(await load(other)).toEqual(
      refusal(
        `${keys.path('keys.ndjson')}:1: a (${ID}) is in the database, where it differs in parameters, requestsPerMinute: --overwrite replaces it`,
      ),
    );
    expect((await keys.stored()).length).toBe(1);
    const rehearsal = await load(other, '--overwrite', '--dry-run');
    expect(rehearsal.stdout).toBe(`overwritten  a    ${ID}\nnew          new  bbbbbbbbbbbb\n`);
    expect((await keys.stored()).length).toBe(1);
    const { stderr } = await load(other, '--overwrite');
    expect(stderr).toBe('2 keys: 1 new, 1 overwritten, 0 unchanged.\n');
    expect((await keys.store.get(A))?.requestsPerMinute).toBe(6);
  });

  const soonMs = Date.now() + HOUR_MS;
  it.each<[string, Partial<ApiKey> | undefined, string, boolean]>([
    ['is revoked', { revokedAtMs: START_MS }, 'is not valid', true],
    ['is expired', { expiresAtMs: START_MS }, 'is not valid', true],
    ['is damaged', undefined, 'is not valid', true],
    ['ends soon', { expiresAtMs: soonMs }, 'ends earlier', false],
  ])('and %s is valid for longer only with --revive', async (_state, fields, end, isNamed) => {
    if (fields) await put(fields);
    else await keys.firestore.doc(`apiKeys/${A}`).set({ name: 'a', endpoints: '*' });
    expect(await load(line(), '--overwrite')).toEqual(
      refusal(
        `${keys.path('keys.ndjson')}:1: a (${ID}) ${end} in the database: --revive lets it be valid for longer`,
      ),
    );
    expect((await load(line(), '--revive')).stderr).toContain('--overwrite replaces it');
    // What ends it is no such change.
    const revokedAt = '2026-11-20T11:00:00.000Z';
    const ended = await load(line({ revokedAt }), '--overwrite', '--dry-run');
    expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining('Valid again')]);
    const { code, stderr } = await load(line(), '--overwrite', '--revive');
    expect([code, stderr.includes('Valid again: a.\n')]).toEqual([0, isNamed]);
    expect(await keys.store.get(A)).toEqual({ name: 'a', endpoints: ['*'], createdAtMs: START_MS });
  });
});

it('imports keys of Terraform only if asked to', async () => {
  const declared = line({ createdAt: undefined, managedBy: 'terraform' });
  expect((await load(declared)).stderr).toContain('Left out, because Terraform manages it: a.');
  expect(await keys.stored()).toEqual([]);
  const { stderr } = await load(declared, '--include-terraform');
  expect(stderr).toBe('1 key: 1 new, 0 overwritten, 0 unchanged.\n');
  expect((await keys.run('export')).stdout).toContain('"managedBy":"terraform"');
});

it('continues an import that was interrupted', async () => {
  const hashes = Array.from({ length: 1100 }, (_, index) => String(index).padStart(64, '0'));
  const all = hashes.map((hash) => line({}, hash)).join('\n');
  const proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  undo(() => proxy.close());
  let commits = 0;
  proxy.fault = ({ method }) =>
    method === 'Commit' && (commits += 1) > 2 ? { status: 7 } : 'pass';
  const file = keys.file('all', all);
  const { code, stderr } = await keys.runAt(proxy.host, 'import', file);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      '1000 of 1100 keys are written. The others are not: run the command again.',
    ),
  ]);
  const again = await keys.run('import', file);
  expect(again.stderr).toContain('1100 keys: 100 new, 0 overwritten, 1000 unchanged.\n');
});

describe('refuses the whole file, with every fault and its line', () => {
  const signer = createSigner();
  const { publicKey } = signer.stored();
  const time = 'must be a time such as 2027-01-01T00:00:00.000Z';
  const hash = 'hash must be a SHA-256 as export writes it';
  const mark = 'either createdAt or "managedBy":"terraform" must be there';
  const known =
    'known are hash, managedBy, name, endpoints, parameters, requestsPerMinute, missesPerMinute, bytesPerDay, publicKey, tokenSeconds, createdAt, expiresAt, revokedAt';
  const mismatch = 'hash is not that of publicKey, or lacks one';
  it.each<[string, string | Buffer, ...string[]]>([
    ['a hash twice', `${line()}\n\n${line({ name: 'b' })}`, '3: the hash is that of line 1 too'],
    ['a key in place of its hash', line({}, 'sqk_abc'), `1: ${hash}`],
    ['a missing hash', line({ hash: undefined }), `1: ${hash}`],
    ['a hash in capitals', line({}, 'A'.repeat(64)), `1: ${hash}`],
    ['a field of another version', line({ rows: 5 }), `1: unknown field "rows"; ${known}`],
    [
      '__proto__',
      line().replace('{', '{"__proto__":{},'),
      `1: unknown field "__proto__"; ${known}`,
    ],
    [
      'several faults',
      line({
        name: 1,
        endpoints: '*',
        expiresAt: '2027-02-30T00:00:00.000Z',
        requestsPerMinute: 0,
      }),
      `1: expiresAt ${time}`,
      '1: name is not valid',
      '1: endpoints is not valid',
      '1: requestsPerMinute is not valid',
    ],
    ['a time of null', line({ revokedAt: null }), `1: revokedAt ${time}`],
    ['a time in another form', line({ revokedAt: '2026-11-20' }), `1: revokedAt ${time}`],
    ['a missing name', line({ name: undefined }), '1: name is missing'],
    ['parameters of null', line({ parameters: null }), '1: parameters is not valid'],
    [
      'a parameter that cannot be stored',
      line({ parameters: { ['__a__']: ['b'] } }),
      '1: parameters cannot have the name "__a__"',
    ],
    ['neither createdAt nor Terraform', line({ createdAt: undefined }), `1: ${mark}`],
    ['both createdAt and Terraform', line({ managedBy: 'terraform' }), `1: ${mark}`],
    ['another public key', line({ publicKey }, createSigner().id), `1: ${mismatch}`],
    ['a public key by a digest', line({ publicKey }), `1: ${mismatch}`],
    ['a signing key without its public key', line({}, signer.id), `1: ${mismatch}`],
    [
      'a duplicate member',
      line().replace(
        '{',
        '{"revokedAt":"2026-11-20T10:00:00.000Z","revokedAt":"2027-11-20T10:00:00.000Z",',
      ),
      '1: duplicate field revokedAt: first in 1:2',
    ],
    [
      'CSV',
      'hash,name\na,b',
      '1: not valid JSON: invalid symbol',
      '2: not valid JSON: invalid symbol',
    ],
    [
      'a truncated line',
      `${line()}\n${line().slice(0, 50)}`,
      '2: not valid JSON: unexpected end of string',
    ],
    [
      'invalid UTF-8',
      Buffer.from(`${line()}\n{"name":"\xff"}`, 'latin1'),
      '2: is not UTF-8: save it as UTF-8',
    ],
    [
      'a line of more than 1 MB',
      `${line({ name: 'x'.repeat(1_000_000) })}`,
      '1: is longer than 1000000 bytes',
    ],
  ])('%s', async (_what, content, ...faults) => {
    const lines = faults.map((fault) => `${keys.path('keys.ndjson')}:${fault}`);
    expect(await load(content, '--overwrite', '--revive')).toEqual(refusal(lines.join('\n')));
    expect(await keys.stored()).toEqual([]);
  });

  it.each(['', '\uFEFF\n'])('an empty file: %j', async (content) => {
    expect(await load(content)).toEqual(refusal(`${keys.path('keys.ndjson')} has no keys.`));
  });
});
