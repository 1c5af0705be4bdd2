// Groups endpoints by the first part of their names.

interface Group<T> {
  name: string;
  members: T[];
}

/** In the order of the first of each group. */
export function groupEndpoints<T>(items: readonly T[], nameOf: (item: T) => string): Group<T>[] {
  const groups = Map.groupBy(items, (item) => splitName(nameOf(item))[0].slice(0, -1));
  return [...groups].map(([name, members]) => ({ name, members }));
}

/** `web.visit-counts` as `web.`, its group, and the rest. */
export function splitName(name: string): [group: string, rest: string] {
  const start = name.indexOf('.') + 1;
  return [name.slice(0, start), name.slice(start)];
}
