// Cuts a text to the width of its cell. An ellipsis of CSS takes several times as long in each frame.

/** The width of a character in pixels. */
export type Advance = (character: string) => number;

let graphemes: Intl.Segmenter | undefined;

/** The text, or its start and an ellipsis that together are at most this wide. */
export function cutText(text: string, width: number, advanceOf: Advance): string {
  const room = width - advanceOf('…');
  let used = 0;
  let end = 0;
  let fitting = 0;
  for (const character of text) {
    used += advanceOf(character);
    if (used > width) return `${text.slice(0, graphemeStart(text, fitting)).trimEnd()}…`;
    end += character.length;
    if (used <= room) fitting = end;
  }
  return text;
}

/** Its width; measured only up to `max`, which is then returned. */
export function widthOf(text: string, advanceOf: Advance, max = Infinity): number {
  let used = 0;
  for (const character of text) {
    used += advanceOf(character);
    if (used >= max) return max;
  }
  return used;
}

/** Where the character that a reader sees at this place begins: it can have several code points. */
function graphemeStart(text: string, index: number): number {
  if (/^[\0-\x7f]{0,2}$/.test(text.slice(Math.max(0, index - 1), index + 1))) return index;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return graphemes.segment(text.slice(0, index + 32)).containing(index)?.index ?? index;
}
