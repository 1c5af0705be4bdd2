// Verifies a token, a JWT (RFC 7519) with an Ed25519 signature (RFC 8037): header, signature and times. Loaded with the first token.
import { type JWTPayload, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { isText } from '../core/json.ts';
import { BASE64URL_256 } from '../core/key-store.ts';
import { CLOCK_SKEW_SECONDS, invalidToken, refuseOthers } from './token.ts';

/** The public key is the `x` of an Ed25519 JWK. */
interface Terms {
  publicKey: string;
  secondsMax: number;
  nowMs: number;
}

const HEADER_LENGTH_MAX = 512;
const LENGTH_MAX = 8192;
/** Three parts. The last is an Ed25519 signature: 64 bytes are 86 characters, and the last 4 bits of these are zero. */
const COMPACT = new RegExp(String.raw`^[\w-]{1,${HEADER_LENGTH_MAX}}\.[\w-]+\.[\w-]{85}[AQgw]$`);

/** The `kid` of a token that is not verified yet. Throws TOKEN_INVALID for a wrong form or header. */
export function keyIdOf(token: string): string {
  if (token.length > LENGTH_MAX || !COMPACT.test(token)) {
    throw invalidToken(
      `It must have a header of at most ${HEADER_LENGTH_MAX} characters, claims and an Ed25519 signature, and at most ${LENGTH_MAX} characters in all.`,
    );
  }
  const { alg, kid, typ = 'JWT', ...others } = headerOf(token);
  // One algorithm: a token must not choose how it is verified (RFC 8725, 3.1).
  if (alg !== 'EdDSA') throw invalidToken('"alg" must be "EdDSA".');
  if (!isText(kid) || !BASE64URL_256.test(kid)) {
    throw invalidToken('"kid" must be the id of a signing key, of 43 characters.');
  }
  if (!isText(typ) || typ.toUpperCase() !== 'JWT') throw invalidToken('"typ" must be "JWT".');
  refuseOthers(others, 'header');
  return kid;
}

function headerOf(token: string) {
  try {
    return decodeProtectedHeader(token);
  } catch {
    throw invalidToken('Its header must be a JSON object.');
  }
}

/** The claims; undefined if the key has not signed the token. Throws TOKEN_INVALID if it has, and the token is not valid now. */
export async function claimsOf(token: string, terms: Terms): Promise<JWTPayload | undefined> {
  try {
    const key = { kty: 'OKP', crv: 'Ed25519', x: terms.publicKey };
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['EdDSA'],
      requiredClaims: ['iat', 'exp'],
      maxTokenAge: terms.secondsMax,
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(terms.nowMs),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw invalidToken('It has expired.');
    if (error instanceof errors.JWTClaimValidationFailed) {
      if (error.reason === 'check_failed') throw invalidToken('It is not valid yet.');
      throw invalidToken(
        '"iat" and "exp" are required and "nbf" is optional, each a number of seconds since 1970.',
      );
    }
    if (error instanceof errors.JWTInvalid) throw invalidToken('Its claims must be a JSON object.');
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
