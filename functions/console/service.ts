// The HTTP client of the console: calls the service and reads its answers.
import type { EndpointDescription } from '../endpoints/endpoint.ts';
import type { FieldViolation } from '../core/errors.ts';

export type Endpoint = EndpointDescription;
export type Parameter = Endpoint['parameters'][number];
export type Column = Endpoint['row'][number];
/** The values of each parameter, in their order; a single one unless it is an ARRAY. */
export type Parameters = Readonly<Record<string, readonly string[]>>;
export type Row = Readonly<Record<string, unknown>>;

interface Catalogue {
  key: { name: string };
  endpoints: Endpoint[];
}

/** Rows and the information of the headers. */
export interface Answer {
  rows: Row[];
  /** By this machine's clock. */
  computedAtMs: number;
  durationMs: number;
  cacheStatus: string;
  /** By the query that this call ran; undefined if the answer does not state it. */
  bytesRead: number | undefined;
  isTruncated: boolean;
  /** `X-Local-Rows-Cut`: the local BigQuery read a part of the rows. */
  rowsCut: string | undefined;
  /** The ETag of these rows; a later call with it costs little if they are still the same. */
  etag: string | undefined;
  /** The body as received, with every digit. */
  body: string;
}

/** The error of a call: an error answer, or no answer at all; the message is the service's own if there is one. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: number = 0;
  readonly reason: string = '';
  readonly violations: FieldViolation[] = [];
  readonly errorId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** How long a query that goes on has run. */
  readonly runningSeconds: number = 0;

  constructor(message: string, given: Partial<Omit<RequestError, keyof Error>> = {}) {
    super(message);
    Object.assign(this, given);
  }
}

interface Details {
  reason?: string;
  fieldViolations?: FieldViolation[];
  metadata?: { errorId?: string; runningSeconds?: string };
}

/** Whether a text is sent as a token (JWT) and not as an API key. keys/token.ts of the service tells them apart in the same way. */
export function isToken(text: string): boolean {
  return /^ey[I-L][^.]*\./.test(text);
}

/** The endpoints that a key or a token may use, and the name of the key. */
export async function fetchCatalogue(key: string): Promise<Catalogue> {
  const response = await ask('/api/endpoints', key);
  return (await response.json()) as Catalogue;
}

/** `known` are rows of the same call: they are returned with a new age if they are still the same. */
export async function fetchRows(
  endpoint: Endpoint,
  parameters: Parameters,
  key: string,
  { signal, known }: { signal: AbortSignal; known: Answer | undefined },
): Promise<Answer> {
  const startedMs = performance.now();
  const etag = known?.etag;
  const response = await ask(pathOf(endpoint, parameters), key, { signal, etag });
  const isKnown = known !== undefined && response.status === 304;
  const body = isKnown ? known.body : await response.text();
  const bytesRead = response.headers.get('X-Bytes-Processed');
  return {
    rows: isKnown ? known.rows : (JSON.parse(body) as { result: Row[] }).result,
    body,
    computedAtMs: Date.now() - Number(response.headers.get('Age') ?? 0) * 1000,
    durationMs: performance.now() - startedMs,
    cacheStatus: response.headers.get('Cache-Status') ?? '',
    bytesRead: bytesRead === null ? undefined : Number(bytesRead),
    isTruncated: isKnown
      ? known.isTruncated
      : response.headers.get('X-Result-Truncated') === 'true',
    rowsCut: response.headers.get('X-Local-Rows-Cut') ?? undefined,
    etag: response.headers.get('ETag') ?? etag,
  };
}

export function isList({ type }: Parameter): boolean {
  return type.startsWith('ARRAY<');
}

/** Path and query string of a call. */
export function pathOf(endpoint: Pick<Endpoint, 'path'>, parameters: Parameters): string {
  const query = queryOf(parameters);
  return query === '' ? endpoint.path : `${endpoint.path}?${query}`;
}

export function queryOf(parameters: Parameters): string {
  return new URLSearchParams(pairsOf(parameters)).toString();
}

/** One pair for each value. */
export function pairsOf(parameters: Parameters): [name: string, value: string][] {
  return Object.entries(parameters).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
}

async function ask(
  path: string,
  key: string,
  { signal = null, etag }: { signal?: AbortSignal | null; etag?: string | undefined } = {},
): Promise<Response> {
  try {
    const headers = new Headers({
      ...(isToken(key) ? { Authorization: `Bearer ${key}` } : { 'X-API-KEY': key }),
      Accept: 'application/json',
      // A query that goes on is no fault, which a status of 503 would be in the browser's tools and in the alerts of the service.
      Prefer: 'wait=60',
      ...(etag !== undefined && { 'If-None-Match': etag }),
    });
    // Rows must not stay in the browser's cache.
    const response = await fetch(path, { headers, cache: 'no-store', signal });
    if (response.status === 200 || response.status === 304) return response;
    throw await toRequestError(response);
  } catch (cause) {
    if (cause instanceof RequestError || signal?.aborted) throw cause;
    // A key that is not a valid header value throws too, and is not a network error.
    if (!/^[\x21-\x7e]+$/.test(key))
      throw new RequestError('This is neither an API key nor a token.', { code: 401 });
    throw new RequestError('The service cannot be reached.');
  }
}

async function toRequestError(response: Response): Promise<RequestError> {
  const retryAfter = response.headers.get('Retry-After');
  const retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
  try {
    const { error } = (await response.json()) as {
      error: { code: number; message: string; details: Details[] };
    };
    // Each has members of its own.
    const details = Object.assign({}, ...error.details) as Details;
    return new RequestError(error.message, {
      code: error.code,
      reason: details.reason ?? '',
      violations: details.fieldViolations ?? [],
      errorId: details.metadata?.errorId,
      retryAfterSeconds,
      runningSeconds: Number(details.metadata?.runningSeconds ?? 0),
    });
  } catch {
    return new RequestError(`The service answered with HTTP ${response.status}.`, {
      code: response.status,
      retryAfterSeconds,
    });
  }
}
