// Reads `format` and `bom`, parameters of every endpoint: the format of the rows. They select no rows, so no cache key has them.

/** In the order of preference for clients without one. */
export const ROW_FORMATS = ['json', 'csv', 'ndjson'] as const;

export type Format = (typeof ROW_FORMATS)[number] | 'csv-bom';

/** No endpoint can declare a parameter of this name: see `sql/endpoint.schema.json`. */
export const FORMAT_PARAMETER = 'format';
/** CSV with a byte order mark, without which Excel reads it as ANSI. An endpoint that declares the name keeps it for its query. */
export const BOM_PARAMETER = 'bom';

/** Both take the values in the query string, in order. `bom` is undefined where the endpoint declares it. */
export function readFormat(given: readonly string[] | undefined, bom?: readonly string[]) {
  const faults: [name: string, fault: string][] = [];
  const format = ROW_FORMATS.find((offered) => offered === given?.[0]);
  if (given !== undefined && given.length > 1)
    faults.push([FORMAT_PARAMETER, 'must be given once']);
  else if (given !== undefined && format === undefined)
    faults.push([FORMAT_PARAMETER, `must be one of ${ROW_FORMATS.join(', ')}`]);
  if (bom === undefined) return { format, faults };
  const isMarked = format === 'csv' && bom.join() === '1';
  if (!isMarked) faults.push([BOM_PARAMETER, 'must be 1, and needs format=csv']);
  return { format: isMarked ? ('csv-bom' as const) : format, faults };
}
