// Calls BigQuery's REST API: no retries, no redirects, JSON only; the caller bounds the size.
import { GoogleAuth, PassThroughClient } from 'google-auth-library';
import { type Clock, withDeadline } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { invalidAnswer } from './classify-error.ts';

interface RestCallOptions {
  signal: AbortSignal;
  /** Gets the uncompressed size of each part before it is kept. A returned promise delays the next part; the call rejects with its ServiceError. */
  onBytes: (bytes: number) => Promise<void> | undefined;
  project?: string;
}

/** The JSON of an answer. Rejects with `code` and `errors` of BigQuery, unchecked, with the `code` of the connection, or `invalidAnswer`. */
export type RestCall = (...call: [...RestRequest, options: RestCallOptions]) => Promise<unknown>;

/** `path` is the one below `/projects/PROJECT`, such as `/jobs`. */
export type RestRequest = [
  method: 'GET' | 'POST',
  path: string,
  search: Readonly<Record<string, string>>,
  body: object | undefined,
];

interface BigQueryOptions {
  project: string;
  /** The value of BIGQUERY_EMULATOR_HOST; undefined for Google's. */
  emulatorHost: string | undefined;
  /** Origin of Google's BigQuery, if it is not the public one. */
  apiEndpoint?: string | undefined;
}

/** The body of an answer as the HTTP library gives it: a text, empty for a 204. */
type AnswerStream = AsyncIterable<Buffer> | '';

const FIRST_BYTES = 16 * 1024;
/** Far larger than any error of BigQuery. */
const ERROR_BYTES_MAX = 256 * 1024;
const PUBLIC_API_ENDPOINT = 'https://bigquery.googleapis.com';
const SCOPES = ['https://www.googleapis.com/auth/bigquery'];

/** Not with Google's client of BigQuery, which reads any size, follows redirects and cannot be aborted. */
export function createBigQueryRest(options: BigQueryOptions): RestCall {
  const { emulatorHost, apiEndpoint = PUBLIC_API_ENDPOINT } = options;
  // An emulator needs no credentials, and looking for them would delay the first query.
  const authClient = emulatorHost === undefined ? {} : { authClient: new PassThroughClient() };
  const auth = new GoogleAuth({ scopes: SCOPES, ...authClient });
  const address = emulatorHost?.replace(/\/+$/, '') ?? `${apiEndpoint}/bigquery/v2`;

  return async (method, path, search, body, { signal, onBytes, project = options.project }) => {
    // Ends the connection even if the answer was not read to its end.
    const over = new AbortController();
    const query = new URLSearchParams({ ...search, prettyPrint: 'false' }).toString();
    try {
      const answer = await auth.request<AnswerStream>({
        url: `${address}/projects/${encodeURIComponent(project)}${path}?${query}`,
        method,
        headers: { 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { data: JSON.stringify(body) }),
        responseType: 'stream',
        // The caller knows the deadline and decides about retries.
        retry: false,
        // A redirect would send the token to another host.
        redirect: 'manual',
        validateStatus: () => true,
        signal: AbortSignal.any([signal, over.signal]),
        adapter: (options, send) => {
          // Also after the wait for a token. node-fetch would destroy the unsent body with an error that ends the process.
          signal.throwIfAborted();
          return send(options);
        },
      });
      const { status, data } = answer;
      const isGood = status >= 200 && status < 300;
      const bytes = await readBytes(data, isGood ? Infinity : ERROR_BYTES_MAX, onBytes);
      try {
        // Not with the error of JSON.parse, which would quote the answer, and so values of tenants.
        return checked(status, parseJson(new TextDecoder().decode(bytes)));
      } finally {
        // Frees the bytes without waiting for the garbage collector.
        bytes.buffer.transfer(0);
      }
    } catch (error) {
      over.abort();
      throw error;
    }
  };
}

interface SmallCallLimits extends Pick<RestCallOptions, 'project'> {
  clock: Clock;
  withinMs: number;
  bytesMax: number;
}

/** A call with a small answer. Rejects for a larger one and after `withinMs` milliseconds, and then ends the call. */
export async function smallCall(call: RestCall, request: RestRequest, limits: SmallCallLimits) {
  const { clock, withinMs, bytesMax, ...options } = limits;
  const over = new AbortController();
  let bytes = 0;
  const onBytes = (count: number): undefined => {
    bytes += count;
    if (bytes > bytesMax) throw invalidAnswer('The answer is too large.');
  };
  const answer = call(...request, { ...options, signal: over.signal, onBytes });
  return withDeadline(clock, withinMs, answer).finally(() => over.abort());
}

async function readBytes(
  data: AnswerStream,
  bytesMax: number,
  onBytes: RestCallOptions['onBytes'],
): Promise<Uint8Array<ArrayBuffer>> {
  // Each part is copied at once into a buffer that grows: parts that are kept until the end would become old objects,
  // which an idle instance may not collect for a long time.
  let buffer = new ArrayBuffer(FIRST_BYTES);
  let count = 0;
  try {
    for await (const part of data === '' ? [] : data) {
      count += part.length;
      if (count > bytesMax) throw invalidAnswer('The answer is too large for an error.');
      await onBytes(part.length);
      if (count > buffer.byteLength)
        buffer = buffer.transfer(Math.max(2 * buffer.byteLength, count));
      new Uint8Array(buffer).set(part, count - part.length);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalidAnswer('The answer of BigQuery cannot be read to its end.', error);
  }
  return new Uint8Array(buffer, 0, count);
}

/** The answer, if it is one; `answer` is undefined if it is not JSON. */
function checked(status: number, answer: unknown): unknown {
  const error = isObject(answer) ? answer.error : undefined;
  if (isObject(error)) throw apiError(status, error);
  if (status >= 500 || status === 429 || status === 408) throw apiError(status, {});
  if (status < 200 || status >= 300) {
    throw invalidAnswer(`BigQuery answers with status ${status} and no error of its own.`);
  }
  if (answer === undefined) throw invalidAnswer('The answer of BigQuery is not JSON.');
  return answer;
}

/** https://cloud.google.com/bigquery/docs/error-messages */
function apiError(status: number, { code, message, errors }: Record<string, unknown>): Error {
  return Object.assign(
    new Error(typeof message === 'string' ? message : `BigQuery answers with status ${status}.`),
    { code: typeof code === 'number' ? code : status, errors },
  );
}
