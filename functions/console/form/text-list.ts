// The values of a list as one text, and back.

/** The values of a text: a STRING on each line, since it may contain any other separator. Or a list of texts in JSON. */
export function splitValues(text: string, scalar: string): string[] {
  try {
    const values: unknown = JSON.parse(text);
    if (Array.isArray(values) && values.every((value) => typeof value === 'string')) return values;
  } catch {
    // It is no JSON.
  }
  return text
    .split(scalar === 'STRING' ? /[\r\n]+/ : /[,;\t\r\n]+/)
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** A value on each line; as JSON where lines would be other values, such as one with a line break. */
export function joinValues(values: readonly string[], scalar: string): string {
  const given = values.filter((value) => value !== '');
  const lines = given.join('\n');
  const json = JSON.stringify(given);
  return JSON.stringify(splitValues(lines, scalar)) === json ? lines : json;
}
