// Splits rows of the same time into a series for each value of the text columns: the largest, and the others.
import type { ChartColumn, ChartRow, Moment, Series } from './chart-plan.ts';
import { formatValue, toNumber } from './format-value.ts';

const LARGEST = 7;
/** Names of columns whose sum would be meaningless. */
const STATISTIC = /(?:^|_)(?:min|max|avg|mean|median|p\d+|rate|ratio|share|percent|pct)(?:_|$)/i;

interface Split {
  series: Series[];
  note: string | undefined;
}

/** The name of a value, as text on an axis or at a line. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return '(none)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' ? '(empty)' : text.replaceAll(/[\p{Cc}\s]+/gu, ' ');
}

/** The name of the series that a row belongs to: its values in some columns. */
export function seriesOf(row: ChartRow = {}, columns: readonly ChartColumn[]): string {
  return columns.map(({ name }) => nameOf(row[name])).join(' · ');
}

export function splitSeries(
  column: ChartColumn,
  texts: readonly ChartColumn[],
  rows: readonly ChartRow[],
  moments: readonly Moment[],
  isMissingZero: boolean,
): Split {
  const byName = new Map<string, Map<number, ChartRow>>();
  moments.forEach((moment, position) => {
    for (const index of moment.rows) {
      const row = rows[index] ?? {};
      const name = seriesOf(row, texts);
      const own = byName.get(name) ?? new Map<number, ChartRow>();
      byName.set(name, own.set(position, row));
    }
  });
  const size = (own: Map<number, ChartRow>): number =>
    [...own.values()].reduce((sum, row) => sum + Math.abs(toNumber(row[column.name]) ?? 0), 0);
  const ranked = [...byName].sort(([, a], [, b]) => size(b) - size(a));
  // A single other one is no shorter as "1 other".
  const drawn = ranked.length <= LARGEST + 1 ? ranked : ranked.slice(0, LARGEST);
  const others = ranked.slice(drawn.length);
  const series = drawn.map(([name, own], colour): Series => {
    const values = moments.map((_, position) => own.get(position)?.[column.name]);
    return { name, label: name, colour, ...drawable(values, isMissingZero) };
  });
  if (others.length === 0) return { series, note: undefined };
  if (!isSummable(column)) {
    const note = `${others.length} more series are only in the table: values of ${column.name} cannot be added up.`;
    return { series, note };
  }
  const sums = moments.map((_, position) => {
    const values = others.flatMap(([, own]) => toNumber(own.get(position)?.[column.name]) ?? []);
    return values.length === 0 ? undefined : values.reduce((a, b) => a + b, 0);
  });
  const label = `${others.length} others`;
  series.push({ name: label, label, colour: undefined, ...drawable(sums, isMissingZero) });
  return { series, note: undefined };
}

/** Values as they are drawn and read; undefined where there is no row. */
export function drawable(
  values: readonly unknown[],
  isMissingZero: boolean,
): Pick<Series, 'values' | 'texts'> {
  const known = values.map((value) => (value === undefined && isMissingZero ? 0 : value));
  return {
    values: known.map(toNumber),
    texts: known.map((value) => (value === undefined ? '' : formatValue(value))),
  };
}

function isSummable({ name, type, unit }: ChartColumn): boolean {
  return type !== 'FLOAT64' && unit !== '%' && !STATISTIC.test(name);
}
