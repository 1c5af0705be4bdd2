// How lists, records and JSON are written in a cell, and how many of their parts fit.
import { fitChips } from '../../../functions/console/result/table/fit-chips.ts';
import { partsOf } from '../../../functions/console/result/nested/parts-of.ts';

it.each<[unknown, string[]]>([
  [
    ['a', 'b, c'],
    ['a', 'b, c'],
  ],
  [[], ['empty']],
  [
    [1, null, true],
    ['1', 'null', 'true'],
  ],
  [{ sku: 'x', size: { w: 1, h: 2 }, tags: ['a'] }, ['sku: x', 'size: 2 fields', 'tags: 1 value']],
  [
    [
      { sku: 'x', n: 1 },
      { sku: 'y', n: null },
    ],
    ['sku: x, n: 1', 'sku: y, n: null'],
  ],
  [
    [[1, 2], []],
    ['2 values', '0 values'],
  ],
  ['text', ['text']],
  [12.5, ['12.5']],
])('writes %j as parts', (value, expected) => {
  expect(partsOf(value)).toEqual(expected);
});

/** Every character is 10 px wide. A chip has 18 px around its text, and the number of the others 36 px. */
const advanceOf = (): number => 10;

it.each([
  [['aa', 'bb'], 76, ['aa', 'bb'], 0],
  [['aa', 'bb', 'cc'], 111, ['aa'], 2],
  [['aa', 'bb', 'cc'], 112, ['aa', 'bb'], 1],
  [['aaaaaaaaaa'], 78, ['aaaaa…'], 0],
  [['aaaaaaaaaa', 'b'], 114, ['aaaaa…'], 1],
])('fits %j into %i px: %j and %i others', (parts, width, chips, others) => {
  expect(fitChips(parts, width, advanceOf)).toEqual({ chips, others });
});
