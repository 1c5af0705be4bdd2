// Which columns the table shows, and in which order.

export interface Arrangement {
  hiddenColumns: readonly string[];
  /** Columns that are missing follow in the order of the endpoint. */
  columnOrder: readonly string[];
}

interface Named {
  name: string;
}

/** The arrangement of an endpoint before the user changes it. */
export const UNARRANGED: Arrangement = { hiddenColumns: [], columnOrder: [] };

export function isUnarranged({ hiddenColumns, columnOrder }: Arrangement): boolean {
  return hiddenColumns.length + columnOrder.length === 0;
}

/** All columns, the hidden ones too. Names of other endpoints are ignored. */
export function orderColumns<T extends Named>(
  columns: readonly T[],
  { columnOrder }: Arrangement,
): T[] {
  const named = new Map(columns.map((column) => [column.name, column]));
  const first = [...new Set(columnOrder)].flatMap((name) => named.get(name) ?? []);
  return [...new Set([...first, ...columns])];
}

/** The columns to show; all of them if none would be left. */
export function visibleColumns<T extends Named>(
  columns: readonly T[],
  arrangement: Arrangement,
): T[] {
  const ordered = orderColumns(columns, arrangement);
  const visible = ordered.filter(({ name }) => !arrangement.hiddenColumns.includes(name));
  return visible.length === 0 ? ordered : visible;
}

/** Hides a visible column, or shows a hidden one. The last visible one stays. */
export function toggleColumn(
  columns: readonly Named[],
  arrangement: Arrangement,
  name: string,
): Arrangement {
  const visible = visibleColumns(columns, arrangement).map((column) => column.name);
  if (visible.length === 1 && visible[0] === name) return arrangement;
  const hiddenColumns = columns
    .map((column) => column.name)
    .filter((other) => visible.includes(other) === (other === name));
  return { ...arrangement, hiddenColumns };
}

/** Moves a column before another one, or to the end. */
export function moveColumn(
  columns: readonly Named[],
  arrangement: Arrangement,
  name: string,
  before: string | undefined,
): Arrangement {
  if (name === before) return arrangement;
  const order = orderColumns(columns, arrangement)
    .map((column) => column.name)
    .filter((other) => other !== name);
  const at = order.indexOf(before ?? '');
  order.splice(at === -1 ? order.length : at, 0, name);
  const isOwn = columns.every((column, index) => column.name === order[index]);
  return { ...arrangement, columnOrder: isOwn ? [] : order };
}
