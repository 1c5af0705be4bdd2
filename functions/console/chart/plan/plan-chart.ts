// Decides how rows are drawn, from what their columns mean and never from a guess at the rows.
import type { ChartColumn, ChartInput, ChartPlan, ChartRow, Drawn, Moment } from './chart-plan.ts';
import { describeChart } from './describe-chart.ts';
import { findTotals } from './find-totals.ts';
import { formatValue, isNumeric } from './format-value.ts';
import { isOrdinal } from './may-add-up.ts';
import { planMoments } from './plan-moments.ts';
import { CHOSEN_MAX, chooseSeries } from './choose-series.ts';
import { measuredOf, planPanels } from './plan-panels.ts';
import { nameOf, seriesOf } from './split-series.ts';
import { POINTS_MAX, thinPanel } from './thin-points.ts';
import { type Step, bucketAt, parseStep, perStep } from './step.ts';
import { DAY_MS, isInstant } from './zoned-time.ts';

/** Up to this many points are drawn as bars: a line would show nothing. */
const BARS_UP_TO = 3;
const NAMES_MAX = 12;
const FIGURES_MAX = 12;

/** A sentence, or none. */
type Note = string | false | undefined;

export function planChart(input: ChartInput): ChartPlan {
  const { columns, rows, bucket, kept } = input;
  if ((kept?.rows.size ?? rows.length) === 0)
    return { kind: 'none', text: kept ? 'No row fits the filter.' : 'No rows.' };
  const single = columns.filter(({ mode }) => mode !== 'REPEATED');
  const numbers = single.filter(isNumeric);
  if (numbers.length === 0) return asTable('No chart: there is no column of numbers.');
  const time =
    single.find(({ name }) => name === bucket?.column) ??
    single.find(({ type }) => isInstant(type));
  const texts = single.filter(({ type }) => type === 'STRING' || type === 'BOOL');
  const step =
    bucket !== undefined && time?.name === bucket.column ? parseStep(bucket.step) : undefined;
  if (rows.length === 1) return planFigures(input, numbers, time, texts[0], step);
  if (time !== undefined) return planTimes(input, { numbers, time, texts, step });
  if (texts.length > 0) return planNames(input, numbers, texts);
  return asTable('No chart: there is no column of times or names.');
}

function asTable(text: string): ChartPlan {
  return { kind: 'table', text };
}

function drawn(given: Omit<Drawn, 'text' | 'notes'> & { notes: readonly Note[] }): ChartPlan {
  const plan = { ...given, notes: given.notes.filter((note) => typeof note === 'string') };
  return { ...plan, text: describeChart(plan) };
}

function planFigures(
  input: ChartInput,
  numbers: readonly ChartColumn[],
  time: ChartColumn | undefined,
  text: ChartColumn | undefined,
  step: Step | undefined,
): ChartPlan {
  const [row = {}] = input.rows;
  const [moment] = time === undefined ? [] : planMoments(input, time, step).moments;
  const name = text === undefined ? '' : nameOf(row[text.name]);
  const isWhole = moment === undefined || moment.state === 'whole';
  const when = moment === undefined ? name : moment.label + (isWhole ? '' : `, ${moment.state}`);
  const figures = numbers.slice(0, FIGURES_MAX).map((column) => ({
    label: column.name,
    value: formatValue(row[column.name]),
    unit: column.unit ?? '',
  }));
  return { kind: 'figures', figures, when };
}

interface TimeColumns {
  numbers: readonly ChartColumn[];
  time: ChartColumn;
  texts: readonly ChartColumn[];
  step: Step | undefined;
}

function planTimes(input: ChartInput, { numbers, time, texts, step }: TimeColumns): ChartPlan {
  const { rows } = input;
  const { moments: timed, labels, withoutTime } = planMoments(input, time, step);
  const isRepeated = timed.some(({ rows: own }) => own.length > 1);
  // Instants of several things, though no two are at the same time.
  const things = step ? Infinity : new Set(rows.map((row) => row[texts[0]?.name ?? ''])).size;
  // As few names as distinguish the rows of each moment.
  const splitBy =
    isRepeated || things <= Math.min(CHOSEN_MAX, rows.length / 2)
      ? texts
          .map((_, last) => texts.slice(0, last + 1))
          .find((names) => isOnceEach(timed, rows, names))
      : undefined;
  if (isRepeated && splitBy === undefined)
    return asTable(`No chart: several rows have the same ${time.name}.`);
  if (timed.length === 0) return asTable(`No chart: no row has a ${time.name}.`);
  const ofMoments = timed.map((moment) => moment.rows);
  const { kept, isTruncated = false } = input;
  // Of the bucket of the last row, parts may be missing.
  const whole = ofMoments.filter((of) => !isTruncated || !of.includes(rows.length - 1));
  const totals = findTotals(whole, rows, splitBy ?? [], numbers);
  const last = splitBy?.at(-1)?.name;
  if (totals.size > 0 && last !== undefined) {
    for (const index of ofMoments.flat()) if (rows[index]?.[last] == null) totals.add(index);
  }
  const withRows = (isShown: (index: number) => boolean): Moment[] =>
    timed.map((moment) => ({ ...moment, rows: moment.rows.filter(isShown) }));
  const parts = totals.size === 0 ? timed : withRows((index) => !totals.has(index));
  const moments =
    kept === undefined ? parts : withRows((index) => !totals.has(index) && kept.rows.has(index));
  const isFew = parts.filter((moment) => moment.rows.length > 0).length <= BARS_UP_TO;
  const planned = planPanels(numbers, {
    ...{ rows, moments, parts, splitBy, asked: input.drawn },
    // What a filter leaves out is not zero, but for the names by which it chooses whole series.
    isMissingZero:
      input.bucket?.missing === 'zero' &&
      (kept === undefined || (splitBy ?? []).some(({ name }) => name === kept.column)),
    perStep: step === undefined ? '' : perStep(step),
    mark: isFew ? 'bars' : step === undefined ? 'points' : undefined,
  });
  const { notes, choice } = planned;
  // Of instants alone: lines and bars have a shape where points are ink.
  const isThinned = !isFew && step === undefined && moments.length > POINTS_MAX;
  const panels = isThinned ? planned.panels.map((one) => thinPanel(one, moments)) : planned.panels;
  const [ones, are] = withoutTime === 1 ? ['1 row', 'is'] : [`${withoutTime} rows`, 'are'];
  const count = moments.length.toLocaleString('en');
  const sentences: Note[] = [
    labels.note,
    ...moments.map(({ label, state }) => {
      const bucket = step === undefined ? label : bucketAt(label, step);
      if (state === 'so far') return `Dashed: ${bucket} is not complete yet.`;
      return state === 'incomplete' && `Dashed: the result has only a part of ${bucket}.`;
    }),
    withoutTime > 0 && `${ones} without a ${time.name} ${are} only in the table.`,
    isThinned &&
      `Of ${count} times, only the lowest and the highest values of equal spans are drawn.`,
    noteOfTotals(totals, rows, ofMoments.flat(), splitBy ?? [], 'series'),
    ...notes,
    ...noteOfRows(input, step !== undefined),
  ];
  return drawn({
    kind: 'drawn',
    axis: isFew ? 'slots' : 'time',
    time: {
      timeZone: labels.timeZone,
      year: labels.year,
      stepMs: step?.ms ?? (time.type === 'DATE' ? DAY_MS : 1),
    },
    ...{ moments, panels, choice },
    notes: sentences,
  });
}

