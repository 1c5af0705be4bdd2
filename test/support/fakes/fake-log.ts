// A log that keeps its lines for assertions.
import type { Log, Severity } from '../../../functions/core/services.ts';
import { withErrorText } from '../../../functions/log.ts';

export interface LogLine {
  severity: Severity;
  message: string;
  fields: Record<string, unknown>;
}

export class FakeLog implements Log {
  readonly lines: LogLine[] = [];

  write(severity: Severity, message: string, fields: Record<string, unknown> = {}): void {
    this.lines.push({ severity, message, fields: withErrorText(fields) });
  }

  /** The values of `fields.event`, in order. */
  events(): unknown[] {
    return this.lines.map(({ fields }) => fields.event);
  }
}
