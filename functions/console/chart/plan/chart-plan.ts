// The types of a chart: what it is given, and what is to be drawn.

export interface ChartColumn {
  name: string;
  /** As BigQuery names it: DATE, TIMESTAMP, INT64, STRING, … */
  type: string;
  mode: string;
  unit?: string | undefined;
}

export type ChartRow = Readonly<Record<string, unknown>>;

/** The time bucket that a row describes: its column, and its length. */
interface Bucket {
  column: string;
  /** A duration in ISO 8601 of one unit: PT15M, P1D, P3M. */
  step: string;
  /** What a bucket without a row means; unknown if absent. */
  missing?: 'zero' | undefined;
  /** IANA name of the zone in which the query counts; undefined if it is not known. */
  zone?: string | undefined;
}

export interface ChartInput {
  columns: readonly ChartColumn[];
  rows: readonly ChartRow[];
  bucket?: Bucket | undefined;
  /** IANA name of the zone that a TIMESTAMP is shown in. A DATE and a DATETIME have none. */
  timeZone: string;
  /** When the rows were computed: a bucket that ends later is incomplete. */
  computedAtMs: number;
  /** Where the window of the query begins: a bucket that starts before it is incomplete. */
  windowStartMs?: number | undefined;
  /** Whether rows after the last were left out, which may be of its bucket. */
  isTruncated?: boolean | undefined;
  /** The rows that a filter of this column keeps; of all columns, if it is empty. The others still make the axis. */
  kept?: { rows: ReadonlySet<number>; column: string } | undefined;
  /** Names of series that the reader chose; without a known one, the chart chooses. */
  drawn?: readonly string[] | undefined;
}

/** A place on the axis: a bucket, an instant, a name, or all buckets without rows between two others. */
export interface Moment {
  label: string;
  /** Absent for names. */
  startMs: number;
  endMs: number;
  /** Of all buckets without rows between two others: where each starts, or the first if they are very many. */
  starts?: readonly number[];
  /** Indices of `ChartInput.rows`. */
  rows: readonly number[];
  /** `missing` has no rows, and it is not known what that means; `zero` has none, which means zero. */
  state: 'whole' | 'so far' | 'incomplete' | 'missing' | 'zero';
}

export interface Series {
  /** The name by which it is hidden and shown: the column, or the values of the text columns. */
  name: string;
  label: string;
  /** Index of its colour; undefined for the series of all others. */
  colour: number | undefined;
  /** One for each moment; null where there is nothing to draw. */
  values: readonly (number | null)[];
  /** The same as text, with every digit that matters; empty where there is no row. */
  textAt: (moment: number) => string;
}

export interface Panel {
  title: string;
  unit: string;
  mark: 'lines' | 'bars' | 'points';
  /** Whether ticks must be whole numbers. */
  isWhole: boolean;
  /** Whether the axis must have the zero: for bars, and for what is counted. */
  hasZero: boolean;
  series: readonly Series[];
}

export interface Drawn {
  kind: 'drawn';
  /** `time` is linear; `slots` gives each moment the same room; `names` lists them from top to bottom. */
  axis: 'time' | 'slots' | 'names';
  /** What the labels are about: the zone, and the smallest interval of ticks in milliseconds. */
  time: { timeZone: string; stepMs: number; year: number } | undefined;
  moments: readonly Moment[];
  panels: readonly Panel[];
  /** All series, where the reader can choose from more than are drawn; a drawn one has a colour. */
  choice?: readonly Pick<Series, 'name' | 'colour'>[] | undefined;
  /** Sentences to show under the chart. */
  notes: readonly string[];
  /** What the chart shows, for those who do not see it. */
  text: string;
}

export type ChartPlan =
  | Drawn
  /** One row: its numbers. */
  | {
      kind: 'figures';
      figures: readonly Record<'label' | 'value' | 'unit', string>[];
      when: string;
    }
  /** Rows that no chart shows well, and why. */
  | { kind: 'table'; text: string }
  | { kind: 'none'; text: string };
