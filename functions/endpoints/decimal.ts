// Reads decimal numbers of any size exactly.
import Big from 'big.js';

/** Undefined for a text that is not a number. Takes time in proportion to the length of the text. */
export function parseDecimal(text: string): Big | undefined {
  try {
    return new Big(text.replace(/^\+(?=[\d.])/, ''));
  } catch {
    return undefined;
  }
}
