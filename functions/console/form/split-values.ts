// Splits text into the values of a list, and writes them as such a text.

/** The values of a text: a STRING on each line, since it may contain any other separator. */
export function splitValues(text: string, scalar: string): string[] {
  const json = text.startsWith('[') ? parseTexts(text) : undefined;
  return json ?? trimmed(text.split(scalar === 'STRING' ? /[\r\n]+/ : /[,;\t\r\n]+/));
}

/** A value on each line; as JSON where lines would be other values, such as an empty one or one with a line break. */
export function joinValues(values: readonly string[], scalar: string): string {
  const given = values.length === 1 && values[0] === '' ? [] : values;
  const lines = given.join('\n');
  return isSame(splitValues(lines, scalar), given) ? lines : JSON.stringify(given);
}

export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function parseTexts(text: string): string[] | undefined {
  try {
    const values = JSON.parse(text) as unknown[];
    return values.every((value) => typeof value === 'string') ? values : undefined;
  } catch {
    return undefined;
  }
}

function trimmed(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}
