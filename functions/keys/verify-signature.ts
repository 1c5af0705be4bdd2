// Verifies the signature of a token (RFC 7515, RFC 8037). Loaded with the first token.
import { compactVerify, errors } from 'jose';
import type { VerifySignature } from './authenticate-token.ts';

export const verifySignature: VerifySignature = async (token, publicKey) => {
  try {
    await compactVerify(
      token,
      { kty: 'OKP', crv: 'Ed25519', x: publicKey },
      { algorithms: ['EdDSA'] },
    );
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
};
