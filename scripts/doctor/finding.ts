// What `npm run doctor` finds, and how a call that fails becomes a fault.
import { systemClock } from '../../functions/clock.ts';
import { withDeadline } from '../../functions/core/clock.ts';
import { errorMessage } from '../../functions/core/errors.ts';

/** Right, a fault, a warning, or something that was not checked. */
export interface Finding {
  mark: '✓' | '✗' | '!' | '·';
  text: string;
}

/** A remedy is a command to copy where there is one. */
const named =
  (mark: Finding['mark']) =>
  (what: string, remedy: string): Finding => ({ mark, text: `${what} — ${remedy}` });

export const fault = named('✗');
export const warning = named('!');
export const unchecked = named('·');

/** Everything is right if there is no fault. */
export function orRight(text: string, findings: readonly Finding[]): Finding[] {
  const isWell = findings.every(({ mark }) => mark !== '✗');
  return [...(isWell ? [{ mark: '✓', text } as const] : []), ...findings];
}

/** What a check finds; a call that fails, in one line that says what to do, is a fault. */
export async function findingsOf(check: Promise<Finding[]>): Promise<Finding[]> {
  return check.catch((error: unknown) => {
    const [text = ''] = errorMessage(error).split('\n', 1);
    return [{ mark: '✗', text }];
  });
}

/** Rejects once the time is over; the call itself may go on. */
export function inTime<T>(name: string, timeoutMs: number, call: Promise<T>): Promise<T> {
  return withDeadline(systemClock, timeoutMs, call, () => {
    const seconds = timeoutMs / 1000;
    return new Error(
      `${name} does not answer within ${seconds} s — check the network, proxy and firewall, or wait longer: --timeout`,
    );
  });
}

/** `25 minutes`, `3 hours`, `12 days`. */
export function span(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2880
    ? `${Math.round(minutes / 60)} hours`
    : `${Math.round(minutes / 1440)} days`;
}
