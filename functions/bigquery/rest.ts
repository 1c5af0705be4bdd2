// Creates BigQuery's client, calls its REST API (no retries, no redirects, JSON only; the caller bounds the size), and describes tables.
import { isUtf8 } from 'node:buffer';
import { BigQuery } from '@google-cloud/bigquery';
import { PassThroughClient } from 'google-auth-library';
import { type Clock, withDeadline } from '../core/clock.ts';
import { errorCode, ServiceError } from '../core/errors.ts';
import { isObject, isText, membersOf, parseJson } from '../core/json.ts';
import type { DescribeTable } from '../core/query-runner.ts';
import type { Uses } from '../core/services.ts';
import { invalidAnswer } from './classify-error.ts';

interface RestCallOptions {
  signal: AbortSignal;
  /** Of the uncompressed answer; a larger one is `invalidAnswer`. */
  bytesMax?: number;
  /** Gets the uncompressed size of each part before it is kept. The promise delays the next part; the call rejects with its ServiceError. */
  onBytes?: (bytes: number) => Promise<void>;
  project?: string;
}

/** The JSON of an answer. Rejects with `code` and `errors` of BigQuery, unchecked, or `invalidAnswer`. */
export type RestCall = (...call: [...RestRequest, options: RestCallOptions]) => Promise<unknown>;

/** `path` is the one below `/projects/PROJECT`, such as `/jobs`. */
export type RestRequest = [
  method: 'GET' | 'POST',
  path: string,
  search: Readonly<Record<string, string>>,
  body: object | undefined,
];

const isGood = (status: number): boolean => status >= 200 && status < 300;

/** The body of an answer as the client gives it: a text, empty for a 204. */
type AnswerStream = AsyncIterable<Buffer> | '';

const FIRST_BYTES = 16 * 1024;
/** Far larger than any error of BigQuery. */
const ERROR_BYTES_MAX = 256 * 1024;
/** Far larger than what says something of a job or a table. */
const SMALL_BYTES_MAX = 1024 * 1024;
/** https://cloud.google.com/bigquery/docs/reference/rest/v2/tables/get */
const TABLE_FIELDS =
  'type,numRows,numBytes,lastModifiedTime,streamingBuffer(estimatedRows),timePartitioning(field)';
const PUBLIC_API_ENDPOINT = 'https://bigquery.googleapis.com';

type Address = Uses<'project' | 'bigQueryApiEndpoint' | 'bigQueryEmulatorHost'>;

export function createBigQuery(config: Address): BigQuery {
  return new BigQuery({
    projectId: config.project,
    // Always given: the client, which reads BIGQUERY_EMULATOR_HOST itself, takes an empty one for an address.
    apiEndpoint: config.bigQueryApiEndpoint ?? PUBLIC_API_ENDPOINT,
    // The caller knows the deadline and decides about retries.
    retryOptions: { autoRetry: false },
    // The emulator needs no credentials, and looking for them would delay the first query.
    ...(config.bigQueryEmulatorHost ? { authClient: new PassThroughClient() } : {}),
  });
}

/** Uses the client's authentication, but not its `request`, which reads any size, follows redirects and cannot be aborted. */
export function createBigQueryRest(bigquery: BigQuery): RestCall {
  const { name, version } = bigquery['packageJson'] as { name: string; version: string };
  const headers = {
    'Content-Type': 'application/json',
    // The same user agent as the client's `request`.
    'User-Agent': `${name.replace('@google-cloud/', 'gcloud-node-')}/${version}`,
    'x-goog-api-client': `gl-node/${process.versions.node} gccl/${version}`,
  };

  return async (method, path, search, body, options) => {
    const { signal, bytesMax = Infinity, onBytes, project = bigquery.projectId } = options;
    const address = `${bigquery.baseUrl.replace(/\/+$/, '')}/projects/${encodeURIComponent(project)}`;
    const query = new URLSearchParams({ ...search, prettyPrint: 'false' }).toString();
    try {
      const answer = await bigquery.authClient.request<AnswerStream>({
        url: `${address}${path}?${query}`,
        method,
        headers,
        ...(body === undefined ? {} : { data: JSON.stringify(body) }),
        responseType: 'stream',
        retry: false,
        // A redirect would send the token to another host.
        redirect: 'manual',
        validateStatus: () => true,
        signal,
        adapter: (prepared, send) => {
          // Also after the wait for a token. node-fetch would destroy the unsent body with an error that ends the process.
          signal.throwIfAborted();
          return send(prepared);
        },
      });
      const { status, data } = answer;
      const bytes = await readBytes(data, isGood(status) ? bytesMax : ERROR_BYTES_MAX, onBytes);
      try {
        return decode(status, answer.headers.get('content-type'), bytes);
      } finally {
        // Frees the bytes without waiting for the garbage collector.
        bytes.buffer.transfer(0);
      }
    } catch (error) {
      throw plainError(error);
    }
  };
}

