// What BigQuery may bill in a day (UTC) to an API key, or to warming: the rules, and the store, which firestore/lease-store.ts implements.
import { type FieldsOf, isCount, isText } from './json.ts';

export const WARM_ACCOUNT = 'warm';

/** A job whose bytes count for an account, but are not known yet. */
export const DEBT = {
  /** The SHA-256 of an API key, or `WARM_ACCOUNT`. */
  account: isText,
  /** In UTC, on which it was started: `2026-11-28`. */
  day: isText,
  jobId: isText,
  /** What it is expected to bill. */
  bytes: isCount,
  endsAtMs: isCount,
};
export type Debt = FieldsOf<typeof DEBT>;

/** What BigQuery has billed to an account in a day, and what its open debts are expected to add, with the one that was reserved. */
export type Reserved = ReturnType<typeof reservation>;

export interface DayBytesStore {
  bytesOf(account: string, day: string): Promise<number>;
  /** Writes the debt before its job is sent, then counts those that were written before it. There is no debt if it is not admitted. */
  reserve(debt: Debt, limitBytes: number): Promise<Reserved>;
  /** Replaces the debt by what was billed; does nothing the second time. */
  settle(debt: Debt, bytes: number): Promise<void>;
  /** All that are open, of any day. */
  debts(): Promise<Debt[]>;
}

/** The share of the bytes of a day above which the operator is told. */
export const TOLD_SHARE = 0.8;

/** Admits a query that fits beside those under way, or is alone, so that at most one passes the limit. `bytes` are those billed. */
export function reservation(
  debt: Debt,
  bytes: number,
  before: readonly Debt[],
  limitBytes: number,
) {
  const openBytes = before.reduce((sum, one) => sum + one.bytes, debt.bytes);
  const isAlone = openBytes === debt.bytes;
  const isAdmitted = isAlone ? bytes < limitBytes : bytes + openBytes <= limitBytes;
  return { bytes, openBytes, isAdmitted };
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
