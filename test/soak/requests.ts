// Sends requests of the soak test: with fetch, or as raw bytes for what fetch cannot send.
import { setTimeout as delay } from 'node:timers/promises';
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

/** A request with any method and body, on its own connection. */
export interface RawRequest extends Request {
  method?: string;
  body?: Uint8Array;
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
  const { method = 'GET', target, headers = {}, body = Buffer.of() } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (headers['Transfer-Encoding'] === undefined) lines.push(`Content-Length: ${body.length}`);
  const sentMs = Date.now();
  const tooLate = delay(WAIT_MS_MAX, undefined, { ref: false }).then(() => {
    throw new Error('no answer in time');
  });
  const exchanged = exchange(port, { method, target, headers: lines, body });
  const answer = await Promise.race([exchanged, tooLate]);
  return { ...answer, headers: new Headers(answer.headers), sentMs, gotMs: Date.now() };
}

export function reasonOf({ body }: Answer): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error: { details: { reason: string }[] } };
    return error.details[0]?.reason;
  } catch {
    return undefined;
  }
}
