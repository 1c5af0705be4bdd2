// Declares the structured log, which functions/log.ts implements.

export type Severity = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';

/** Structured log; one call is one line. Fields never contain keys or parameter values. */
export interface Log {
  write(severity: Severity, message: string, fields?: Record<string, unknown>): void;
}
