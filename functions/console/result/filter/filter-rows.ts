// Finds the rows that a filter keeps, by the texts in the table and by the values behind them.
import type { Row } from '../../service.ts';
import { scalarText } from '../nested/parts-of.ts';
import type { WrittenColumn } from '../table/write-column.ts';

export interface Filter {
  /** Its name; empty for all columns. */
  column: string;
  /** In a column of numbers also a comparison, such as `> 5`. */
  text: string;
  /** Whether only values count that are the text, and not those that contain it. */
  isWhole: boolean;
}

type Compare = (value: number) => boolean;

const COMPARISON = /^\s*(<=|>=|<|>|=)\s*(-?[\d.,]+(?:e[+-]?\d+)?)\s*$/i;
/** By column, the texts of each row in lower case, which a filter that is typed needs again and again. */
const textsOfColumns = new WeakMap<WrittenColumn, string[]>();

/** The indices of the rows, in their order. */
export function filterRows(
  columns: readonly WrittenColumn[],
  rows: readonly Row[],
  { column, text, isWhole }: Filter,
): number[] {
  const all = rows.map((_, index) => index);
  const searched = columns.filter((one) => column === '' || one.column.name === column);
  if (text.trim() === '' && !isWhole) return all;
  const [only] = searched;
  const compare = only?.isNumber && column !== '' ? comparisonOf(text) : undefined;
  if (only !== undefined && compare !== undefined)
    return all.filter((index) => {
      const value = rows[index]?.[only.column.name] ?? null;
      return value !== null && compare(Number(value));
    });
  if (isWhole)
    return all.filter((index) => searched.some((one) => textsAt(one, rows, index).includes(text)));
  const wanted = text.trim().toLowerCase();
  const texts = searched.map((one) => lowerTexts(one, rows));
  return all.filter((index) => texts.some((ofColumn) => ofColumn[index]?.includes(wanted)));
}

function comparisonOf(text: string): Compare | undefined {
  const [, sign, digits = ''] = COMPARISON.exec(text) ?? [];
  const bound = Number(digits.replaceAll(',', ''));
  if (sign === undefined || Number.isNaN(bound)) return undefined;
  return {
    '<': (value: number) => value < bound,
    '>': (value: number) => value > bound,
    '<=': (value: number) => value <= bound,
    '>=': (value: number) => value >= bound,
    '=': (value: number) => value === bound,
  }[sign];
}

/** As in the table, and as in the answer. */
function textsAt({ column, textOf }: WrittenColumn, rows: readonly Row[], index: number): string[] {
  const value = rows[index]?.[column.name] ?? null;
  return value === null ? ['null'] : [textOf(value, index), scalarText(value)];
}

function lowerTexts(column: WrittenColumn, rows: readonly Row[]): string[] {
  const known = textsOfColumns.get(column);
  if (known !== undefined) return known;
  const texts = rows.map((_, index) => textsAt(column, rows, index).join('\n').toLowerCase());
  textsOfColumns.set(column, texts);
  return texts;
}
