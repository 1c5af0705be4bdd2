// Reads the rows of a stored body as the texts that they are stored as.
import { gunzipSync } from 'node:zlib';
import type { Entry } from '../core/result-store.ts';
import { RESULT_START } from './encode.ts';

const QUOTE = '"'.charCodeAt(0);
const OPEN = [...'{['].map((char) => char.charCodeAt(0));
const CLOSE = [...'}]'].map((char) => char.charCodeAt(0));

/** The texts of at most `countMax` rows of a body, `{"result":[…]}`, beginning with row `from`. */
export function rowTexts(body: string, from = 0, countMax = Infinity): string[] {
  const texts: string[] = [];
  let index = 0;
  let depth = 0;
  let start = 0;
  for (let at = RESULT_START.length; at < body.length && texts.length < countMax; at += 1) {
    const char = body.charCodeAt(at);
    if (char === QUOTE) {
      at = endOfText(body, at);
    } else if (char === OPEN[0] || char === OPEN[1]) {
      if (depth === 0) start = at;
      depth += 1;
    } else if (char === CLOSE[0] || char === CLOSE[1]) {
      depth -= 1;
      if (depth < 0) break;
      if (depth > 0) continue;
      if (index >= from) texts.push(body.slice(start, at + 1));
      index += 1;
    }
  }
  return texts;
}

/** The place of the quote that ends a JSON text. */
function endOfText(body: string, start: number): number {
  for (let end = start; ;) {
    end = body.indexOf('"', end + 1);
    if (end < 0) return body.length;
    let first = end;
    while (body[first - 1] === '\\') first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
}

/** The uncompressed body. Bounded by the size in the entry, so that damaged bytes cannot take more memory. */
export function jsonOf({ body, bodyBytes }: Pick<Entry, 'body' | 'bodyBytes'>): Buffer {
  return gunzipSync(body, { maxOutputLength: bodyBytes });
}
