// Finds endpoints by what the user types, and groups them by the first part of their names.

interface Findable {
  name: string;
  description: string;
  parameters: readonly { name: string }[];
  row: readonly { name: string }[];
}

export interface Found<E> {
  endpoint: E;
  /** Where a word was found that the name lacks. */
  note: string;
}

/**
 * Those that have every word of the query in name, columns, parameters or description: first a name that starts with
 * it, with or without its group, then other names. Those that fit equally keep their order.
 */
export function findEndpoints<E extends Findable>(
  endpoints: readonly E[],
  query: string,
): Found<E>[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  return endpoints
    .flatMap((endpoint) => {
      const name = plain(endpoint.name);
      const texts = [
        ...endpoint.row.map((column) => ({ label: 'Column ', text: column.name })),
        ...endpoint.parameters.map((one) => ({ label: 'Parameter ', text: one.name })),
        { label: '', text: endpoint.description },
      ];
      const notes = words
        .filter((word) => !name.includes(word))
        .map((word) => texts.find(({ text }) => plain(text).includes(word)));
      if (notes.includes(undefined)) return [];
      const isStart = name.startsWith(first) || splitName(name)[1].startsWith(first);
      const rank = notes.length > 0 ? 2 : isStart ? 0 : 1;
      return [{ endpoint, note: notes[0] ? notes[0].label + notes[0].text : '', rank }];
    })
    .sort((one, other) => one.rank - other.rank);
}

/** In the order of the first of each group. */
export function groupEndpoints<E extends { endpoint: { name: string } }>(found: readonly E[]) {
  const groups = Map.groupBy(found, ({ endpoint: { name } }) => splitName(name)[0].slice(0, -1));
  return [...groups].map(([name, members]) => ({ name, members }));
}

/** `web.visit-counts` as `web.`, its group, and the rest. */
export function splitName(name: string): [group: string, rest: string] {
  const start = name.indexOf('.') + 1;
  return [name.slice(0, start), name.slice(start)];
}

/** Names have hyphens, columns underscores: a user who types one of them means either. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll('_', '-');
}
