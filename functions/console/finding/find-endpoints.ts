// Finds endpoints by what the user types, and groups them by the first part of their names.
import type { Endpoint } from '../service.ts';

export interface Found {
  endpoint: Endpoint;
  /** Where a word was found that the name lacks. */
  note: string;
}

/** Those that have every word in name, columns, parameters or description: first those whose name begins with it, then other names. */
export function findEndpoints(endpoints: readonly Endpoint[], query: string): Found[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const found = endpoints.flatMap((endpoint) => {
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
    const [{ label, text } = { label: '', text: '' }] = notes;
    const isStart = name.startsWith(first) || splitName(name)[1].startsWith(first);
    return [{ endpoint, note: label + text, rank: notes.length > 0 ? 2 : isStart ? 0 : 1 }];
  });
  return found.sort((one, other) => one.rank - other.rank);
}

/** The names of the groups with their members, in the order of the first of each. */
export function groupEndpoints(found: readonly Found[]) {
  return [...Map.groupBy(found, ({ endpoint }) => splitName(endpoint.name)[0].slice(0, -1))];
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
