// Makes an API key, or the key pair of one that signs tokens. What is secret of it is shown once and never stored.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { sha256Hex } from '../../functions/core/bytes.ts';
import { type ApiKey, signingKeyId } from '../../functions/core/key-store.ts';
import { withChecksum } from '../../functions/keys/checksum.ts';

export interface NewKey {
  /** As `KeyStore` says: the `kid` of a key that signs. */
  storedAs: string;
  key: ApiKey;
  /** The key, or the private key: as PEM (PKCS#8), and in the line after it as JWK (RFC 8037). */
  secret: string;
  /** Only of a key that signs: the JWK alone. */
  jwk?: object;
}

/** A key with these fields, to be stored and to be shown this one time. */
export function makeNewKey(fields: ApiKey, isSigning: boolean, nowMs: number): NewKey {
  const key = { ...fields, publicKey: undefined, createdAtMs: nowMs };
  if (!isSigning) {
    const secret = withChecksum(`sqk_${randomBytes(32).toString('base64url')}`);
    return { storedAs: sha256Hex(secret), key, secret };
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const { kty, crv, x = '', d } = privateKey.export({ format: 'jwk' });
  const storedAs = signingKeyId(x);
  const jwk = { kty, crv, x, d, kid: storedAs, alg: 'EdDSA', use: 'sig' };
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const secret = `${pem.toString()}${JSON.stringify(jwk)}`;
  return { storedAs, key: { ...key, publicKey: x }, secret, jwk };
}
