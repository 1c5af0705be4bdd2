// The JSON tab: the answer with line breaks, and nothing else changed.
import fc from 'fast-check';
import { formatBytes } from '../../functions/console/format-bytes.ts';
import { prettyJson } from '../../functions/console/tabs/pretty-json.ts';

it('indents as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const expected = { text: JSON.stringify(value, null, 2), isCut: false };
      expect(prettyJson(JSON.stringify(value), Infinity)).toEqual(expected);
      expect(prettyJson(JSON.stringify(value, null, 3), Infinity)).toEqual(expected);
    }),
  );
});

it('keeps every digit and escape', () => {
  const json = String.raw`{"a":[1.0,1e400,12345678901234567890.10,-0],"b":"\u00e9\/\"{[,:]}","c":{},"d":[]}`;
  expect(prettyJson(json, Infinity).text).toBe(String.raw`{
  "a": [
    1.0,
    1e400,
    12345678901234567890.10,
    -0
  ],
  "b": "\u00e9\/\"{[,:]}",
  "c": {},
  "d": []
}`);
});

it.each([
  ['at the end of a line', '["aaaaaaaa","bbbbbbbb","cccccccc"]', 24, '[\n  "aaaaaaaa",\n…'],
  ['within a line that is too long itself', `["${'a'.repeat(50)}"]`, 10, '[\n  "aaaaa\n…'],
  ['not within a character', `["${'😀'.repeat(50)}"]`, 8, '[\n  "😀\n…'],
])('cuts %s', (_, json, lengthMax, text) => {
  expect(prettyJson(json, lengthMax)).toEqual({ text, isCut: true });
});

it('reads no more of an answer than it shows', () => {
  const endless = {
    *matchAll() {
      for (;;) yield* [['1'], [',']];
    },
  };
  const { text } = prettyJson(endless as unknown as string, 50_000);
  expect(text.length).toBeLessThan(50_003);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [9949, '9.9 kB'],
  [9950, '10 kB'],
  [999_499, '999 kB'],
  [999_500, '1 MB'],
  [1.2e9, '1.2 GB'],
  [5e15, '5000 TB'],
])('writes %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
