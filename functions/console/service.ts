// The HTTP client of the console: calls the service and reads its answers.
import type { EndpointDescription } from '../endpoints/description.ts';
import type { FieldViolation } from '../core/errors.ts';

export type Endpoint = EndpointDescription;
export type Parameter = Endpoint['parameters'][number];
/** The values of each parameter, in their order; of one that is no ARRAY a single value. */
export type Parameters = Readonly<Record<string, readonly string[]>>;
export type Row = Readonly<Record<string, unknown>>;

/** Rows and the information of the headers. */
export interface Answer {
  rows: Row[];
  /** By this machine's clock. */
  computedAtMs: number;
  receivedAtMs: number;
  durationMs: number;
  cacheStatus: string;
  isTruncated: boolean;
}

/** The error of a call: an error answer or none; the message is the service's own if there is one. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: number;
  readonly reason: string;
  readonly violations: FieldViolation[];
  readonly errorId: string | undefined;

  constructor(
    message: string,
    {
      code = 0,
      reason = '',
      violations = [],
      errorId,
    }: Partial<Omit<RequestError, keyof Error>> = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.violations = violations;
    this.errorId = errorId;
  }
}

interface ErrorBody {
  error: {
    code: number;
    message: string;
    details: {
      reason?: string;
      fieldViolations?: FieldViolation[];
      metadata?: { errorId?: string };
    }[];
  };
}

export async function fetchEndpoints(key: string): Promise<Endpoint[]> {
  const response = await ask('/api/endpoints', key, 'application/json');
  return ((await response.json()) as { endpoints: Endpoint[] }).endpoints;
}

export async function fetchRows(
  endpoint: Endpoint,
  parameters: Parameters,
  key: string,
  signal: AbortSignal,
): Promise<Answer> {
  const startedMs = performance.now();
  const response = await ask(pathOf(endpoint, parameters), key, 'application/json', signal);
  const { result } = (await response.json()) as { result: Row[] };
  const receivedAtMs = Date.now();
  return {
    rows: result,
    computedAtMs: receivedAtMs - Number(response.headers.get('Age') ?? 0) * 1000,
    receivedAtMs,
    durationMs: performance.now() - startedMs,
    cacheStatus: response.headers.get('Cache-Status') ?? '',
    isTruncated: response.headers.get('X-Result-Truncated') === 'true',
  };
}

export async function fetchCsv(
  endpoint: Endpoint,
  parameters: Parameters,
  key: string,
): Promise<Blob> {
  return (await ask(pathOf(endpoint, parameters), key, 'text/csv')).blob();
}

export function isList({ type }: Parameter): boolean {
  return type.startsWith('ARRAY<');
}

/** Path and query string of a call. */
export function pathOf(endpoint: Endpoint, parameters: Parameters): string {
  const query = queryOf(parameters);
  return query === '' ? endpoint.path : `${endpoint.path}?${query}`;
}

/** The query string, with the name once for each value. */
export function queryOf(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, values]) =>
    values.map((value) => [name, value]),
  );
  return new URLSearchParams(pairs).toString();
}

async function ask(
  path: string,
  key: string,
  accept: string,
  signal?: AbortSignal,
): Promise<Response> {
  let response: Response;
  try {
    // Rows must not stay in the browser's cache.
    response = await fetch(path, {
      headers: { 'X-API-KEY': key, Accept: accept },
      cache: 'no-store',
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    // A key that is not a valid header value throws too, and is not a network error.
    if (!/^[\x21-\x7e]+$/.test(key))
      throw new RequestError('This is not an API key.', { code: 401 });
    throw new RequestError('The service cannot be reached.');
  }
  if (!response.ok) throw await toRequestError(response);
  return response;
}

async function toRequestError(response: Response): Promise<RequestError> {
  try {
    const { error } = (await response.json()) as ErrorBody;
    const find = <T>(pick: (detail: ErrorBody['error']['details'][number]) => T | undefined) =>
      error.details.map(pick).find((value) => value !== undefined);
    return new RequestError(error.message, {
      code: error.code,
      reason: find(({ reason }) => reason) ?? '',
      violations: find(({ fieldViolations }) => fieldViolations) ?? [],
      errorId: find(({ metadata }) => metadata?.errorId),
    });
  } catch {
    return new RequestError(`The service answered with HTTP ${response.status}.`, {
      code: response.status,
    });
  }
}
