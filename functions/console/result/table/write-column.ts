// Writes the values of a column for the table, and says how wide the columns are, because only some rows are made.
import type { ChartInput } from '../../chart/plan/chart-plan.ts';
import { exactText, isNumeric } from '../../chart/plan/format-value.ts';
import { planMoments } from '../../chart/plan/plan-moments.ts';
import { isMeasure } from '../../chart/plan/plan-panels.ts';
import { parseStep } from '../../chart/plan/step.ts';
import { writeNumbers } from '../../chart/plan/write-numbers.ts';
import { isInstant, onWall, parseInstant } from '../../chart/plan/zoned-time.ts';
import { placeOf } from '../../form/wall-clock.ts';
import type { Column } from '../../service.ts';

export interface WrittenColumn {
  column: Column;
  /** The text of a value that is not null; `index` is that of its row. */
  textOf: (value: unknown, index: number) => string;
  /** About the longest texts of the column. */
  longest: readonly string[];
  /** Shown after the name: the zone of its times, or its unit. */
  unit: string | undefined;
  isNumber: boolean;
}

/** The number of rows in which lists, records and instants are measured. */
const MEASURED = 100;
/** In characters. */
const [HEADING_MAX, TEXT_MIN, TEXT_MAX] = [28, 16, 30];
/** Of a cell, with room for the arrow of the header. */
const PADDING_PX = 34;

export function writeColumn(
  column: Column,
  input: ChartInput,
  all: readonly Column[],
): WrittenColumn {
  const { name, type, mode, unit } = column;
  const values = input.rows.map((row) => row[name]);
  const shared = { column, unit: isMeasure(unit) ? unit : undefined, isNumber: isNumeric(column) };
  if (isTime(column)) return { ...shared, ...writeTimes(column, input, all) };
  if (shared.isNumber) return { ...shared, ...writeNumbers(type, values) };
  const measured = type === 'STRING' && mode !== 'REPEATED' ? values : values.slice(0, MEASURED);
  return { ...shared, textOf: exactText, longest: measured.map(exactText) };
}

/** As CSS. Columns of longer texts have no width: they share what is left. */
export function columnWidths(columns: readonly WrittenColumn[]) {
  const widths = columns.map(({ column, unit = '', longest, isNumber }) => {
    const heading = Math.min(`${column.name} ${unit}`.trim().length, HEADING_MAX);
    const text = longest.reduce((most, { length }) => Math.max(most, length), 'null'.length);
    // A part of a number would be another number.
    const isCut = !isNumber && !isTime(column) && text > TEXT_MAX;
    return { characters: Math.max(heading, isCut ? TEXT_MIN : text), isCut };
  });
  const cssOf = (characters: number, count: number): string =>
    `calc(${characters}ch + ${count * PADDING_PX}px)`;
  const all = widths.reduce((sum, { characters }) => sum + characters, 0);
  return {
    minWidth: cssOf(all, columns.length),
    widths: widths.map(({ characters, isCut }) => (isCut ? 'auto' : cssOf(characters, 1))),
  };
}

function isTime({ type, mode }: Column): boolean {
  return isInstant(type) && mode !== 'REPEATED';
}

function writeTimes(
  { name, type }: Column,
  input: ChartInput,
  all: readonly Column[],
): Pick<WrittenColumn, 'textOf' | 'longest' | 'unit'> {
  const unitOf = (zone: string) => (type === 'TIMESTAMP' ? placeOf(zone) : undefined);
  if (input.bucket?.column === name && all.some((each) => each.name === name)) {
    const { moments, labels } = planMoments(input, { name, type }, parseStep(input.bucket.step));
    const texts = new Map(
      moments.flatMap(({ label, state, rows }) =>
        rows.map((row) => [row, state === 'whole' ? label : `${label} · ${state}`] as const),
      ),
    );
    return {
      textOf: (value, index) => texts.get(index) ?? exactText(value),
      longest: [...texts.values()],
      unit: unitOf(labels.timeZone),
    };
  }
  const textOf = (value: unknown): string => {
    const ms = type === 'TIMESTAMP' ? parseInstant(type, value) : NaN;
    // A DATE and a DATETIME have no zone.
    if (Number.isNaN(ms)) return exactText(value).replace(/(?<=^\d{4}-\d\d-\d\d)T/, ' ');
    return onWall(ms, input.timeZone).toISOString().slice(0, 19).replace('T', ' ');
  };
  const longest = input.rows.slice(0, MEASURED).map((row) => textOf(row[name]));
  return { textOf, longest, unit: unitOf(input.timeZone) };
}
