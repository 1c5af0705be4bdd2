// Splits text into the values of a list.

/** Where pasted text is split: at the first of these that it has. */
const PASTED = [/[\t\r\n]+/, /;/, /,/];

/** The values of the field: a STRING on each line, since it may contain any other separator. */
export function splitValues(text: string, scalar: string): string[] {
  return trimmed(text.split(scalar === 'STRING' ? /[\r\n]+/ : /[,;\t\r\n]+/));
}

/** The values of text from somewhere else. Repeated values stay, in their order. */
export function splitPasted(text: string, scalar: string): string[] {
  if (scalar !== 'STRING') return splitValues(text, scalar);
  const separator = PASTED.find((one) => one.test(text.trim())) ?? /\n/;
  return trimmed(text.split(separator));
}

function trimmed(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}
