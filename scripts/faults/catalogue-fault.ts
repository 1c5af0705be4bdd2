// Declares what is wrong with a file of `sql/`, and where.

export interface CatalogueFault {
  file: string;
  /** A sentence without its full stop. */
  message: string;
  /** The place in a JSON file, as a JSON pointer (RFC 6901). */
  pointer?: string;
  /** The place in a text, counted in UTF-16 code units. */
  offset?: number;
}

/** Definitions that cannot be served; the message has a line for each fault. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  readonly faults: readonly CatalogueFault[];

  constructor(faults: readonly CatalogueFault[]) {
    super(faults.map(({ file, message }) => `${file}: ${message}`).join('\n'));
    this.faults = faults;
  }
}
