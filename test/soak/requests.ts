// How the soak asks: requests as programs send them, and as bytes that no program sends.
import { exchange } from '../support/raw-http.ts';
import { ANSWER_MS_MAX, PAUSE_MS } from './settings.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  sentMs: number;
  gotMs: number;
}

export interface Request {
  /** From the root. */
  target: string;
  headers?: Record<string, string>;
}

/** A request on a connection of its own, with whatever body; chunked where the body is a list. */
export interface RawRequest extends Request {
  method?: string;
  body?: Uint8Array | readonly Uint8Array[];
}

export const ENDPOINTS = '/api/endpoints/query/';
/** It may have to wait for an instance that is paused. */
const WAIT_MS_MAX = ANSWER_MS_MAX + PAUSE_MS;

/** Rejects where there is no answer, or none in time. */
export async function ask(url: string, { target, headers = {} }: Request): Promise<Answer> {
  const sentMs = Date.now();
  const response = await fetch(`${url}${target}`, {
    headers,
    signal: AbortSignal.timeout(WAIT_MS_MAX),
  });
  const body = await response.text();
  return { status: response.status, headers: response.headers, body, sentMs, gotMs: Date.now() };
}

/** The same. */
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
