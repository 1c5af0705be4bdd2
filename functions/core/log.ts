// Declares the structured log, which functions/log.ts implements.
import { describeError } from './errors.ts';

export type Severity = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';

/** Structured log; one call is one line. Fields never contain keys or parameter values; `error` may be what was thrown. */
export interface Log {
  write(severity: Severity, message: string, fields?: Record<string, unknown>): void;
}

/** The fields with a text for what was thrown. Not copied without one: a copy for each line would cost more than the line. */
export function withErrorText(fields: Record<string, unknown> = {}): Record<string, unknown> {
  const { error = '' } = fields;
  return typeof error === 'string' ? fields : { ...fields, error: describeError(error) };
}
