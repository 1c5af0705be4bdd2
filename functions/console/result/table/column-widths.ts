// How wide the columns of the table are: the same for all rows, of which only some are made.
import type { WrittenColumn } from './write-column.ts';

/** In characters. */
const HEADING_MAX = 28;
const TEXT_MIN = 16;
const TEXT_MAX = 60;
/** Of a cell, with room for the arrow of the header. */
const PADDING_PX = 34;

/** The style of the table. Texts that may be cut share what is left of the width. */
export function columnWidths(columns: readonly WrittenColumn[]): Record<string, string> {
  const widths = columns.map(widthOf);
  const all = widths.reduce((sum, { least }) => sum + least, 0);
  return {
    '--columns': widths
      .map(({ least, most }) => `minmax(calc(${least}ch + ${PADDING_PX}px), ${most}fr)`)
      .join(' '),
    minWidth: `calc(${all}ch + ${columns.length * PADDING_PX}px)`,
  };
}

/** In characters. */
function widthOf({ column, unit = '', longest, isCuttable }: WrittenColumn) {
  const heading = Math.min(`${column.name} ${unit}`.trim().length, HEADING_MAX);
  let text = 'null'.length;
  for (const one of longest) {
    text = Math.max(text, one.length);
    if (isCuttable && text >= TEXT_MAX) break;
  }
  const most = isCuttable ? Math.min(text, TEXT_MAX) : text;
  const least = Math.max(heading, isCuttable ? Math.min(text, TEXT_MIN) : text);
  return { least, most: Math.max(least, most) };
}
