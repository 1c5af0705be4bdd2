// Places the marks of a chart whose moments run from left to right.
import type { Drawn, Moment, Panel, Series } from '../plan/chart-plan.ts';
import {
  type Bar,
  type Drawing,
  type LayOutOptions,
  type Mark,
  type Measure,
  fitText,
  inkOf,
  rule,
  text,
} from './drawing.ts';
import { placeLabels } from './place-labels.ts';
import { type TimeTick, timeTicks } from './time-ticks.ts';
import { type ValueTicks, valueTicks } from './value-ticks.ts';

const NARROW = 520;
/** With room for the words at the axis. */
const TOP = 16;
const [AXIS_HEIGHT, LINE_HEIGHT] = [22, 14];
const TICK_SPACE = 20;
/** Narrower bars are a solid block: a line shows the same. */
const BAR_MIN = 3;
const BAR_MAX = 48;
const NAME_MAX = 140;
/** Of a name beside its series: the swatch and the spaces. */
const NAME_PADDING = 40;
/** A name on the page is larger than a text of the canvas. */
const NAME_SCALE = 1.1;
const GAP_LABEL = 'no rows';
const NOT_FROM_ZERO = 'not from 0';

interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function layOutTimes(
  plan: Drawn,
  { width, hidden, isNamed, measure }: LayOutOptions,
): Drawing {
  const { moments, panels } = plan;
  const isNarrow = width < NARROW;
  const visible = panels.map(({ series }) => series.filter(({ name }) => !hidden.has(name)));
  const heights = panels.map(({ mark }) => plotHeight(mark, panels.length, isNarrow));
  const ticks = panels.map((panel, index) =>
    ticksOf(visible[index] ?? [], heights[index] ?? 0, panel),
  );
  const ofTicks = ticks.flatMap(({ ticks: all }) => all.map(({ label }) => measure(label)));
  const left = Math.ceil(Math.max(...ofTicks)) + 10;
  const hasNames =
    isNamed &&
    !isNarrow &&
    plan.axis === 'time' &&
    panels.every(
      ({ mark, series }, index) =>
        mark !== 'points' &&
        placeLabels(
          series.map(() => 0),
          0,
          (heights[index] ?? 0) - LINE_HEIGHT,
        ),
    );
  const right = width - (hasNames ? namesWidth(panels, measure) : gutter(plan, width, measure));
  const x = scaleOf(plan, left, right);
  const xTicks = ticksOfTime(plan, x, { left, right, width }, measure);

  const hasTwoLines = xTicks.some(({ below }) => below !== '');
  const axisHeight = AXIS_HEIGHT + (hasTwoLines ? LINE_HEIGHT : 0);

  const drawn = panels.map((panel, index) => {
    const frame = { left, right, top: TOP, bottom: TOP + (heights[index] ?? 0) };
    const scale = ticks[index] ?? valueTicks([], 1, false);
    const y = (value: number): number =>
      frame.bottom -
      // Halves, because the whole range of FLOAT64 would be Infinity.
      ((value / 2 - scale.min / 2) / (scale.max / 2 - scale.min / 2)) * (frame.bottom - frame.top);
    const series = visible[index] ?? [];
    const shape = shapeOf(panel, plan, x);
    const marks: Mark[] = [
      ...gapMarks(moments, x, frame, measure),
      ...valueAxis(scale, frame, y),
      ...(shape === 'bars' && right < width - 20 ? stateMark(moments.at(-1), frame) : []),
      ...xTicks.flatMap(({ at, label, below }): Mark[] => [
        text(at, frame.bottom + 13, label, { align: 'center' }),
        ...(below === '' ? [] : [text(at, frame.bottom + 27, below, { align: 'center' })]),
      ]),
      ...(shape === 'bars'
        ? barMarks(series, moments, plan.axis === 'slots', x, y)
        : series.flatMap((one) => lineMarks(one, moments, x, y, shape === 'points'))),
    ];
    const names = hasNames ? namePlaces(panel.series, shape, frame, y) : undefined;
    return {
      ...{ height: frame.bottom + axisHeight, marks, frame, y, shape },
      ...(names === undefined ? {} : { names }),
    };
  });

  return {
    width,
    panels: drawn,
    namesX: hasNames ? right + 8 : undefined,
    momentAt(atX) {
      let [nearest, last] = [0, moments.length - 1];
      while (nearest < last) {
        const middle = Math.floor((nearest + last) / 2);
        if (x.to(middle) < atX) nearest = middle + 1;
        else last = middle;
      }
      const isBefore = distance(x, nearest - 1, atX) <= distance(x, nearest, atX);
      return nearest > 0 && isBefore ? nearest - 1 : nearest;
    },
    cursor(panel, moment) {
      const { frame, y, shape } = drawn[panel] ?? {};
      if (frame === undefined || y === undefined) return [];
      const at = x.middle(moment);
      const line = rule([at, frame.top], [at, frame.bottom], 'edge');
      if (shape === 'bars') return [line];
      const dots = (visible[panel] ?? []).flatMap((one): Mark[] => {
        const value = one.values[moment];
        return value == null ? [] : [{ kind: 'dot', x: at, y: y(value), ink: inkOf(one) }];
      });
      return [line, ...dots];
    },
  };
}

