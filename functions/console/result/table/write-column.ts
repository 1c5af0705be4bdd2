// Writes the values of a column for the table.
import type { ChartInput } from '../../chart/plan/chart-plan.ts';
import { exactText, isNumeric } from '../../chart/plan/format-value.ts';
import { planMoments } from '../../chart/plan/plan-moments.ts';
import { isMeasure } from '../../chart/plan/plan-panels.ts';
import { parseStep } from '../../chart/plan/step.ts';
import { writeNumbers } from '../../chart/plan/write-numbers.ts';
import { isInstant, onWall, parseInstant } from '../../chart/plan/zoned-time.ts';
import { placeOf } from '../../form/wall-clock.ts';
import type { Column } from '../../service.ts';
import { shortText } from './short-text.ts';

export interface WrittenColumn {
  column: Column;
  /** The text of a value that is not null; `index` is that of its row. */
  textOf: (value: unknown, index: number) => string;
  /** About the longest texts of the column. */
  longest: readonly string[];
  /** Shown after the name: the zone of its times, or its unit. */
  unit: string | undefined;
  isNumber: boolean;
  /** Whether a text may be cut. A part of a number would be another number. */
  isCuttable: boolean;
}

/** The number of rows in which lists, records and instants are measured. */
const MEASURED = 100;

export function writeColumn(
  column: Column,
  input: ChartInput,
  all: readonly Column[],
): WrittenColumn {
  const { name, type, mode, unit } = column;
  if (isInstant(type) && mode !== 'REPEATED')
    return { column, ...writeTimes(column, input, all), isNumber: false, isCuttable: false };
  const values = input.rows.map((row) => row[name]);
  const isNumber = isNumeric(column);
  const shared = { column, unit: isMeasure(unit) ? unit : undefined, isNumber };
  if (isNumber) {
    const { textOf, widest } = writeNumbers(type, values);
    return { ...shared, textOf, longest: widest(), isCuttable: false };
  }
  const isNested = mode === 'REPEATED' || type === 'RECORD' || type === 'JSON';
  const measured = isNested ? values.slice(0, MEASURED) : values;
  return { ...shared, textOf: shortText, longest: measured.map(shortText), isCuttable: true };
}

function writeTimes(
  { name, type }: Column,
  input: ChartInput,
  all: readonly Column[],
): Pick<WrittenColumn, 'textOf' | 'longest' | 'unit'> {
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
      unit: type === 'TIMESTAMP' ? placeOf(labels.timeZone) : undefined,
    };
  }
  const textOf = (value: unknown): string => {
    const ms = type === 'TIMESTAMP' ? parseInstant(type, value) : NaN;
    // A DATE and a DATETIME have no zone.
    if (Number.isNaN(ms)) return exactText(value).replace(/(?<=^\d{4}-\d\d-\d\d)T/, ' ');
    return onWall(ms, input.timeZone).toISOString().slice(0, 19).replace('T', ' ');
  };
  const unit = type === 'TIMESTAMP' ? placeOf(input.timeZone) : undefined;
  return { textOf, longest: input.rows.slice(0, MEASURED).map((row) => textOf(row[name])), unit };
}
