// What a check of `npm run doctor` finds, and how an error of one of Google's APIs becomes a fault with its remedy.
import { systemClock } from '../../functions/clock.ts';
import { withDeadline } from '../../functions/core/clock.ts';
import { errorCode, errorMessage } from '../../functions/core/describe-error.ts';

/** Right, a fault, a warning, or something that nobody looked at. */
export interface Finding {
  mark: '✓' | '✗' | '!' | '·';
  text: string;
}

type Named = readonly [what: string, remedy: string];

/** A remedy is a command to copy where there is one. */
const named =
  (mark: Finding['mark']) =>
  (...[what, remedy]: Named): Finding => ({ mark, text: `${what} — ${remedy}` });

export const right = (text: string): Finding => ({ mark: '✓', text });
export const fault = named('✗');
export const warning = named('!');
export const unchecked = named('·');

/** What a call is about. */
interface Subject {
  name: string;
  api: string;
  project: string;
  timeoutMs: number;
  missing: Named;
  denied: Named;
  /** The state of what is there does not allow the call. */
  unfit?: Named;
  /** Any other answer, such as that a query is wrong. */
  other?: Named;
}

const DISABLED = /has not been used in project|it is disabled|SERVICE_DISABLED/;
const LOGIN = /default credentials|invalid_grant|invalid_rapt|No credentials found/i;
const SILENT = /does not answer|timed out|aborted/i;
/** Of gRPC, of HTTP and of the connection. */
const CODES = {
  missing: [5, 404],
  denied: [7, 403],
  unfit: [9],
  login: [16, 401],
  silent: [4],
} satisfies Record<string, unknown[]>;

/** Whether the service as a whole does not answer, so that further calls would only take their time. */
export function isOut(error: unknown): boolean {
  const { code, text } = read(error);
  return code === undefined || typeof code === 'string' || DISABLED.test(text);
}

export function faultOfCall(error: unknown, subject: Subject): Finding {
  const { name, api, project, missing, denied, unfit } = subject;
  const { code, text } = read(error);
  const is = (kind: keyof typeof CODES): boolean => (CODES[kind] as unknown[]).includes(code);
  if (DISABLED.test(text)) {
    // The message may name another API than the one that was called.
    const named = /[a-z]+\.googleapis\.com/.exec(text)?.[0] ?? api;
    const enable = `gcloud services enable ${named} --project ${project}`;
    return fault(`The API ${named} is disabled in ${project}`, enable);
  }
  if (LOGIN.test(text) || is('login')) return noCredentials();
  if (is('missing')) return fault(...missing);
  if (is('denied')) return fault(...denied);
  if (is('unfit') && unfit !== undefined) return fault(...unfit);
  if (subject.other !== undefined && !isOut(error)) return fault(...subject.other);
  const isSilent = SILENT.test(text) || is('silent');
  const late = `does not answer within ${subject.timeoutMs / 1000} s`;
  const why = isSilent ? late : `cannot be asked (${firstLine(text)})`;
  return fault(
    `${name} ${why}`,
    'check the network, proxy and firewall, or wait longer: --timeout',
  );
}

/** The network may be the reason too. */
export function noCredentials(error?: unknown): Finding {
  const reason = error === undefined ? '' : firstLine(errorMessage(error));
  const shown = reason === '' || LOGIN.test(reason) ? '' : ` (${reason})`;
  return fault(`Google accepts no credentials${shown}`, 'gcloud auth application-default login');
}

/** Rejects once the time is over; the call itself may go on. */
export function inTime<T>(timeoutMs: number, call: Promise<T>): Promise<T> {
  return withDeadline(systemClock, timeoutMs, call);
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.replace(/\.$/, '') ?? '';
}

/** The code and the texts of an error, also of one that another one explains. */
function read(error: unknown): { code: unknown; text: string } {
  const { cause } = error instanceof Error ? error : {};
  const inner = cause === undefined ? { code: undefined, text: '' } : read(cause);
  return {
    code: errorCode(error) ?? inner.code,
    text: [errorMessage(error), inner.text].filter((part) => part !== '').join('\n'),
  };
}

/** `25 minutes`, `3 hours`, `12 days`. */
export function span(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2880
    ? `${Math.round(minutes / 60)} hours`
    : `${Math.round(minutes / 1440)} days`;
}
