// Reads `format`, a parameter of every endpoint: the format of the rows. It selects no rows, so no cache key has it.

/** In the order of preference for clients without one. */
export const ROW_FORMATS = ['json', 'csv', 'ndjson'] as const;

export type Format = (typeof ROW_FORMATS)[number];

/** No endpoint can declare a parameter of this name: see `sql/endpoint.schema.json`. */
export const FORMAT_PARAMETER = 'format';

interface RequestedFormat {
  /** Undefined if none is requested. */
  format: Format | undefined;
  /** What is wrong with the given values; then there is no format. */
  fault?: string;
}

/** `given` are the values in the query string, in order. */
export function readFormat(given: readonly string[] | undefined): RequestedFormat {
  if (given === undefined) return { format: undefined };
  if (given.length > 1) return { format: undefined, fault: 'must be given once' };
  const format = ROW_FORMATS.find((offered) => offered === given[0]);
  if (format !== undefined) return { format };
  return { format, fault: `must be one of ${ROW_FORMATS.join(', ')}` };
}
