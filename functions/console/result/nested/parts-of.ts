// Writes a list, a record or JSON as a few short texts, for a cell.

/** Of the items of a list, or of the fields of a record. */
export function partsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.length === 0 ? ['empty'] : value.map(itemText);
  return isRecord(value) ? fieldTexts(value) : [scalarText(value)];
}

export function isContainer(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null;
}

/** A text as it is, anything else as JSON. */
export function scalarText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** `3 values`, `2 fields`. */
export function countText(value: Record<string, unknown> | unknown[]): string {
  const [count, word] = Array.isArray(value)
    ? [value.length, 'value']
    : [Object.keys(value).length, 'field'];
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

function itemText(item: unknown): string {
  return isRecord(item) ? fieldTexts(item).join(', ') : shortText(item);
}

function fieldTexts(record: Record<string, unknown>): string[] {
  return Object.entries(record).map(([name, value]) => `${name}: ${shortText(value)}`);
}

function shortText(value: unknown): string {
  return isContainer(value) ? countText(value) : scalarText(value);
}