function plotHeight(mark: Panel['mark'], panelCount: number, isNarrow: boolean): number {
  if (panelCount === 1) return isNarrow ? 200 : 250;
  if (mark === 'bars') return isNarrow ? 70 : 84;
  if (panelCount > 2) return isNarrow ? 110 : 120;
  return isNarrow ? 120 : 144;
}

function ticksOf(
  series: readonly Series[],
  height: number,
  { isWhole, hasZero }: Panel,
): ValueTicks {
  const values = series.flatMap((one) => one.values.filter((value) => value !== null));
  return valueTicks(values, Math.max(2, Math.floor(height / 38)), isWhole, hasZero);
}

interface Scale {
  from: (moment: number) => number;
  to: (moment: number) => number;
  /** Where the value of a moment is drawn. */
  middle: (moment: number) => number;
  /** Middles of the first and the last bucket of a moment. */
  ends: (moment: number) => readonly [number, number];
  /** The middle of the bucket that starts at this instant. */
  at: (ms: number) => number;
}

function scaleOf({ axis, moments, time }: Drawn, left: number, right: number): Scale {
  if (axis === 'slots') {
    const room = (right - left) / moments.length;
    const middle = (index: number): number => left + room * (index + 0.5);
    return {
      from: (index) => left + room * index,
      to: (index) => left + room * (index + 1),
      middle,
      ends: (index) => [middle(index), middle(index)],
      at: (ms) => middle(moments.findIndex(({ startMs }) => startMs === ms)),
    };
  }
  const [first, last] = [moments[0]?.startMs ?? 0, moments.at(-1)?.endMs ?? 1];
  // Instants have no width: the outermost stay off the edges.
  const isInstants = moments.every(({ startMs, endMs }) => startMs === endMs);
  const padding = isInstants ? (last - first) * 0.02 : 0;
  const stepMs = isInstants ? 0 : (time?.stepMs ?? 0);
  const perMs = (right - left) / (last - first + 2 * padding);
  const place = (ms: number): number => left + (ms - first + padding) * perMs;
  const start = (index: number): number => moments[index]?.startMs ?? 0;
  const end = (index: number): number => moments[index]?.endMs ?? 0;
  const middle = (index: number): number => place((start(index) + end(index)) / 2);
  return {
    from: (index) => place(start(index)),
    to: (index) => place(end(index)),
    middle,
    ends: (index) => {
      if (moments[index]?.state !== 'zero') return [middle(index), middle(index)];
      const half = Math.min(stepMs, end(index) - start(index)) / 2;
      return [place(start(index) + half), place(end(index) - half)];
    },
    at: (ms) => place(ms + stepMs / 2),
  };
}

function distance(x: Scale, index: number, at: number): number {
  const [from, to] = [x.from(index), x.to(index)];
  return at < from ? from - at : Math.max(0, at - to);
}

