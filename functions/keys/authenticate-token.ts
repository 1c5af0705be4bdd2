// Authenticates a request by a token: its key is looked up like an API key, and an instance verifies its signature once.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { TOKEN_SECONDS, digestOf } from '../core/key-store.ts';
import { type AuthenticatedKey, isValidKey } from './access.ts';
import type { KeyCache } from './key-cache.ts';
import { type KeyLookups, sharedOrOwn } from './key-lookups.ts';
import { type Token, readToken, requireTimely, tokenKeyId, unverifiedToken } from './token.ts';

/** Whether the signature of a token is valid. The public key is the `x` of an Ed25519 JWK. */
export type VerifySignature = (token: string, publicKey: string) => Promise<boolean>;

export interface SigningKey extends AuthenticatedKey {
  publicKey: string;
  /** Until when it may be used without another look-up, by `clock`. */
  knownUntilMs: number;
}

interface TokenAuthenticatorDeps extends KeyLookups {
  clock: Clock;
  keyCacheSeconds: number;
  /** The signing keys in memory, by `kid`. */
  signing: KeyCache<SigningKey>;
  /** Loads the code that verifies signatures, with the first token. */
  loadVerify: () => Promise<VerifySignature>;
}

/** A token whose signature is valid. An error in its claims is cached too, so that a repeated token is not parsed again. */
interface Verified {
  text: string;
  claims: Token | ServiceError;
  /** The key with the token, as long as the key is known: to look for the key too would take 1 % of a hit. */
  latest?: { key: SigningKey; authenticated: AuthenticatedKey };
}

/** Characters of an Ed25519 signature, 64 bytes in base64url. */
const SIGNATURE_LENGTH = 86;
/** Bytes of memory, about: 10,000 tokens of a usual length. */
const TOKENS_SIZE_MAX = 16_000_000;
/** Bytes of a token in addition to three for each of its characters, of which one is its text. Without the text, 0.9 to 4.9 kB were measured. */
const TOKEN_OVERHEAD = 500;

/** Returns no promise if the token and its key are in memory. Throws, or rejects, like `createAuthenticator`. */
export function createTokenAuthenticator(deps: TokenAuthenticatorDeps) {
  const { lookUp, withinBudget, clock, signing, keyCacheSeconds, loadVerify } = deps;
  // By the signature, the last part: a digest would take 5 % of a hit, and the whole text as an index another 0.5 %.
  const tokens = new LRUCache<string, Verified>({ maxSize: TOKENS_SIZE_MAX });
  const verifying = new Map<string, Promise<Verified>>();

  return (text: string, address: () => string) => {
    const verified = verifiedOf(text);
    const key = verified?.latest?.key;
    if (verified !== undefined && key !== undefined && clock.nowMs() < key.knownUntilMs) {
      return withToken(key, verified);
    }
    return authenticateUnknown(text, address);
  };

  /** Undefined too for another text with the signature of one that was verified. */
  function verifiedOf(text: string): Verified | undefined {
    const verified = tokens.get(signatureOf(text));
    return verified?.text === text ? verified : undefined;
  }

  async function authenticateUnknown(text: string, address: () => string) {
    const keyId = tokenKeyId(text);
    const key = signing.get(keyId) ?? (await lookUpSigning(keyId, address));
    const known = verifiedOf(text);
    if (known !== undefined) return withToken(key, known);
    const verifyOwn = () => verify(text, key.publicKey, address());
    const underWay = verifying.get(text);
    if (underWay !== undefined) return withToken(key, await sharedOrOwn(underWay, verifyOwn));
    const verification = verifyOwn().finally(() => verifying.delete(text));
    verifying.set(text, verification);
    const verified = await verification;
    tokens.set(signatureOf(text), verified, { size: 3 * text.length + TOKEN_OVERHEAD });
    return withToken(key, verified);
  }

  async function lookUpSigning(keyId: string, address: () => string): Promise<SigningKey> {
    const found = await lookUp(keyId, address);
    if (found?.publicKey === undefined) throw unverifiedToken();
    const knownUntilMs = clock.nowMs() + keyCacheSeconds * 1000;
    const { publicKey } = found;
    return signing.add(keyId, { ...found, publicKey, digest: digestOf(keyId), knownUntilMs });
  }

  async function verify(text: string, publicKey: string, address: string): Promise<Verified> {
    // A wrong signature counts like an unknown key: anyone who knows a `kid` can send any number of forged tokens.
    const isSigned = await withinBudget(
      address,
      async () => (await loadVerify())(text, publicKey),
      (holds) => !holds,
    );
    if (!isSigned) throw unverifiedToken();
    return { text, claims: claimsOf(text) };
  }

  function withToken(key: SigningKey, verified: Verified): AuthenticatedKey {
    const { claims } = verified;
    const nowMs = clock.nowMs();
    if (!isValidKey(key, nowMs)) throw unverifiedToken();
    if (claims instanceof ServiceError) throw claims;
    requireTimely(claims, key.tokenSeconds ?? TOKEN_SECONDS, nowMs);
    if (verified.latest?.key !== key) {
      verified.latest = { key, authenticated: { ...key, token: claims } };
    }
    return verified.latest.authenticated;
  }
}

function signatureOf(token: string): string {
  return token.slice(-SIGNATURE_LENGTH);
}

function claimsOf(token: string): Token | ServiceError {
  try {
    return readToken(token);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
