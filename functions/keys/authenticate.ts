// Authenticates a request by its API key, or by a token: memory first, then the key store; fails closed.
import { LRUCache } from 'lru-cache';
import { usualError } from '../core/errors.ts';
import { sha256Hex } from '../core/bytes.ts';
import { TOKEN_SECONDS, digestOf } from '../core/key-store.ts';
import type { Uses } from '../core/services.ts';
import { type AuthenticatedKey, endMsOf, hasWrongChecksum, isValidKey } from './access.ts';
import { createKeyCache } from './key-cache.ts';
import { createKeyLookups } from './key-lookups.ts';
import { CLOCK_SKEW_SECONDS, isLikeToken, rightsOf, unverifiedToken } from './token.ts';
import type * as verifyToken from './verify-token.ts';

/** What a request has sent, not checked yet. */
export interface Credential {
  text: string;
  /** From `Authorization: Bearer`. Only such a credential can be a token. */
  isBearer: boolean;
}

export type Authenticate = ReturnType<typeof createAuthenticator>;

interface AuthenticatorDeps extends Uses<'clock' | 'keyStore' | 'keyCacheSeconds'> {
  /** Loads the code that verifies tokens, with the first one. */
  loadVerify: () => Promise<typeof verifyToken>;
}

interface SigningKey extends AuthenticatedKey {
  publicKey: string;
  /** Until when it may be used without another look-up. */
  knownUntilMs: number;
}

type Verified = { text: string; authenticated: AuthenticatedKey; untilMs: number };

/** The allowed shape of a key: printable, and short enough to be hashed quickly. */
export const KEY_SHAPE = /^[\x21-\x7e]{8,256}$/;
/** Characters of an Ed25519 signature, 64 bytes in base64url. */
const SIGNATURE_LENGTH = 86;
/** Bytes of memory, about: 10,000 tokens of a usual length. */
const TOKENS_SIZE_MAX = 16_000_000;
/** Bytes of a token in addition to three for each of its characters, of which one is its text. Without the text, 0.9 to 4.9 kB were measured. */
const TOKEN_OVERHEAD = 500;

/** Rejects with API_KEY_INVALID (one body for all faults of a key), TOKEN_INVALID, KEY_LOOKUPS_EXHAUSTED or KEY_STORE_UNAVAILABLE. */
export function createAuthenticator(deps: AuthenticatorDeps) {
  const { clock, keyCacheSeconds } = deps;
  const { lookUp, withinBudget } = createKeyLookups(deps);
  // Indexed by the key itself, which leaves memory when it expires: hashing it would take 3 % of a hit.
  const apiKeys = createKeyCache<AuthenticatedKey>(clock, keyCacheSeconds);
  // A cache of its own, by `kid`: the id of a signing key is public, and must not be accepted as an API key.
  const signing = createKeyCache<SigningKey>(clock, keyCacheSeconds);
  // By the signature, the last part: a digest would take 5 % of a hit, and the whole text as an index another 0.5 %.
  const tokens = new LRUCache<string, Verified>({ maxSize: TOKENS_SIZE_MAX });
  const verifying = new Map<string, Promise<AuthenticatedKey>>();

  /** The address is read only for a look-up, or a verification. */
  return async (
    credential: Credential | undefined,
    address: () => string,
  ): Promise<AuthenticatedKey> => {
    if (credential === undefined) throw usualError('API_KEY_INVALID');
    const { text, isBearer } = credential;
    if (isBearer && isLikeToken(text)) {
      const verified = tokens.get(text.slice(-SIGNATURE_LENGTH));
      // Another text may have the signature of one that was verified.
      if (verified?.text === text && clock.nowMs() < verified.untilMs)
        return verified.authenticated;
      return authenticateToken(text, address);
    }
    const key = apiKeys.get(text);
    if (key !== undefined) return requireValid(key);
    if (!KEY_SHAPE.test(text) || hasWrongChecksum(text)) throw usualError('API_KEY_INVALID');
    const digest = sha256Hex(text);
    const stored = await lookUp(digest, address);
    if (stored === undefined) throw usualError('API_KEY_INVALID');
    return requireValid(apiKeys.add(text, { ...stored, digest }));
  };

  function requireValid(key: AuthenticatedKey): AuthenticatedKey {
    if (!isValidKey(key, clock.nowMs())) throw usualError('API_KEY_INVALID');
    return key;
  }

  /** Its key is looked up like an API key, and the token is verified once while the key is known. */
  async function authenticateToken(text: string, address: () => string) {
    const { keyIdOf, claimsOf } = await deps.loadVerify();
    const keyId = keyIdOf(text);
    const key = signing.get(keyId) ?? (await lookUpSigning(keyId, address));
    if (!isValidKey(key, clock.nowMs())) throw unverifiedToken();
    const shared = verifying.get(text);
    if (shared !== undefined) return shared;
    const verification = verify(text, key, claimsOf, address()).finally(() =>
      verifying.delete(text),
    );
    verifying.set(text, verification);
    return verification;
  }

  async function lookUpSigning(keyId: string, address: () => string): Promise<SigningKey> {
    const stored = await lookUp(keyId, address);
    if (stored?.publicKey === undefined) throw unverifiedToken();
    const knownUntilMs = clock.nowMs() + keyCacheSeconds * 1000;
    const { publicKey } = stored;
    return signing.add(keyId, { ...stored, publicKey, digest: digestOf(keyId), knownUntilMs });
  }

  async function verify(
    text: string,
    key: SigningKey,
    claimsOf: typeof verifyToken.claimsOf,
    address: string,
  ): Promise<AuthenticatedKey> {
    const { publicKey, tokenSeconds: secondsMax = TOKEN_SECONDS } = key;
    const terms = { publicKey, secondsMax, nowMs: clock.nowMs() };
    // A wrong signature counts like an unknown key: anyone who knows a `kid` can send any number of forged tokens.
    const claims = await withinBudget(address, () => claimsOf(text, terms));
    if (claims === undefined) throw unverifiedToken();
    const token = rightsOf(claims, secondsMax);
    const authenticated = { ...key, token };
    const endMs = token.expiresAtMs + CLOCK_SKEW_SECONDS * 1000;
    const untilMs = Math.min(endMs, endMsOf(key), key.knownUntilMs);
    const size = 3 * text.length + TOKEN_OVERHEAD;
    tokens.set(text.slice(-SIGNATURE_LENGTH), { text, authenticated, untilMs }, { size });
    return authenticated;
  }
}
