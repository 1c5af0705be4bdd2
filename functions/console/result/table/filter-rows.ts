// Finds the rows that a filter keeps, by the texts in the table and by the values behind them.
import { exactText } from '../../chart/plan/format-value.ts';
import type { Row } from '../../service.ts';
import { compareNumbers } from './sort-rows.ts';
import type { WrittenColumn } from './write-column.ts';

export interface Filter {
  /** Its name; empty for all columns. */
  column: string;
  /** With numbers also a comparison, such as `> 5`; of all columns, one has to fit. */
  text: string;
}

/** A sign, and a number or nothing. */
const COMPARISON =
  /^\s*([<>]=?|!?=)\s*([+-]?(?=\.?\d)(?:\d{1,3}(?:,\d{3})+|\d*)(?:\.\d*)?(?:e[+-]?\d+)?\s*$|)/i;
/** By column, the texts of each row in lower case, which a filter that is typed needs again and again. */
const textsOfColumns = new WeakMap<WrittenColumn, string[]>();

/** The indices of the rows, in their order. */
export function filterRows(
  columns: readonly WrittenColumn[],
  rows: readonly Row[],
  { column, text }: Filter,
): number[] {
  const all = rows.map((_, index) => index);
  const searched = columns.filter((one) => column === '' || one.column.name === column);
  const numbers = searched.filter(({ isNumber }) => isNumber);
  const [, sign = '', number = ''] = COMPARISON.exec(text) ?? [];
  if (number !== '' && numbers.length > 0) {
    const bound = number.replaceAll(/[,+\s]|\.(?!\d)/g, '').replace(/(?<!\d)\./, '0.');
    return all.filter((index) =>
      numbers.some(({ column: { name, type } }) => {
        const value = rows[index]?.[name] ?? null;
        return value !== null && fits(sign, Number(value), compareNumbers(value, bound, type));
      }),
    );
  }
  const wanted = text.trim().toLowerCase();
  const texts = searched.map((one) => lowerTexts(one, rows));
  return all.filter((index) => texts.some((ofColumn) => ofColumn[index]?.includes(wanted)));
}

/** `difference` is that from the bound; NaN differs from each number, and has no order. */
function fits(sign: string, value: number, difference: number): boolean {
  if (Number.isNaN(value)) return sign === '!=';
  if (difference === 0) return sign !== '!=' && sign.endsWith('=');
  return (difference < 0 ? /[<!]/ : /[>!]/).test(sign);
}

/** As in the table, and as in the answer, which has no text for null. */
function lowerTexts(written: WrittenColumn, rows: readonly Row[]): string[] {
  const known = textsOfColumns.get(written);
  if (known !== undefined) return known;
  const texts = rows.map((row, index) => {
    const value = row[written.column.name] ?? null;
    if (value === null) return 'null';
    return `${written.textOf(value, index)}\n${exactText(value)}`.toLowerCase();
  });
  textsOfColumns.set(written, texts);
  return texts;
}
