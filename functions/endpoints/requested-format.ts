// Reads `format`, a parameter of every endpoint: the format of the rows. It selects no rows, so no cache key has it.

/** In the order of preference for clients without one. */
export const ROW_FORMATS = ['json', 'csv', 'ndjson'] as const;

export type Format = (typeof ROW_FORMATS)[number];

type ReadFormat = { format?: Format; fault?: string };

/** No endpoint can declare a parameter of this name: see `sql/endpoint.schema.json`. */
export const FORMAT_PARAMETER = 'format';

/** `given` are the values in the query string, in order; without a value, or with a fault, there is no format. */
export function readFormat(given: readonly string[] | undefined): ReadFormat {
  if (given === undefined) return {};
  if (given.length > 1) return { fault: 'must be given once' };
  const format = ROW_FORMATS.find((offered) => offered === given[0]);
  return format === undefined ? { fault: `must be one of ${ROW_FORMATS.join(', ')}` } : { format };
}
