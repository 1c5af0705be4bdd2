// Makes a new API key, or the pair of one that signs tokens. What is secret of it is shown once and never stored.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { sha256Hex } from '../../functions/core/hashes.ts';
import { signingKeyId } from '../../functions/core/key-store.ts';
import { withChecksum } from '../../functions/keys/checksum.ts';
import type { KeyWrite, StoredKey } from './key-register.ts';

interface NewKey {
  /** The key, or the private key: as PEM (PKCS#8), and in the line after it as JWK (RFC 8037). */
  secret: string;
  /** As `KeyStore` says: the `kid` of a key that signs. */
  id: string;
  /** Only of a key that signs, as is the JWK alone. */
  publicKey?: string;
  jwk?: string;
}

/** A key that is shown this one time. */
export interface NamedKey extends NewKey {
  name: string;
}

/** A key with these fields, to be shown and to be stored. */
export function makeNamedKey(key: StoredKey, signs: boolean, nowMs: number) {
  const made: NewKey = signs ? makeSigningKey() : makeKey();
  const stored = { ...key, publicKey: made.publicKey, createdAtMs: nowMs };
  const write: KeyWrite = { id: made.id, key: stored };
  return { write, shown: { name: key.name, ...made } };
}

function makeKey(): NewKey {
  const secret = withChecksum(`sqk_${randomBytes(32).toString('base64url')}`);
  return { secret, id: sha256Hex(secret) };
}

function makeSigningKey(): NewKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { kty, crv, x = '', d } = privateKey.export({ format: 'jwk' });
  const id = signingKeyId(x);
  const jwk = JSON.stringify({ kty, crv, x, d, kid: id, alg: 'EdDSA', use: 'sig' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { secret: `${pem.toString()}${jwk}`, id, publicKey: x, jwk };
}
