// What is wrong with a definition, and where; one spelling for all commands.

/** A fault as it is found; `locateFaults` makes a DefinitionFault of it. */
export interface CatalogueFault {
  file: string;
  /** A sentence without its full stop. */
  message: string;
  /** The place in a JSON file, as a JSON pointer (RFC 6901). */
  pointer?: string;
  /** The place in a text, counted in UTF-16 code units. */
  offset?: number;
}

export interface DefinitionFault {
  file: string;
  /** Counted from 1; absent if the whole file is meant. */
  line?: number;
  /** Counted from 1, in UTF-16 code units as editors do. */
  column?: number;
  message: string;
}

/** `file:line:column: message`, as compilers write it. */
export function formatFault({ file, line, column, message }: DefinitionFault): string {
  return `${[file, line, column].filter((part) => part !== undefined).join(':')}: ${message}`;
}

/** Sorts the faults of one file from its start to its end. */
export function byPlace(a: DefinitionFault, b: DefinitionFault): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
