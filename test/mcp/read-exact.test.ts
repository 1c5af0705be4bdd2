// Tests of reading JSON exactly: as JSON.parse, but for numbers, names that are given twice, and prototypes.
import fc from 'fast-check';
import { readExact } from '../../functions/mcp/read-exact.ts';

/** As JSON.parse would return it: numbers as numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'symbol') return Number(value.description);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

it.each([undefined, 2])(
  'reads what JSON.parse reads, written with the indentation %s',
  (indent) => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const json = JSON.stringify(value, null, indent);
        expect(plain(readExact(json))).toEqual(JSON.parse(json));
      }),
      { numRuns: 500 },
    );
  },
);

it.each(['12345678901234567890', '-0', '1.0', '1E400', '0.10000000000000000001', '5e-324'])(
  'keeps the text of the number %s',
  (text) => {
    expect((readExact(text) as symbol).description).toBe(text);
    const [inner] = readExact(` [ ${text} ] `) as symbol[];
    expect(inner?.description).toBe(text);
  },
);

it('has no value for a name that is given more than once, however it is written', () => {
  const read = readExact('{"a":1,"b":{"c":[]},"\\u0061":{"a":2},"":3,"a":null,"":4}');
  expect(Object.entries(read as object)).toMatchObject([
    ['a', undefined],
    ['b', { c: [] }],
    ['', undefined],
  ]);
});

it('has the names of the text alone', () => {
  const read = readExact('{"__proto__":{"limit":"5"},"hasOwnProperty":true}') as object;
  expect(Object.keys(read)).toEqual(['__proto__', 'hasOwnProperty']);
  expect(Reflect.get(read, 'limit')).toBeUndefined();
  expect(Reflect.get(read, 'toString')).toBeUndefined();
});

it('reads lists of any depth', () => {
  let read = readExact(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  let depth = 0;
  for (; Array.isArray(read); depth += 1) read = read[0];
  expect(depth).toBe(100_000);
});
