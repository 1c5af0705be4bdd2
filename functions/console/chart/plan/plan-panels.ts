// Puts the columns of numbers into panels: those of one unit share a scale, and no others do.
import type { ChartColumn, ChartRow, Drawn, Moment, Panel, Series } from './chart-plan.ts';
import { SERIES_MAX, chooseSeries } from './choose-series.ts';
import { toNumber } from './format-value.ts';
import { isOrdinal, mayAddUp, mayBeCount } from './may-add-up.ts';
import { shareWords } from './share-words.ts';
import { drawable, rowsByName, splitSeries } from './split-series.ts';
import { writeNumbers } from './write-numbers.ts';

const PANELS_MAX = 6;
/** With more bars side by side than this, the eye cannot follow a shape. */
const BAR_SERIES_MAX = 2;
/** A note has no more names. */
const NAMES_MAX = 5;

const MEASURE = /(?:bytes|bits|seconds|minutes|hours|days|percent)$/i;

interface Rows {
  rows: readonly ChartRow[];
  moments: readonly Moment[];
  /** The moments without a filter. */
  parts: readonly Moment[];
  /** Splits each column into series by the values of these. */
  splitBy: readonly ChartColumn[] | undefined;
  /** Names of series that the reader chose. */
  asked?: readonly string[] | undefined;
  isMissingZero: boolean;
  /** `per hour`, where rows are buckets. */
  perStep: string;
  /** Undefined where counts are bars and the rest lines. */
  mark: Panel['mark'] | undefined;
}

export function planPanels(
  columns: readonly ChartColumn[],
  given: Rows,
): Pick<Drawn, 'panels' | 'notes' | 'choice'> {
  const groups = given.splitBy === undefined ? groupColumns(columns) : columns.map((one) => [one]);
  const drawn = groups.slice(0, PANELS_MAX).map((group) => group.slice(0, SERIES_MAX));
  const leftOut = groups.flat().filter((column) => !drawn.flat().includes(column));
  const tabled = leftOut.map(({ name }) => name).join(', ');
  const notes = tabled === '' ? [] : [`Only in the table: ${tabled}.`];
  if (given.splitBy === undefined) {
    const shared = drawn.map((group) => shareWords(group.map(({ name }) => name)));
    const labels = shared.flatMap((words) => words.labels);
    // One list has the names of all panels.
    const isUnique = (label: string): boolean =>
      labels.indexOf(label) === labels.lastIndexOf(label);
    let colour = 0;
    const panels = drawn.map((group, at) => {
      const { title = '', labels: own = [] } = shared[at] ?? {};
      const series = group.map((column, index) => {
        const { name } = column;
        const label = own[index] ?? name;
        const values = valuesOf(column, given);
        return { name, label: isUnique(label) ? label : name, colour: colour++, ...values };
      });
      return panelOf(group, title, series, given);
    });
    return { panels, notes, choice: undefined };
  }
  const { rows, moments, parts, splitBy, asked = [], isMissingZero } = given;
  const all = rowsByName(splitBy, rows, moments);
  const split = drawn.flat();
  const measured = measuredOf(split, rows);
  const [chooser] = measured;
  if (chooser === undefined) return { panels: [], notes, choice: undefined };
  const names = chooseSeries(measured, all, asked);
  const shown = all.filter(({ name }) => names.has(name));
  const unfiltered = parts === moments ? all : rowsByName(splitBy, rows, parts);
  // A filter changes no colour, as long as there is one for each.
  const named = unfiltered.length > SERIES_MAX ? shown : unfiltered;
  const colours = new Map(named.map(({ name }, colour) => [name, colour]));
  const panels = split.map((column) => {
    const { title } = shareWords([column.name]);
    const series = splitSeries(column, all, names, colours, moments, isMissingZero);
    return panelOf([column], title, series, given);
  });
  const others = all.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  if (others.length > 0 && !mayAddUp(chooser)) {
    const named = others.length > NAMES_MAX ? '' : `: ${others.join(', ')}`;
    notes.push(
      `Not drawn: ${others.length} of ${all.length} series${named}. "Series" chooses others.`,
    );
  }
  const choice = all.map(({ name }) => ({
    ...{ name, colour: names.has(name) ? colours.get(name) : undefined },
  }));
  const isChoice = others.length > 0 || all.length > SERIES_MAX;
  return { panels, notes, choice: isChoice ? choice : undefined };
}

/** The columns that choose what is drawn: what has no sum, because of the rest, what is not drawn can be one. */
export function measuredOf(
  columns: readonly ChartColumn[],
  rows: readonly ChartRow[],
): readonly ChartColumn[] {
  const unsummed = columns.filter((column) => !mayAddUp(column));
  const known = unsummed.filter(({ name }) => rows.some((row) => toNumber(row[name]) !== null));
  return [known, unsummed].find(({ length }) => length > 0) ?? columns.slice(0, 1);
}

/** Groups columns by unit; without a unit, all counts, and the others whose names end with the same word. */
function groupColumns(columns: readonly ChartColumn[]): ChartColumn[][] {
  const groups = Map.groupBy(columns, (column) => {
    const { name, unit } = column;
    if (unit !== undefined) return `unit ${unit}`;
    if (isCount(column)) return 'counts';
    return isOrdinal(column) ? `the ${name}` : (name.split('_').at(-1) ?? name);
  });
  return [...groups.values()];
}

function isCount(column: ChartColumn): boolean {
  const { name, type, unit } = column;
  return type === 'INT64' && mayBeCount(name) && !isMeasure(unit) && !isOrdinal(column);
}

function valuesOf(
  { name, type }: ChartColumn,
  { rows, moments, parts, isMissingZero, mark }: Rows,
): Pick<Series, 'values' | 'textAt'> {
  const values = moments.map((moment, at) => {
    const [index] = moment.rows;
    if (index !== undefined) return rows[index]?.[name] ?? null;
    // What a filter leaves out is nothing, and not zero.
    return parts[at]?.rows.length === 0 ? undefined : null;
  });
  // Labels of bars stand below each other.
  const textOf = mark === 'bars' ? writeNumbers(type, values).textOf : undefined;
  return drawable(values, isMissingZero, textOf);
}

function panelOf(
  group: readonly ChartColumn[],
  title: string,
  series: readonly Series[],
  { mark: givenMark, perStep }: Rows,
): Panel {
  const isCounted = group.every(isCount);
  const usual = givenMark ?? (isCounted && series.length <= BAR_SERIES_MAX ? 'bars' : 'lines');
  // A place is no amount: a bar would make the last one the greatest.
  const mark = usual === 'bars' && group.some(isOrdinal) ? 'points' : usual;
  return {
    title,
    unit: [group[0]?.unit ?? '', isCounted ? perStep : ''].join(' ').trim(),
    mark,
    isWhole: group.every(({ type }) => type === 'INT64'),
    hasZero: mark === 'bars' || group.some(mayAddUp),
    series,
  };
}

/** `ms`, `EUR`, `bytes`: what is measured; any other word is counted. */
export function isMeasure(unit: string | undefined): boolean {
  return unit !== undefined && (unit.length <= 3 || MEASURE.test(unit));
}
