// Authenticates a request by a token: its key is looked up like an API key, and the token is verified once while the key is known.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { TOKEN_SECONDS, digestOf } from '../core/key-store.ts';
import { type AuthenticatedKey, endMsOf, isValidKey } from './access.ts';
import type { KeyCache } from './key-cache.ts';
import type { KeyLookups } from './key-lookups.ts';
import { CLOCK_SKEW_SECONDS, rightsOf, unverifiedToken } from './token.ts';
import type { VerifyToken } from './verify-token.ts';

export interface SigningKey extends AuthenticatedKey {
  publicKey: string;
  /** Until when it may be used without another look-up. */
  knownUntilMs: number;
}

interface TokenAuthenticatorDeps extends KeyLookups {
  clock: Pick<Clock, 'nowMs'>;
  keyCacheSeconds: number;
  /** The signing keys in memory, by `kid`. */
  signing: KeyCache<SigningKey>;
  /** Loads the code that verifies tokens, with the first one. */
  loadVerify: () => Promise<VerifyToken>;
}

interface Verified {
  text: string;
  /** The key, with the token. */
  authenticated: AuthenticatedKey;
  untilMs: number;
}

/** Characters of an Ed25519 signature, 64 bytes in base64url. */
const SIGNATURE_LENGTH = 86;
/** Bytes of memory, about: 10,000 tokens of a usual length. */
const TOKENS_SIZE_MAX = 16_000_000;
/** Bytes of a token in addition to three for each of its characters, of which one is its text. Without the text, 0.9 to 4.9 kB were measured. */
const TOKEN_OVERHEAD = 500;

/** Rejects like `createAuthenticator`. */
export function createTokenAuthenticator(deps: TokenAuthenticatorDeps) {
  const { lookUp, withinBudget, clock, signing, keyCacheSeconds, loadVerify } = deps;
  // By the signature, the last part: a digest would take 5 % of a hit, and the whole text as an index another 0.5 %.
  const tokens = new LRUCache<string, Verified>({ maxSize: TOKENS_SIZE_MAX });
  const verifying = new Map<string, Promise<AuthenticatedKey>>();

  return async (text: string, address: () => string) => {
    const verified = tokens.get(signatureOf(text));
    // Another text may have the signature of one that was verified.
    if (verified?.text === text && clock.nowMs() < verified.untilMs) return verified.authenticated;
    return authenticateUnknown(text, address);
  };

  async function authenticateUnknown(text: string, address: () => string) {
    const verify = await loadVerify();
    const keyId = verify.keyIdOf(text);
    const key = signing.get(keyId) ?? (await lookUpSigning(keyId, address));
    if (!isValidKey(key, clock.nowMs())) throw unverifiedToken();
    const shared = verifying.get(text);
    if (shared !== undefined) return shared;
    const verification = verifyOnce(text, key, verify, address()).finally(() =>
      verifying.delete(text),
    );
    verifying.set(text, verification);
    return verification;
  }

  async function lookUpSigning(keyId: string, address: () => string): Promise<SigningKey> {
    const found = await lookUp(keyId, address);
    if (found?.publicKey === undefined) throw unverifiedToken();
    const knownUntilMs = clock.nowMs() + keyCacheSeconds * 1000;
    const { publicKey } = found;
    return signing.add(keyId, { ...found, publicKey, digest: digestOf(keyId), knownUntilMs });
  }

  async function verifyOnce(
    text: string,
    key: SigningKey,
    { claimsOf }: VerifyToken,
    address: string,
  ): Promise<AuthenticatedKey> {
    const { publicKey, tokenSeconds: secondsMax = TOKEN_SECONDS } = key;
    const terms = { publicKey, secondsMax, nowMs: clock.nowMs() };
    // A wrong signature counts like an unknown key: anyone who knows a `kid` can send any number of forged tokens.
    const isForged = (claims: unknown): boolean => claims === undefined;
    const claims = await withinBudget(address, () => claimsOf(text, terms), isForged);
    if (claims === undefined) throw unverifiedToken();
    const token = rightsOf(claims, secondsMax);
    const authenticated = { ...key, token };
    const endMs = token.expiresAtMs + CLOCK_SKEW_SECONDS * 1000;
    const untilMs = Math.min(endMs, endMsOf(key), key.knownUntilMs);
    const size = 3 * text.length + TOKEN_OVERHEAD;
    tokens.set(signatureOf(text), { text, authenticated, untilMs }, { size });
    return authenticated;
  }
}

function signatureOf(token: string): string {
  return token.slice(-SIGNATURE_LENGTH);
}
