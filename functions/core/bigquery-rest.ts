// The role of BigQuery's REST API for whoever runs queries: one call, JSON or an error.

export interface RestCallOptions {
  /** Ends the call. */
  signal: AbortSignal;
  /**
   * Takes the size of each part of the answer, uncompressed, before the part is kept; what it waits
   * for holds the rest up. When it rejects with a ServiceError, the call ends with the same.
   */
  onBytes: (bytes: number) => Promise<void> | undefined;
}

/**
 * The decoded JSON of a call. Rejects with an Error that has the `code` and the `errors` of BigQuery,
 * or of the connection, and as `noAnswer` does for whatever BigQuery itself would not have sent.
 */
export type RestCall = (
  method: 'GET' | 'POST',
  /** Below `/projects/PROJECT`, as `/jobs`. */
  path: string,
  search: Readonly<Record<string, string>>,
  body: object | undefined,
  options: RestCallOptions,
) => Promise<unknown>;
