// Finds endpoints by what the user types, and groups them by the first part of their names.
import type { Endpoint } from '../service.ts';

/** Those that have every word in name, columns, parameters or description: first those whose name begins with it, then other names. */
export function findEndpoints(endpoints: readonly Endpoint[], query: string): Endpoint[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const rankOf = ({ name }: Endpoint): number => {
    const text = plain(name);
    if (!words.every((word) => text.includes(word))) return 2;
    return text.startsWith(first) || splitName(text)[1].startsWith(first) ? 0 : 1;
  };
  return endpoints
    .filter(({ name, description, row, parameters }) => {
      const texts = [...row, ...parameters].map((one) => one.name);
      const text = plain([name, description, ...texts].join('\n'));
      return words.every((word) => text.includes(word));
    })
    .sort((one, other) => rankOf(one) - rankOf(other));
}

/** The names of the groups with their members, in the order of the first of each. */
export function groupEndpoints(endpoints: readonly Endpoint[]) {
  return [...Map.groupBy(endpoints, ({ name }) => splitName(name)[0].slice(0, -1))];
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
