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
}
