// Writes a list, a record or JSON in short for a cell.
import { exactText } from '../../chart/plan/format-value.ts';

/** The items of a list or the fields of a record, of which those that have parts themselves are counted. */
export function shortText(value: unknown): string {
  if (!isContainer(value)) return exactText(value);
  if (!Array.isArray(value)) return fieldsText(value);
  const items = value.map((item: unknown) =>
    isContainer(item) && !Array.isArray(item) ? fieldsText(item) : countText(item),
  );
  return items.length === 0 ? 'empty' : items.join(', ');
}

export function isContainer(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null;
}

function fieldsText(record: Record<string, unknown>): string {
  return Object.entries(record)
    .map(([name, value]) => `${name}: ${countText(value)}`)
    .join(', ');
}

/** `3 values`, `2 fields`; other values as they are. */
function countText(value: unknown): string {
  if (!isContainer(value)) return exactText(value);
  const [count, word] = Array.isArray(value)
    ? [value.length, 'value']
    : [Object.keys(value).length, 'field'];
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}