function shapeOf(panel: Panel, { axis, moments }: Drawn, x: Scale): Panel['mark'] {
  if (panel.mark !== 'bars' || axis === 'slots') return panel.mark;
  const withRows = moments.findIndex(({ rows }) => rows.length > 0);
  return x.to(withRows) - x.from(withRows) < BAR_MIN ? 'lines' : 'bars';
}

/** Room for the names of series and their values. */
function namesWidth(panels: readonly Panel[], measure: Measure): number {
  const widths = panels.flatMap(({ series }) =>
    series.map(({ label, texts }) => {
      const longest = texts.reduce((a, b) => (a.length < b.length ? b : a), '');
      return (Math.min(measure(label), NAME_MAX) + measure(longest)) * NAME_SCALE;
    }),
  );
  return Math.ceil(Math.max(...widths)) + NAME_PADDING;
}

/** Room for the state of a bucket that is not whole. */
function gutter({ panels, axis, moments }: Drawn, width: number, measure: Measure): number {
  const last = moments.at(-1);
  const hasBars = axis === 'time' && panels.some(({ mark }) => mark === 'bars');
  if (width < NARROW || !hasBars || last === undefined || !isPart(last)) return 16;
  return Math.ceil(measure(last.state)) + 22;
}

type PlacedTick = TimeTick & { at: number };

function ticksOfTime(
  { axis, moments, time }: Drawn,
  x: Scale,
  { left, right, width }: { left: number; right: number; width: number },
  measure: Measure,
): PlacedTick[] {
  if (time === undefined) return [];
  const room = axis === 'slots' ? (right - left) / moments.length - 8 : Infinity;
  /** The ticks that do not touch an earlier one, moved inside the canvas. */
  const place = (ticks: readonly TimeTick[], space: number): PlacedTick[] => {
    let endOfLast = -Infinity;
    return ticks.flatMap((tick) => {
      const label = fitText(tick.label, room, measure);
      const half = Math.max(measure(label), measure(tick.below)) / 2;
      const at = Math.min(Math.max(x.at(tick.ms), half), width - half);
      if (at - half < endOfLast + space) return [];
      endOfLast = at + half;
      return [{ ...tick, label, at }];
    });
  };
  if (axis === 'slots') {
    const withRows = moments.filter(({ rows }) => rows.length > 0);
    return place(
      withRows.map(({ startMs: ms, label }) => ({ ms, label, below: '' })),
      0,
    );
  }
  const edges = { fromMs: moments[0]?.startMs ?? 0, toMs: moments.at(-1)?.endMs ?? 0 };
  const isInstants = moments.every(({ startMs, endMs }) => startMs === endMs);
  const startsMs = isInstants
    ? undefined
    : moments.flatMap(({ startMs, starts }) => starts ?? startMs);
  const fit = (ticks: readonly TimeTick[]): boolean =>
    place(ticks, TICK_SPACE).length === ticks.length;
  return place(timeTicks({ ...time, ...edges, startsMs }, fit), 4);
}

/** The widest gap has a label. */
function gapMarks(moments: readonly Moment[], x: Scale, frame: Frame, measure: Measure): Mark[] {
  const areas = moments.flatMap(({ state }, index) => {
    if (state !== 'missing') return [];
    const [from, to] = [x.from(index), x.to(index)];
    const height = frame.bottom - frame.top;
    return [{ x: from, y: frame.top, width: Math.max(to - from, 2), height }];
  });
  const marks = areas.map((area): Mark => ({ kind: 'area', ...area, ink: 'sunken' }));
  const [widest] = areas.toSorted((a, b) => b.width - a.width);
  if (widest === undefined || widest.width < measure(GAP_LABEL) + 8) return marks;
  const middle = widest.x + widest.width / 2;
  return [...marks, text(middle, frame.top + 10, GAP_LABEL, { align: 'center' })];
}

function valueAxis(scale: ValueTicks, frame: Frame, y: (value: number) => number): Mark[] {
  const isFromZero = scale.min <= 0 && scale.max >= 0;
  const note = isFromZero ? [] : [text(0, LINE_HEIGHT / 2, NOT_FROM_ZERO)];
  const ticks = scale.ticks.flatMap(({ value, label }) => [
    rule([frame.left, y(value)], [frame.right, y(value)], value === 0 ? 'edge' : 'line'),
    text(frame.left - 8, y(value), label, { align: 'right' }),
  ]);
  return [...note, ...ticks];
}

