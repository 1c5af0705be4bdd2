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
  /** The bytes that BigQuery may bill in a day (UTC) for queries of the key, over all instances, up to `KEY_BYTES_MAX`. */
  bytesPerDay?: number | undefined;
  createdAtMs?: number | undefined;
  expiresAtMs?: number | undefined;
  revokedAtMs?: number | undefined;
}

export const KEY_LIMIT_MAX = 1_000_000;
export const KEY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

export function isKeyLimit(value: unknown, max = KEY_LIMIT_MAX): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;
}

/** A part of the SHA-256 of a key, which tells keys of one name apart and cannot be used as a key. */
export function keyIdOf(digest: string): string {
  return digest.slice(0, 12);
}

/** API keys by the SHA-256 of the key, in hexadecimal. */
export interface KeyStore {
  get(digest: string): Promise<ApiKey | undefined>;
}
