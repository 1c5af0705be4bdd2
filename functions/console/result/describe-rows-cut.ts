// Says in words which rows the local BigQuery did not read.

/** `logs.events; read=94000; of=200000, …`, the value of `X-Local-Rows-Cut`, as a sentence. */
export function describeRowsCut(header: string): string {
  const tables = [...header.matchAll(/([^,; ]+); read=(\d+); of=(\d+)/g)].map(
    ([, table = '', read, of]) =>
      `the newest ${numberOf(read)} of ${numberOf(of)} rows of ${decodeURI(table)}`,
  );
  return `The local BigQuery read ${tables.join(', and ')}: values may be wrong, and rows may be missing.`;
}

function numberOf(text: string | undefined): string {
  return Number(text).toLocaleString('en');
}
