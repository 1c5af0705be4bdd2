// Authenticates a request by its API key, or by a token: memory first, then the key store; fails closed.
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { sha256Hex } from '../core/hashes.ts';
import type { KeyStore } from '../core/key-store.ts';
import { type AuthenticatedKey, isValidKey } from './access.ts';
import { type SigningKey, createTokenAuthenticator } from './authenticate-token.ts';
import { hasWrongChecksum } from './checksum.ts';
import { createKeyCache } from './key-cache.ts';
import { createKeyLookups } from './key-lookups.ts';
import { isLikeToken } from './token.ts';
import type { VerifyToken } from './verify-token.ts';

/** What a request has sent, not checked yet. */
export interface Credential {
  text: string;
  /** From `Authorization: Bearer`. Only such a credential can be a token. */
  isBearer: boolean;
}

/** The address is read only for a look-up. */
export type Authenticate = (
  credential: Credential | undefined,
  address: () => string,
) => Promise<AuthenticatedKey>;

interface AuthenticatorDeps {
  clock: Clock;
  keyStore: KeyStore;
  keyCacheSeconds: number;
  /** Loads the code that verifies tokens, with the first one. */
  loadVerify: () => Promise<VerifyToken>;
}

/** The allowed shape of a key: printable, and short enough to be hashed quickly. */
export const KEY_SHAPE = /^[\x21-\x7e]{8,256}$/;

/** Rejects with API_KEY_INVALID (one body for all faults of a key), TOKEN_INVALID, KEY_LOOKUPS_EXHAUSTED or KEY_STORE_UNAVAILABLE. */
export function createAuthenticator(deps: AuthenticatorDeps): Authenticate {
  const { clock, keyCacheSeconds } = deps;
  const lookups = createKeyLookups(deps);
  // Indexed by the key itself, which leaves memory when it expires: hashing it would take 3 % of a hit.
  const known = createKeyCache<AuthenticatedKey>(clock, keyCacheSeconds);
  // A cache of its own: the id of a signing key is public, and must not be accepted as an API key.
  const signing = createKeyCache<SigningKey>(clock, keyCacheSeconds);
  const authenticateToken = createTokenAuthenticator({ ...deps, ...lookups, signing });

  return async (credential, address) => {
    if (credential === undefined) throw invalidKey();
    const { text, isBearer } = credential;
    if (isBearer && isLikeToken(text)) return authenticateToken(text, address);
    const key = known.get(text);
    if (key !== undefined) return requireValid(key);
    if (!KEY_SHAPE.test(text) || hasWrongChecksum(text)) throw invalidKey();
    const digest = sha256Hex(text);
    const found = await lookups.lookUp(digest, address);
    if (found === undefined) throw invalidKey();
    return requireValid(known.add(text, { ...found, digest }));
  };

  function requireValid(key: AuthenticatedKey): AuthenticatedKey {
    if (!isValidKey(key, clock.nowMs())) throw invalidKey();
    return key;
  }
}

function invalidKey(): ServiceError {
  const message =
    'A valid API key is needed in the header X-API-KEY, or a key or token as Authorization: Bearer.';
  return new ServiceError('API_KEY_INVALID', message);
}
