// Splits the name of a BigQuery table or dataset. A project may have a domain: `example.com:project.dataset.table`.

/** The last name of a path, and what is before it; undefined if there is only one name. */
export function splitLast(path: string): { before: string | undefined; last: string } {
  const dot = path.lastIndexOf('.');
  if (dot === -1) return { before: undefined, last: path };
  return { before: path.slice(0, dot), last: path.slice(dot + 1) };
}
