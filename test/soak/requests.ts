// Sends requests of the soak test: with fetch, or as raw bytes for what fetch cannot send.
import { exchange } from '../support/service/raw-http.ts';
import { ANSWER_MS_MAX, PAUSE_MS } from './settings.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  sentMs: number;
  gotMs: number;
}

export interface Request {
  /** Path and query string. */
  target: string;
  headers?: Record<string, string>;
}

/** A request with any method and body, on its own connection. A body that is a list is sent in chunks. */
export interface RawRequest extends Request {
  method?: string;
  body?: Uint8Array | readonly Uint8Array[];
}

export const ENDPOINTS = '/api/endpoints/query/';
/** Includes the pause of an instance. */
const WAIT_MS_MAX = ANSWER_MS_MAX + PAUSE_MS;

/** Rejects if there is no answer in time. */
export async function ask(url: string, { target, headers = {} }: Request): Promise<Answer> {
  const sentMs = Date.now();
  const response = await fetch(`${url}${target}`, {
    headers,
    signal: AbortSignal.timeout(WAIT_MS_MAX),
  });
  const body = await response.text();
  return { status: response.status, headers: response.headers, body, sentMs, gotMs: Date.now() };
}

/** Sends raw bytes; rejects as `ask`. */
export async function askRaw(port: number, request: RawRequest): Promise<Answer> {
  const { method = 'GET', target, headers = {}, body } = request;
  const isChunked = Array.isArray(body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (isChunked) lines.push('Transfer-Encoding: chunked');
  else if (body !== undefined) lines.push(`Content-Length: ${(body as Uint8Array).length}`);
  const sentMs = Date.now();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), WAIT_MS_MAX);
  });
  const exchanged = exchange(port, {
    method,
    target,
    headers: lines,
    ...(body === undefined ? {} : { body: isChunked ? inChunks(body) : (body as Uint8Array) }),
  });
  try {
    const answer = await Promise.race([exchanged, tooLate]);
    const { status, body: text } = answer;
    return { status, headers: new Headers(answer.headers), body: text, sentMs, gotMs: Date.now() };
  } finally {
    clearTimeout(timer);
  }
}

export function reasonOf({ body }: Answer): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error: { details: { reason: string }[] } };
    return error.details[0]?.reason;
  } catch {
    return undefined;
  }
}

function inChunks(parts: readonly Uint8Array[]): Buffer {
  const chunks = parts.flatMap((part) => [`${part.length.toString(16)}\r\n`, part, '\r\n']);
  return Buffer.concat([...chunks, '0\r\n\r\n'].map((chunk) => Buffer.from(chunk)));
}
