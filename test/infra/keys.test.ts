// Tests of the API keys that Terraform creates: it evaluates the expressions of keys.tf itself, without a provider.
import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigner } from '../support/service/sign-token.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { describeWithTerraform, evaluate } from './terraform.ts';

/** The locals of keys.tf, with values where it asks for resources, variables and other files. */
function folderWith(given_keys: object, random_bytes = {}): string {
  const folder = testDirectory('infra-keys-');
  const [locals = ''] = /^locals \{\n.*?^\}\n/ms.exec(readFileSync('infra/keys.tf', 'utf8')) ?? [];
  const text = locals
    .replaceAll('random_bytes.api_key[', 'local.random_bytes[')
    .replaceAll('var.api_keys', 'local.given_keys');
  writeFileSync(join(folder, 'keys.tf'), text);
  const attributes = readFileSync('infra/key-rules.yaml', 'utf8').match(/^\w+(?=:)/gm) ?? [];
  const key_rules = Object.fromEntries(attributes.map((name) => [name, {}]));
  const values = { locals: { key_rules, given_keys, random_bytes } };
  writeFileSync(join(folder, 'values.tf.json'), JSON.stringify(values));
  return folder;
}

describeWithTerraform('Terraform', () => {
  it('adds a checksum to a key', () => {
    const sha256 = '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
    const base64 = '${sensitive("4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8=")}';
    const given = { generated: { endpoints: ['*'] }, given: { endpoints: ['*'], sha256 } };
    const folder = folderWith(given, { generated: { base64 } });
    const keys = '{ for name, key in local.key_values : name => nonsensitive(key) }';
    expect(evaluate(folder, `{ keys = ${keys}, sha256 = local.key_sha256 }`)).toEqual({
      keys: { generated: 'sqk_4OHi4-Tl5ufo6err7O3u7_Dx8vP09fb3-Pn6-_z9_v862486c' },
      sha256: {
        generated: '0b0870ddb30cefff5c1bdaac50f87362db163cdde4fb1fbe2951d1e99bb92751',
        given: sha256,
      },
    });
  });

  it('knows the key and the kid of what signs', () => {
    const signers = Array.from({ length: 8 }, () => {
      const signer = createSigner();
      const pem = createPublicKey(signer.privateKey).export({ type: 'spki', format: 'pem' });
      return { signer, pem: pem.toString() };
    });
    // Another pair is made by the lines in keys.tf.
    const lines =
      readFileSync('infra/keys.tf', 'utf8').match(/(?<=^# +)openssl (?:gen)?pkey.*/gm) ?? [];
    const cwd = testDirectory('pair-');
    const made = execFileSync('bash', ['-c', lines.join('\n')], { cwd, encoding: 'utf8' });
    const privateKey = createPrivateKey(readFileSync(join(cwd, 'private.pem')));
    signers.push({ signer: createSigner(privateKey), pem: made });
    const named = (of: (one: (typeof signers)[number]) => unknown): object =>
      Object.fromEntries(signers.map((one, index) => [`signs-${index}`, of(one)]));
    const folder = folderWith(named(({ pem }) => ({ endpoints: ['*'], public_key: pem })));
    const known = evaluate(folder, '{ keys = local.public_keys, ids = local.signing_key_ids }');
    expect(known).toEqual({
      keys: named(({ signer }) => signer.stored().publicKey),
      ids: named(({ signer }) => signer.id),
    });
  });
});
