// Declares the store of API keys, which google/key-store.ts implements.
import { hash } from 'node:crypto';

export interface ApiKey {
  name: string;
  /** Of a key that signs tokens and opens nothing itself: its Ed25519 key, `x` of a JWK (RFC 8037, 2). */
  publicKey?: string | undefined;
  /** How long a token of it may be valid, `TOKEN_SECONDS_MAX` at most; `TOKEN_SECONDS` if absent. */
  tokenSeconds?: number | undefined;
  /** Endpoint names, `group.*` for those of a group, or `*` for all. */
  endpoints: string[];
  /** Allowed literal values by parameter; an unlisted parameter is unrestricted. */
  parameters?: Record<string, string[]> | undefined;
  /** Limits in each instance, from 1 to `KEY_LIMIT_MAX`; a key without them is not limited. */
  requestsPerMinute?: number | undefined;
  missesPerMinute?: number | undefined;
  /** The bytes that BigQuery may bill in a day (UTC) for queries of the key, over all instances, up to `KEY_BYTES_MAX`. */
  bytesPerDay?: number | undefined;
  createdAtMs?: number | undefined;
  expiresAtMs?: number | undefined;
  revokedAtMs?: number | undefined;
}

export const KEY_LIMIT_MAX = 1_000_000;
export const KEY_BYTES_MAX = Number.MAX_SAFE_INTEGER;
export const TOKEN_SECONDS = 3600;
export const TOKEN_SECONDS_MAX = 86_400;
/** 32 bytes in base64url: a public key, and the id of one. */
export const BASE64URL_256 = /^[\w-]{43}$/;

export function isKeyLimit(value: unknown, max = KEY_LIMIT_MAX): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;
}

/** A part of the SHA-256 of a key, which tells keys of one name apart and cannot be used as a key. */
export function keyIdOf(digest: string): string {
  return digest.slice(0, 12);
}

/** The digest in hexadecimal of a key, from its id in the store. */
export function digestOf(id: string): string {
  return BASE64URL_256.test(id) ? Buffer.from(id, 'base64url').toString('hex') : id;
}

/** The `kid` of its tokens: the thumbprint of the public key (RFC 7638), a SHA-256 in base64url. */
export function signingKeyId(publicKey: string): string {
  return hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${publicKey}"}`, 'base64url');
}

/**
 * API keys by the SHA-256 of the key in hexadecimal, those that sign by `signingKeyId`. The two have different lengths: what
 * is hashed into the id of a signing key is public, and must not be found as a key.
 */
export interface KeyStore {
  get(id: string): Promise<ApiKey | undefined>;
}
