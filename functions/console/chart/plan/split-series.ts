// Splits rows of the same time into a series for each value of the text columns.
import { addUp } from './add-up.ts';
import type { ChartColumn, ChartRow, Moment, Series } from './chart-plan.ts';
import type { NamedRows } from './choose-series.ts';
import { exactText, formatValue, toNumber } from './format-value.ts';
import { mayAddUp } from './may-add-up.ts';

/** The name of a value, as text on an axis or at a line. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return '(none)';
  const text = exactText(value);
  return text === '' ? '(empty)' : text.replaceAll(/[\p{Cc}\s]+/gu, ' ');
}

/** The name of the series that a row belongs to: its values in some columns. */
export function seriesOf(row: ChartRow = {}, columns: readonly ChartColumn[]): string {
  return columns.map(({ name }) => nameOf(row[name])).join(' · ');
}

/** In the order of the rows. */
export function rowsByName(
  texts: readonly ChartColumn[],
  rows: readonly ChartRow[],
  moments: readonly Moment[],
): NamedRows[] {
  const positions = new Map(
    moments.flatMap((moment, position) => moment.rows.map((index) => [index, position] as const)),
  );
  const indices = [...rows.keys()].filter((index) => positions.has(index));
  // Two values may look the same, such as a null and the text "(none)".
  const keyOf = (index: number): string =>
    JSON.stringify(texts.map(({ name }) => rows[index]?.[name]));
  const names = new Set<string>();
  return [...Map.groupBy(indices, keyOf).values()].map((own) => {
    const name = seriesOf(rows[own[0] ?? 0], texts);
    const unique = names.has(name) ? `${name} (${names.size + 1})` : name;
    names.add(unique);
    const pairs = own.map((index) => [positions.get(index) ?? 0, rows[index] ?? {}] as const);
    return { name: unique, rows: new Map(pairs) };
  });
}

/** The drawn ones and, if the column may be added up, the sum of the others. */
export function splitSeries(
  column: ChartColumn,
  all: readonly NamedRows[],
  drawn: ReadonlySet<string>,
  colours: ReadonlyMap<string, number>,
  moments: readonly Moment[],
  isMissingZero: boolean,
): Series[] {
  const others = all.filter(({ name }) => !drawn.has(name));
  const series = all
    .filter(({ name }) => drawn.has(name))
    .map(({ name, rows }): Series => {
      const values = moments.map((_, position) => rows.get(position)?.[column.name]);
      const colour = colours.get(name);
      return { name, label: name, colour, ...drawable(values, isMissingZero) };
    });
  if (others.length === 0 || !mayAddUp(column)) return series;
  const values = moments.map((): unknown[] => []);
  for (const { rows } of others) for (const [at, row] of rows) values[at]?.push(row[column.name]);
  const sums = values.map((each) => addUp(each) ?? (each.length > 0 ? null : undefined));
  const label = `${others.length} ${others.length === 1 ? 'other' : 'others'}`;
  return [...series, { name: label, label, colour: undefined, ...drawable(sums, isMissingZero) }];
}

/** Values as they are drawn and read; undefined where there is no row. */
export function drawable(
  values: readonly unknown[],
  isMissingZero: boolean,
  textOf: (value: unknown) => string = formatValue,
): Pick<Series, 'values' | 'textAt'> {
  const known = values.map((value) => (value === undefined && isMissingZero ? 0 : value));
  return {
    values: known.map(toNumber),
    textAt(moment) {
      const value = known[moment];
      if (value === undefined) return '';
      return (value === null ? formatValue : textOf)(value);
    },
  };
}