interface SmallCallLimits extends Pick<RestCallOptions, 'project' | 'bytesMax'> {
  clock: Clock;
  withinMs: number;
}

/** A call with a small answer. Rejects for a larger one and after `withinMs` milliseconds, and then ends the call. */
export async function smallCall(call: RestCall, request: RestRequest, limits: SmallCallLimits) {
  const { clock, withinMs, bytesMax = SMALL_BYTES_MAX, ...options } = limits;
  const over = new AbortController();
  const answer = call(...request, { ...options, signal: over.signal, bytesMax });
  return withDeadline(clock, withinMs, answer).finally(() => over.abort());
}

/** Reads BigQuery's metadata of a table, without a query. */
export function createDescribeTable(call: RestCall, clock: Clock): DescribeTable {
  return async ({ project, dataset, table }, deadlineMs) => {
    const path = `/datasets/${encodeURIComponent(dataset)}/tables/${encodeURIComponent(table)}`;
    const withinMs = deadlineMs - clock.nowMs();
    const request: RestRequest = ['GET', path, { fields: TABLE_FIELDS }, undefined];
    const answer = await smallCall(call, request, { clock, withinMs, project });
    const fields = membersOf(answer);
    const { type, numRows, numBytes, lastModifiedTime, streamingBuffer } = fields;
    // A view has no rows of its own.
    const [rows = '', size = '', modified = ''] = [numRows, numBytes, lastModifiedTime];
    if (!isText(type) || !isText(rows) || !isText(size) || !isText(modified)) {
      throw invalidAnswer('BigQuery does not describe the table.');
    }
    const { field } = membersOf(fields.timePartitioning);
    const partitionColumn = isText(field) ? field : undefined;
    const isStreaming = streamingBuffer !== undefined;
    return { type, rows, bytes: size, modified, isStreaming, partitionColumn };
  };
}

async function readBytes(
  data: AnswerStream,
  bytesMax: number,
  onBytes?: RestCallOptions['onBytes'],
): Promise<Uint8Array<ArrayBuffer>> {
  // Each part is copied at once into a buffer that grows: parts that are kept until the end would become old objects,
  // which an idle instance may not collect for a long time.
  let buffer = new ArrayBuffer(FIRST_BYTES);
  let count = 0;
  try {
    for await (const part of data === '' ? [] : data) {
      count += part.length;
      if (count > bytesMax) throw invalidAnswer('The answer is too large.');
      await onBytes?.(part.length);
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

/** The answer if it is JSON in UTF-8 with that content type. */
function decode(status: number, contentType: string | null, bytes: Uint8Array): unknown {
  const isJson = /^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(contentType ?? '');
  // Not with the error of JSON.parse, which would quote the answer, and so values of tenants.
  const answer = isJson && isUtf8(bytes) ? parseJson(new TextDecoder().decode(bytes)) : undefined;
  const { error } = membersOf(answer);
  if (isObject(error)) throw apiError(status, error);
  if (isGood(status) && answer !== undefined) return answer;
  if (status === 429) throw apiError(status, {});
  throw invalidAnswer(`BigQuery answers with status ${status}, and no JSON.`);
}

/** https://cloud.google.com/bigquery/docs/error-messages */
function apiError(status: number, { code, message, errors }: Record<string, unknown>): Error {
  return Object.assign(
    new Error(typeof message === 'string' ? message : `BigQuery answers with status ${status}.`),
    { code: typeof code === 'number' ? code : status, errors },
  );
}

/** Drops the request that the client attaches to its errors, which contains parameters of tenants. Without a response nothing was answered. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error) || !('config' in error)) return error;
  const { message, cause } = error;
  if (!('response' in error) || error.response === undefined) return invalidAnswer(message, cause);
  return Object.assign(new Error(message, { cause }), { code: errorCode(error) });
}
