// The HTTP client of the console: calls the service and reads its answers.
import type { EndpointDescription } from '../endpoints/endpoint.ts';
import type { FieldViolation } from '../core/errors.ts';
import { formatSpan } from './format.ts';

export type Endpoint = EndpointDescription;
export type Column = Endpoint['row'][number];
/** The values of each parameter, in their order; a single one unless it is an ARRAY. */
export type Parameters = URLSearchParams;
export type Row = Readonly<Record<string, unknown>>;

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

/** The error of a call: an error answer, or no answer at all, with the code 0; the message is the service's own if there is one. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: number = 0;
  readonly reason: string = '';
  readonly violations: FieldViolation[] = [];
  /** What to do, besides what the message says. */
  readonly advice: string = '';
  readonly retryAfterSeconds: number | undefined;
  /** How long a query that goes on has run. */
  readonly runningSeconds: number = 0;

  constructor(message = NO_ANSWER, given: Partial<Omit<RequestError, keyof Error>> = {}) {
    super(message);
    Object.assign(this, given);
  }
}

const NO_ANSWER =
  'The service does not answer. Check your network, and that the service runs. Then try again.';
const UNKNOWN_KEY =
  'This service does not know the key, or it has expired. Check that it is complete, or ask for a new one.';

interface ErrorBody {
  error?: { code?: number; message?: string; details?: Details[] };
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
export async function fetchCatalogue(key: string) {
  const response = await ask('/api/endpoints', key);
  return (await response.json()) as { key: { name: string }; endpoints: Endpoint[] };
}

/** `known` are rows of the same call: they are returned with a new age if they are still the same. */
export async function fetchRows(
  path: string,
  key: string,
  { signal, known }: { signal: AbortSignal; known: Answer | undefined },
): Promise<Answer> {
  const startedMs = performance.now();
  const response = await ask(path, key, { signal, etag: known?.etag });
  const { status, headers } = response;
  const body = await response.text();
  const bytesRead = headers.get('X-Bytes-Processed');
  const told = {
    computedAtMs: Date.now() - Number(headers.get('Age') ?? 0) * 1000,
    durationMs: performance.now() - startedMs,
    cacheStatus: headers.get('Cache-Status') ?? '',
    bytesRead: bytesRead === null ? undefined : Number(bytesRead),
    rowsCut: headers.get('X-Local-Rows-Cut') ?? undefined,
  };
  if (known !== undefined && status === 304) return { ...known, ...told };
  return {
    ...told,
    rows: (JSON.parse(body) as { result: Row[] }).result,
    body,
    isTruncated: headers.get('X-Result-Truncated') === 'true',
    etag: headers.get('ETag') ?? undefined,
  };
}

/** Path and query string of a call. */
export function pathOf({ path }: Pick<Endpoint, 'path'>, parameters: Parameters): string {
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
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
    if (!/^[\x21-\x7e]+$/.test(key)) throw new RequestError(UNKNOWN_KEY, { code: 401 });
    throw new RequestError();
  }
}

async function toRequestError(response: Response): Promise<RequestError> {
  const { status, headers } = response;
  const retryAfter = headers.get('Retry-After');
  const retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
  // What stands between the page and the service answers in a form of its own.
  const body = (await response.json().catch(() => undefined)) as ErrorBody | undefined;
  const { code = status, message, details = [] } = body?.error ?? {};
  // Each has members of its own.
  const { reason = '', fieldViolations, metadata } = Object.assign({}, ...details) as Details;
  const advice = [
    retryAfterSeconds !== undefined && `Try again in ${formatSpan(retryAfterSeconds)}.`,
    // For users to give to those who can read the log.
    metadata?.errorId && `If it fails again, pass on this error id: ${metadata.errorId}`,
  ];
  const own = reason === 'API_KEY_INVALID' ? UNKNOWN_KEY : message;
  return new RequestError(own ?? `The service answered with HTTP ${status}.`, {
    ...{ code, reason, retryAfterSeconds, advice: advice.filter(Boolean).join(' ') },
    violations: fieldViolations ?? [],
    runningSeconds: Number(metadata?.runningSeconds ?? 0),
  });
}
