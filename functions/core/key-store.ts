// Declares the store of API keys, which google/key-store.ts implements.

/** An API key without its secret. */
export interface ApiKey {
  name: string;
  /** Endpoint names, or `*` for all. */
  endpoints: string[];
  /** Allowed literal values by parameter; an unlisted parameter is unrestricted. */
  parameters?: Record<string, string[]>;
  createdAtMs?: number;
  expiresAtMs?: number;
  revokedAtMs?: number;
}

/** API keys by the SHA-256 of the key, in hexadecimal. */
export interface KeyStore {
  get(digest: string): Promise<ApiKey | undefined>;
  /** Replaces the whole key. */
  set(digest: string, key: ApiKey): Promise<void>;
  /** All keys, in no order; undefined in place of one that cannot be read. */
  list(): Promise<Map<string, ApiKey | undefined>>;
}
