// Tests of the bytes of a result: what a hit costs.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bodyOf } from '../../functions/http/answer-body.ts';
import type { Entry } from '../../functions/core/result-store.ts';

const ENDPOINT = { row: { a: { type: 'INT64', mode: 'REQUIRED', description: 'A.' } } } as const;

function entry(json: string): Entry {
  return { body: gzipSync(json), bodyBytes: Buffer.byteLength(json) } as Entry;
}

// What is stored may be somebody else's: a kilobyte of gzip can hold a megabyte.
it('uses no more memory than the entry declares', () => {
  const bomb = { ...entry('a'.repeat(1_000_000)), bodyBytes: 1000 };
  expect(() => bodyOf(bomb, ENDPOINT, 'json', false)).toThrow('larger than 1000 bytes');
});

it.each(['csv', 'ndjson'] as const)('converts the rows to %s once per entry', (format) => {
  const stored = entry('{"result":[{"a":1}]}');
  const { content } = bodyOf(stored, ENDPOINT, format, true);
  expect(bodyOf(stored, ENDPOINT, format, true).content).toBe(content);
  expect(gunzipSync(content as Buffer)).toEqual(bodyOf(stored, ENDPOINT, format, false).content);
  const renewed = entry('{"result":[{"a":2}]}');
  expect(bodyOf(renewed, ENDPOINT, format, true).content).not.toEqual(content);
});

it.each([
  ['json', false],
  ['csv', true],
  ['ndjson', true],
] as const)('keeps %s in a buffer of exactly its size', (format, isGzip) => {
  const { content, holds } = bodyOf(entry('{"result":[]}'), ENDPOINT, format, isGzip);
  expect(holds).toBe(content);
  expect(holds.buffer.byteLength).toBe(holds.length);
});

it('does not cache a conversion beyond the memory counted for it', () => {
  const stored = entry('{"result":[]}');
  const wide = {
    row: Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`column_${index}`, ENDPOINT.row.a]),
    ),
  };
  const first = bodyOf(stored, wide, 'csv', true).content;
  expect(bodyOf(stored, wide, 'csv', true).content).not.toBe(first);
});

// Forty clients that read slowly would hold forty whole bodies.
it.each(['json', 'csv', 'ndjson'] as const)('streams a large result: %s', async (format) => {
  const json = `{"result":[${Array.from({ length: 100_000 }, (_, a) => `{"a":${a}}`).join(',')}]}`;
  const { length, content } = bodyOf(entry(json), ENDPOINT, format, false);
  expect(content).toBeInstanceOf(Readable);
  expect(await buffer(content as Readable)).toHaveLength(length);
});
