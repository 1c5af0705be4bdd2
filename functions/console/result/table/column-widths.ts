// How wide the columns of the table are: the same for all rows, of which only some are made.
import type { WrittenColumn } from './write-column.ts';

/** In characters. */
const [HEADING_MAX, TEXT_MIN, TEXT_MAX] = [28, 16, 30];
/** Of a cell, with room for the arrow of the header. */
const PADDING_PX = 34;

/** As CSS. Columns of longer texts have no width: they share what is left. */
export function columnWidths(columns: readonly WrittenColumn[]) {
  const widths = columns.map(({ column, unit = '', longest, isCuttable }) => {
    const heading = Math.min(`${column.name} ${unit}`.trim().length, HEADING_MAX);
    const text = longest.reduce((most, { length }) => Math.max(most, length), 'null'.length);
    const isCut = isCuttable && text > TEXT_MAX;
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
