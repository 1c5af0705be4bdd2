// Signs tokens as a team's backend does, with Node's own code and none of the project's.
import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { ApiKey } from '../../../functions/core/key-store.ts';

export interface Signer {
  /** The `kid`. */
  id: string;
  privateKey: KeyObject;
  /** The document that the service has of it. */
  stored: (fields?: Partial<ApiKey>) => ApiKey;
  /** A token with these claims; `header` replaces members of the usual one. */
  sign: (claims: object, header?: object) => string;
  /** Signs texts as they are. */
  signTexts: (header: string, claims: string) => string;
}

export function createSigner(privateKey = generateKeyPairSync('ed25519').privateKey): Signer {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  // RFC 7638, 3: the required members, in alphabetical order.
  const id = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  const signTexts = (header: string, claims: string): string => {
    const signed = `${encode(header)}.${encode(claims)}`;
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  return {
    id,
    privateKey,
    stored: (fields) => ({ name: 'shop', endpoints: ['*'], publicKey: x, ...fields }),
    sign: (claims, header = {}) =>
      signTexts(
        JSON.stringify({ alg: 'EdDSA', typ: 'JWT', kid: id, ...header }),
        JSON.stringify(claims),
      ),
    signTexts,
  };
}

export function encode(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64url');
}
