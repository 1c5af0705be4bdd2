// Chooses which parts of a list or a record fit into a cell.
import { type Advance, cutText, widthOf } from './cut-text.ts';

/** Padding, border and gap of a chip, as in table.css. */
const CHIP_PX = 18;
/** Room for the number of the others. */
const MORE_PX = 36;

/** At least the start of the first one. */
export function fitChips(
  parts: readonly string[],
  width: number,
  advanceOf: Advance,
): { chips: string[]; others: number } {
  let used = 0;
  const count = parts.findIndex((part, index) => {
    used += CHIP_PX + widthOf(part, advanceOf, width);
    return used > width - (index + 1 < parts.length ? MORE_PX : 0);
  });
  if (count === -1) return { chips: [...parts], others: 0 };
  if (count > 0) return { chips: parts.slice(0, count), others: parts.length - count };
  const others = parts.length - 1;
  const room = width - CHIP_PX - (others > 0 ? MORE_PX : 0);
  return { chips: [cutText(parts[0] ?? '', Math.max(room, 0), advanceOf)], others };
}