function isOnceEach(
  moments: readonly Moment[],
  rows: readonly ChartRow[],
  names: readonly ChartColumn[],
): boolean {
  return moments.every(
    (moment) =>
      new Set(moment.rows.map((index) => seriesOf(rows[index], names))).size === moment.rows.length,
  );
}

function planNames(
  input: ChartInput,
  numbers: readonly ChartColumn[],
  texts: readonly ChartColumn[],
): ChartPlan {
  const { rows, kept } = input;
  const amounts = numbers.filter((column) => !isOrdinal(column));
  if (amounts.length === 0)
    return asTable('No chart: the numbers put rows in an order or name them, and are no amounts.');
  const [first] = texts;
  const namesBy = (columns: readonly ChartColumn[]): string[] =>
    rows.map((row) => seriesOf(row, columns));
  const isUnique = (names: readonly string[]): boolean => new Set(names).size === names.length;
  const columns = isUnique(namesBy(texts.slice(0, 1))) ? texts.slice(0, 1) : texts;
  const names = namesBy(columns);
  if (!isUnique(names)) return asTable(`No chart: several rows have the same ${first?.name}.`);
  const indices = [...rows.keys()];
  const totals = findTotals([indices], rows, columns, amounts);
  const parts = indices.filter((index) => !totals.has(index) && (kept?.rows.has(index) ?? true));
  const all = parts.map((index) => ({
    name: String(index),
    rows: new Map([[0, rows[index] ?? {}]]),
  }));
  const shown = chooseSeries(measuredOf(amounts, rows), all, [], NAMES_MAX);
  const picked = parts.filter((index) => shown.has(String(index)));
  const moments = picked.map((index): Moment => ({
    ...{ label: names[index] ?? '', startMs: 0, endMs: 0 },
    ...{ rows: [index], state: 'whole' },
  }));
  const { panels, notes } = planPanels(amounts, {
    ...{ rows, moments, parts: moments, splitBy: undefined, isMissingZero: false },
    ...{ perStep: '', mark: 'bars' },
  });
  const isCut = parts.length > picked.length;
  const which = picked.at(-1) === parts[NAMES_MAX - 1] ? 'The first ' : 'Those that differ most: ';
  const ordinals = numbers.filter((column) => !amounts.includes(column)).map(({ name }) => name);
  const sentences: Note[] = [
    noteOfTotals(totals, rows, indices, columns, 'rows'),
    isCut && `${which}${NAMES_MAX} of ${parts.length.toLocaleString('en')} rows.`,
    ordinals.length > 0 && `No amounts, so only in the table: ${ordinals.join(', ')}.`,
    ...notes,
    ...noteOfRows(input, false),
  ];
  return drawn({
    ...{ kind: 'drawn', axis: 'names', time: undefined, moments, panels, notes: sentences },
  });
}

/** Which rows there are, where the picture would not say it. The last bucket says itself that it is cut. */
function noteOfRows({ rows, kept, isTruncated }: ChartInput, isDashed: boolean): Note[] {
  const all = rows.length.toLocaleString('en');
  return [
    isTruncated && !isDashed && `Only the first ${all} rows of the query.`,
    kept && `Filtered: ${kept.rows.size.toLocaleString('en')} of ${all} rows.`,
  ];
}

/** Of what the totals are: how many names the other rows have. */
function noteOfTotals(
  totals: ReadonlySet<number>,
  rows: readonly ChartRow[],
  indices: readonly number[],
  columns: readonly ChartColumn[],
  ones: 'rows' | 'series',
): Note {
  if (totals.size === 0) return undefined;
  const namesOf = (isTotal: boolean): Set<string> =>
    new Set(
      indices
        .filter((index) => totals.has(index) === isTotal)
        .map((index) => seriesOf(rows[index], columns)),
    );
  const [subject, are] = namesOf(true).size === 1 ? ['The total', 'is'] : ['Totals', 'are'];
  return `${subject} of ${namesOf(false).size} ${ones} ${are} only in the table.`;
}
