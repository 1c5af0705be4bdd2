// Measures characters as the page draws them.
import type { Advance } from './cut-text.ts';

const ADVANCES = new Map<string, Advance>();

/** For a font of CSS. Digits are tabular: all are as wide as the widest. */
export function measureText(font: string): Advance {
  const known = ADVANCES.get(font);
  if (known !== undefined) return known;
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return () => 0;
  context.font = font;
  const digit = Math.max(...[...'0123456789'].map((text) => context.measureText(text).width));
  const widths = new Map([...'0123456789'].map((text) => [text, digit]));
  const advanceOf: Advance = (character) => {
    let width = widths.get(character);
    if (width === undefined) {
      width = context.measureText(character).width;
      widths.set(character, width);
    }
    return width;
  };
  ADVANCES.set(font, advanceOf);
  return advanceOf;
}
