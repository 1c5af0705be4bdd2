// Writes the values of a column for the table.
import type { ChartInput } from '../../chart/plan/chart-plan.ts';
import { isNumeric } from '../../chart/plan/format-value.ts';
import { type Moments, planMoments } from '../../chart/plan/plan-moments.ts';
import { isMeasure } from '../../chart/plan/plan-panels.ts';
import { parseStep } from '../../chart/plan/step.ts';
import { writeNumbers } from '../../chart/plan/write-numbers.ts';
import { isInstant, onWall, parseInstant } from '../../chart/plan/zoned-time.ts';
import { placeOf } from '../../form/wall-clock.ts';
import type { Endpoint } from '../../service.ts';
import { partsOf, scalarText } from '../nested/parts-of.ts';

type Column = Endpoint['row'][number];

export interface WrittenColumn {
  column: Column;
  /** The text of a value; `index` is that of its row. */
  textOf: (value: unknown, index: number) => string;
  /** Texts of which one is the widest of the column, or almost. */
  widest: () => readonly string[];
  /** The items of a list, or the fields of a record or of JSON, each of which is a chip. */
  partsOf?: (value: unknown) => string[];
  /** Shown after the name: the zone of its times, or its unit. */
  unit: string | undefined;
  isNumber: boolean;
  /** Whether a text may be cut. A part of a number would be another number. */
  isCuttable: boolean;
}

/** The number of rows in which lists and records are measured. */
const NESTED_MEASURED = 100;
/** About as wide as what a chip has around its text. */
const CHIP = '     ';

export function writeColumn(
  column: Column,
  input: ChartInput,
  all: readonly Column[],
): WrittenColumn {
  const { name, type, mode, unit } = column;
  const values = input.rows.map((row) => row[name]);
  if (isInstant(type) && mode !== 'REPEATED')
    return {
      ...{ column, ...writeTimes(column, values, input, all) },
      ...{ isNumber: false, isCuttable: false },
    };
  const isNumber = isNumeric(column);
  const shared = { column, unit: isMeasure(unit) ? unit : undefined, isNumber };
  if (isNumber) return { ...shared, ...writeNumbers(type, values), isCuttable: false };
  if (mode === 'REPEATED' || type === 'RECORD' || type === 'JSON') {
    const measured = values.slice(0, NESTED_MEASURED);
    return {
      ...{ ...shared, partsOf, isCuttable: true },
      textOf: (value) => partsOf(value).join(', '),
      widest: () =>
        measured.map((value) =>
          partsOf(value)
            .map((part) => part + CHIP)
            .join(''),
        ),
    };
  }
  return { ...shared, textOf: exactText, widest: () => values.map(exactText), isCuttable: true };
}

/** As the answer has it; lists, records and JSON as JSON. */
export const exactText = scalarText;

function writeTimes(
  { name, type }: Column,
  values: readonly unknown[],
  input: ChartInput,
  all: readonly Column[],
): Pick<WrittenColumn, 'textOf' | 'widest' | 'unit'> {
  if (input.bucket?.column === name && all.some((each) => each.name === name)) {
    const { moments, labels } = planMoments(input, { name, type }, parseStep(input.bucket.step));
    const texts = labelsByRow(moments);
    return {
      textOf: (value, index) => texts.get(index) ?? exactText(value),
      widest: () => [...texts.values()],
      unit: type === 'TIMESTAMP' ? placeOf(labels.timeZone) : undefined,
    };
  }
  // A DATE and a DATETIME have no zone.
  if (type !== 'TIMESTAMP') {
    const textOf = (value: unknown): string => exactText(value).replace('T', ' ');
    return { textOf, widest: () => values.map(textOf), unit: undefined };
  }
  const textOf = (value: unknown): string => {
    const ms = parseInstant(type, value);
    if (Number.isNaN(ms)) return exactText(value);
    return onWall(ms, input.timeZone).toISOString().slice(0, 19).replace('T', ' ');
  };
  return {
    textOf,
    // All have the same length.
    widest: () => values.slice(0, 1).map(textOf),
    unit: placeOf(input.timeZone),
  };
}

function labelsByRow(moments: Moments['moments']): Map<number, string> {
  return new Map(
    moments.flatMap(({ label, state, rows }) =>
      rows.map((row) => [row, state === 'whole' ? label : `${label} · ${state}`] as const),
    ),
  );
}
