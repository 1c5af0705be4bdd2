// Declares the store of API keys, which google/key-store.ts implements.

export interface ApiKey {
  name: string;
  /** Endpoint names, or `*` for all. */
  endpoints: string[];
  /** Allowed literal values by parameter; an unlisted parameter is unrestricted. */
  parameters?: Record<string, string[]> | undefined;
  /** Limits in each instance, from 1 to `KEY_LIMIT_MAX`; a key without them is not limited. */
  requestsPerMinute?: number | undefined;
  missesPerMinute?: number | undefined;
  createdAtMs?: number | undefined;
  expiresAtMs?: number | undefined;
  revokedAtMs?: number | undefined;
}

export const KEY_LIMIT_MAX = 1_000_000;

export function isKeyLimit(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= KEY_LIMIT_MAX;
}

/** A part of the SHA-256 of a key, which tells keys of one name apart and cannot be used as a key. */
export function keyIdOf(digest: string): string {
  return digest.slice(0, 12);
}

/** API keys by the SHA-256 of the key, in hexadecimal. */
export interface KeyStore {
  get(digest: string): Promise<ApiKey | undefined>;
}
