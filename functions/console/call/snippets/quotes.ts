// Writes any text as a literal of a language, as it is. Invisible characters, which could also reorder what is shown, are escaped.

/** Controls, formats such as U+202E, and line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Of JSON and JavaScript. */
export function quoteJson(text: string): string {
  return JSON.stringify(text).replaceAll(INVISIBLE, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Python reads the escapes of JSON, but no pairs of surrogates. */
export function quotePython(text: string): string {
  return JSON.stringify(text).replaceAll(
    INVISIBLE,
    (character) => `\\U${character.codePointAt(0)?.toString(16).padStart(8, '0')}`,
  );
}

/** https://learn.microsoft.com/powerquery-m/m-spec-lexical-structure#text-literals */
export function quoteM(text: string): string {
  const escaped = text
    .replaceAll('"', '""')
    // Otherwise it would begin an escape.
    .replaceAll('#(', '#(#)(')
    .replaceAll(INVISIBLE, (character) => {
      const digits = character.codePointAt(0)?.toString(16).toUpperCase() ?? '';
      // An escape has 4 or 8 digits.
      return `#(${digits.padStart(digits.length > 4 ? 8 : 4, '0')})`;
    });
  return `"${escaped}"`;
}
