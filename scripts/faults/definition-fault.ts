// A fault of a definition, with its place; one format for all commands.

export interface DefinitionFault {
  file: string;
  /** Counted from 1; absent if the whole file is meant. */
  line?: number;
  /** Counted from 1, in UTF-16 code units as editors do. */
  column?: number;
  message: string;
}

/** A fault as it is found; `locateFaults` turns it into a DefinitionFault. */
export interface CatalogueFault extends DefinitionFault {
  /** The place in a JSON file, as a JSON pointer (RFC 6901). */
  pointer?: string;
  /** The place in a text, counted in UTF-16 code units. */
  offset?: number;
}

/** `file:line:column: message`, as compilers write it. */
export function formatFault({ file, line, column, message }: DefinitionFault): string {
  return `${[file, line, column].filter((part) => part !== undefined).join(':')}: ${message}`;
}

/** The faults without duplicates: a fault of a routine is found for each endpoint that calls it. */
export function distinctFaults(faults: readonly DefinitionFault[]): DefinitionFault[] {
  return [...new Map(faults.map((fault) => [formatFault(fault), fault])).values()];
}

/** Its message has one line for each fault. */
export class FaultsError extends Error {
  readonly faults: readonly DefinitionFault[];

  constructor(faults: readonly DefinitionFault[], options?: ErrorOptions) {
    super(faults.map(formatFault).join('\n'), options);
    this.faults = faults;
  }
}

/** Sorts the faults of one file from its start to its end. */
export function byPlace(a: DefinitionFault, b: DefinitionFault): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