function isPart({ state }: Moment): boolean {
  return state === 'so far' || state === 'incomplete';
}

function barMarks(
  series: readonly Series[],
  moments: readonly Moment[],
  isGrouped: boolean,
  x: Scale,
  y: (value: number) => number,
): Mark[] {
  return moments.flatMap((moment, index) => {
    const room = Math.min((x.to(index) - x.from(index)) * 0.74, isGrouped ? 200 : BAR_MAX);
    const width = isGrouped ? Math.min(room / series.length, BAR_MAX) : room;
    const left = x.middle(index) - (isGrouped ? width * series.length : width) / 2;
    const bars = series.flatMap((one, position): Bar[] => {
      const value = one.values[index];
      if (value == null || value === 0) return [];
      const [zero, end] = [y(0), y(value)];
      // One error among a million is still seen.
      const height = Math.max(Math.abs(zero - end), 1);
      return [
        {
          kind: 'bar',
          x: left + (isGrouped ? position * width : 0),
          y: value > 0 ? zero - height : zero,
          width: isGrouped && series.length > 1 ? width - 2 : width,
          height,
          ink: inkOf(one),
          isDashed: isPart(moment),
        },
      ];
    });
    if (isGrouped) return bars;
    // The smaller bar is drawn in front of the larger, and narrower: stacked, it would count twice.
    return bars
      .sort((a, b) => b.height - a.height)
      .map((bar, behind) =>
        behind === 0 ? bar : { ...bar, x: bar.x + bar.width / 4, width: bar.width / 2 },
      );
  });
}

function lineMarks(
  series: Series,
  moments: readonly Moment[],
  x: Scale,
  y: (value: number) => number,
  isPoints: boolean,
): Mark[] {
  const ink = inkOf(series);
  const marks: Mark[] = [];
  let path: [number, number][] = [];
  let wasPart = false;
  const end = (): void => {
    const [only] = path;
    if (path.length > 1) marks.push({ kind: 'path', points: path, ink, isDashed: wasPart });
    else if (only) marks.push({ kind: 'dot', x: only[0], y: only[1], ink });
    path = [];
  };
  let isAfterGap = true;
  moments.forEach((moment, index) => {
    const value = series.values[index];
    if (value == null) {
      end();
      isAfterGap = true;
      return;
    }
    const [first, last] = x.ends(index);
    const at = y(value);
    if (isPoints) {
      marks.push({ kind: 'dot', x: first, y: at, ink });
      return;
    }
    const before = path.at(-1);
    // The way to and from a bucket that is not whole is dashed.
    const isDashed = isPart(moment) || (index > 0 && isPart(moments[index - 1] ?? moment));
    if (!isAfterGap && before !== undefined && isDashed !== wasPart) {
      if (path.length > 1) marks.push({ kind: 'path', points: path, ink, isDashed: wasPart });
      path = [before];
    }
    wasPart = isAfterGap ? isPart(moment) : isDashed;
    path.push([first, at]);
    if (last !== first) path.push([last, at]);
    isAfterGap = false;
  });
  end();
  return marks;
}

/** Beside bars, whose last one is not whole. */
function stateMark(last: Moment | undefined, frame: Frame): Mark[] {
  if (last === undefined || !isPart(last)) return [];
  return [text(frame.right + 8, frame.bottom - 8, last.state)];
}

/** Where lines end; at the top for bars. */
function namePlaces(
  series: readonly Series[],
  shape: Panel['mark'],
  { top, bottom }: Frame,
  y: (value: number) => number,
): number[] | undefined {
  const wanted = series.map(({ values }, index) => {
    const value = values.findLast((each) => each !== null);
    if (shape === 'bars') return top + index;
    // What is hidden has no part in the range.
    return value == null ? bottom : Math.min(Math.max(y(value), top), bottom);
  });
  return placeLabels(wanted, top + 6, shape === 'bars' ? bottom - LINE_HEIGHT : bottom);
}
