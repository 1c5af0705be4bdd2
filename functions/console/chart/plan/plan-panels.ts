// Puts the columns of numbers into panels: those of one unit share a scale, and no others do.
import type { ChartColumn, ChartRow, Moment, Panel } from './chart-plan.ts';
import { shareWords } from './share-words.ts';
import { drawable, splitSeries } from './split-series.ts';

const PANELS_MAX = 6;
const SERIES_MAX = 8;
/** With more bars side by side than this, the eye cannot follow a shape. */
const BAR_SERIES_MAX = 2;

const MEASURE = /(?:bytes|bits|seconds|minutes|hours|days|percent)$/i;

interface Panels {
  panels: Panel[];
  notes: string[];
}

interface Rows {
  rows: readonly ChartRow[];
  moments: readonly Moment[];
  /** Splits each column into series by the values of these. */
  splitBy: readonly ChartColumn[] | undefined;
  isMissingZero: boolean;
  /** `per hour`, where rows are buckets. */
  perStep: string;
  /** Undefined where counts are bars and the rest lines. */
  mark: Panel['mark'] | undefined;
}

export function planPanels(columns: readonly ChartColumn[], given: Rows): Panels {
  const groups = given.splitBy === undefined ? groupColumns(columns) : columns.map((one) => [one]);
  const notes: string[] = [];
  const panels = groups.slice(0, PANELS_MAX).map((group, _, { length }) => {
    const { panel, note } = panelOf(group.slice(0, SERIES_MAX), given);
    if (note !== undefined) notes.push(note);
    return { panel, length };
  });
  const leftOut = [
    ...groups.slice(0, PANELS_MAX).flatMap((group) => group.slice(SERIES_MAX)),
    ...groups.slice(PANELS_MAX).flat(),
  ];
  if (leftOut.length > 0)
    notes.push(`Only in the table: ${leftOut.map(({ name }) => name).join(', ')}.`);
  return { panels: withColours(panels.map(({ panel }) => panel)), notes };
}

/** Groups columns by unit; without a unit, all counts, and decimals whose names end with the same word. */
function groupColumns(columns: readonly ChartColumn[]): ChartColumn[][] {
  const groups = new Map<string, ChartColumn[]>();
  for (const column of columns) {
    const { name, type, unit } = column;
    const lastWord = name.split('_').at(-1) ?? name;
    const group = unit === undefined ? (type === 'INT64' ? 'counts' : lastWord) : `unit ${unit}`;
    groups.set(group, [...(groups.get(group) ?? []), column]);
  }
  return [...groups.values()];
}

function panelOf(group: readonly ChartColumn[], given: Rows): { panel: Panel; note?: string } {
  const { rows, moments, splitBy, isMissingZero, perStep } = given;
  const [first] = group;
  const isCount = first?.type === 'INT64' && !isMeasure(first.unit);
  const { title, labels } = shareWords(group.map(({ name }) => name));
  const split = first && splitBy && splitSeries(first, splitBy, rows, moments, isMissingZero);
  const series =
    split?.series ??
    group.map((column, colour) => ({
      name: column.name,
      label: labels[colour] ?? column.name,
      colour,
      ...drawable(
        moments.map((moment) => {
          const [index] = moment.rows;
          return index === undefined ? undefined : (rows[index]?.[column.name] ?? null);
        }),
        isMissingZero,
      ),
    }));
  const panel: Panel = {
    title,
    unit: [first?.unit ?? '', isCount ? perStep : ''].join(' ').trim(),
    mark: given.mark ?? (isCount && series.length <= BAR_SERIES_MAX ? 'bars' : 'lines'),
    isWhole: group.every(({ type }) => type === 'INT64'),
    series,
  };
  return split?.note === undefined ? { panel } : { panel, note: split.note };
}

/** `ms`, `EUR`, `bytes`: what is measured; any other word is counted. */
export function isMeasure(unit: string | undefined): boolean {
  return unit !== undefined && (unit.length <= 3 || MEASURE.test(unit));
}

/** A colour of its own for each series of the chart or, if these are too many, for each series of a panel. */
function withColours(panels: Panel[]): Panel[] {
  const count = panels.reduce((sum, { series }) => sum + series.length, 0);
  const isSplit = panels.some(({ series }) => series.some(({ colour }) => colour === undefined));
  if (count > SERIES_MAX || isSplit) return panels;
  let next = 0;
  return panels.map((panel) => ({
    ...panel,
    series: panel.series.map((one) => ({ ...one, colour: next++ })),
  }));
}
