// Declares the store of API keys, which firestore/key-store.ts implements.
import { hash } from 'node:crypto';
import { type FieldsOf, isCount, isObject, isText, isTexts, optional } from './json.ts';

export const KEY_LIMIT_MAX = 1_000_000;
const KEY_BYTES_MAX = Number.MAX_SAFE_INTEGER;
export const TOKEN_SECONDS = 3600;
export const TOKEN_SECONDS_MAX = 86_400;
/** 32 bytes in base64url: a public key, and the id of one. */
export const BASE64URL_256 = /^[\w-]{43}$/;

export function isKeyLimit(value: unknown, max = KEY_LIMIT_MAX): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;
}

/** Null is not taken for absent, except of times: that would allow everything. */
const orAbsent =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is T | undefined =>
    value === undefined || is(value);
const atMost = (max: number) => orAbsent((value): value is number => isKeyLimit(value, max));

/** The fields of a key, with their checks. */
export const API_KEY = {
  name: isText,
  /** Of a key that signs tokens and opens nothing itself: its Ed25519 key, `x` of a JWK (RFC 8037, 2). */
  publicKey: orAbsent((value): value is string => isText(value) && BASE64URL_256.test(value)),
  /** How long a token of it may be valid; `TOKEN_SECONDS` if absent. */
  tokenSeconds: atMost(TOKEN_SECONDS_MAX),
  /** Endpoint names, `group.*` for those of a group, or `*` for all. */
  endpoints: isTexts,
  /** Allowed literal values by parameter; an unlisted parameter is unrestricted. */
  parameters: orAbsent(
    (value): value is Record<string, string[]> =>
      isObject(value) && Object.values(value).every(isTexts),
  ),
  /** Limits in each instance; a key without them is not limited. */
  requestsPerMinute: atMost(KEY_LIMIT_MAX),
  missesPerMinute: atMost(KEY_LIMIT_MAX),
  /** The bytes that BigQuery may bill in a day (UTC) for queries of the key, over all instances. */
  bytesPerDay: atMost(KEY_BYTES_MAX),
  createdAtMs: optional(isCount),
  expiresAtMs: optional(isCount),
  revokedAtMs: optional(isCount),
};

export type ApiKey = FieldsOf<typeof API_KEY>;

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
