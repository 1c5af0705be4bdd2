// What a link of the console writes, reading it gives back; and any text can be read.
import fc from 'fast-check';
import { inspectLink } from '../../../functions/console/call/inspect-link.ts';
import { type ParsedLink, linkTo, parseLink } from '../../../functions/console/call/link.ts';
import { mayRunLink } from '../../../functions/console/form/start-values.ts';
import type { Endpoint, Parameter } from '../../../functions/console/service.ts';
import { parameter } from '../../support/sql/fake-sql-tree.ts';

const START = { tab: 'result', hiddenColumns: [], drawnSeries: [] } as const;
const texts = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 4 });
const links = fc.record({
  name: fc.stringMatching(/^[a-z]{1,9}\.[a-z-]{1,9}$/),
  parameters: fc.dictionary(
    fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/),
    texts.filter(({ length }) => length > 0),
    { maxKeys: 4, noNullPrototype: true },
  ),
  view: fc.record({
    tab: fc.constantFrom('result', 'columns', 'code', 'json'),
    hiddenColumns: texts,
    drawnSeries: texts,
  }),
});

it('reads what it wrote', () => {
  fc.assert(
    fc.property(links, (link) => {
      expect(parseLink(linkTo(link))).toEqual({ ...link, damaged: [] });
    }),
  );
});

it('reads any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const link = parseLink(`#orders.daily?${text}`) as ParsedLink;
      expect(inspectLink(link, ENDPOINT).violations).toEqual([]);
    }),
  );
});

it.each([
  ['', undefined],
  ['#', undefined],
  [`#${'x'.repeat(16_384)}`, 'too long'],
  ['#a.b', { name: 'a.b', parameters: undefined, view: START, damaged: [] }],
  ['#a.b?', { name: 'a.b', parameters: {}, view: START, damaged: [] }],
  ['#a.b?n=', { name: 'a.b', parameters: { n: [''] }, view: START, damaged: [] }],
  ['#a.b?n=1=2&m', { name: 'a.b', parameters: { n: ['1=2'], m: [''] }, view: START, damaged: [] }],
  ['#a.b?n=%ff&n=1', { name: 'a.b', parameters: {}, view: START, damaged: ['n'] }],
  ['#a.b?.tab=key', { name: 'a.b', parameters: {}, view: START, damaged: [] }],
])('parses %.40s', (hash, expected) => {
  expect(parseLink(hash)).toEqual(expected);
});

const ENDPOINT = {
  name: 'orders.daily',
  parameters: [
    { name: 'shop', ...parameter({ required: true }), type: 'STRING' },
    { name: 'days', ...parameter({ default: '7' }), type: 'STRING' },
    { name: 'tags', ...parameter(), type: 'ARRAY<STRING>' },
  ] as Parameter[],
  row: [{ name: 'count' }, { name: 'total' }],
} as Endpoint;

it('leaves out of a view what the endpoint does not have', () => {
  const link = parseLink('#orders.daily?.hide=total&.hide=x&.order=count&.series=%3Cb%3E');
  const { view, faults } = inspectLink(link as ParsedLink, ENDPOINT);
  // Nor what only an earlier version had.
  expect(faults).toEqual([]);
  // Only the rows tell which series there are.
  expect(view).toEqual({ tab: 'result', hiddenColumns: ['total'], drawnSeries: ['<b>'] });
});

it.each([
  ['values of an earlier run', { shop: ['a'] }, { shop: ['a'] }, undefined, true],
  ['another value', { shop: ['b'] }, { shop: ['a'] }, undefined, false],
  ['a default beside them', { shop: ['a'], days: ['7'] }, { shop: ['a'] }, undefined, true],
  ['another choice beside them', { shop: ['a'], days: ['9'] }, { shop: ['a'] }, undefined, false],
  ['allowed values', { shop: ['c'] }, {}, ['b', 'c'], true],
  ['a value that is not allowed', { shop: ['d'] }, {}, ['b', 'c'], false],
  ['a list of which one is new', { tags: ['a', 'b'] }, { tags: ['a'] }, undefined, false],
  ['no values', {}, { shop: ['a'] }, undefined, false],
] as const)('runs unasked or not: %s', (_, values, earlier, allowedValues, expected) => {
  const parameters = ENDPOINT.parameters.map((each) =>
    each.name === 'shop' && allowedValues !== undefined
      ? { ...each, allowedValues: [...allowedValues] }
      : each,
  );
  expect(mayRunLink({ ...ENDPOINT, parameters }, values, earlier)).toBe(expected);
});
