// Shortens what is said at once of the changes of `sql/`; `npm run check` tells all.
import {
  type DefinitionFault,
  countFaults,
  distinctFaults,
  formatFault,
} from '../../faults/definition-fault.ts';

const LINES_MAX = 20;

export function firstOf(lines: readonly string[], count = lines.length): string[] {
  const shown = lines.slice(0, LINES_MAX);
  return lines.length <= LINES_MAX ? shown : [...shown, `… and ${count - LINES_MAX} more`];
}

/** A fault of a routine is one of each endpoint that calls it, and is said once. */
export function firstFaults(faults: readonly DefinitionFault[]): string[] {
  const distinct = distinctFaults(faults);
  return firstOf(distinct.map(formatFault), countFaults(distinct));
}
