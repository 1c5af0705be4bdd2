// What a link of the console writes, reading it gives back; and any text can be read.
import fc from 'fast-check';
import { START_VIEW, faultsOf, linkTo, parseLink } from '../../../functions/console/call/link.ts';
import { mayRun } from '../../../functions/console/form/start-values.ts';
import type { Endpoint, Parameter, Parameters } from '../../../functions/console/service.ts';
import { casesBeside } from '../../support/cases.ts';
import { parameter } from '../../support/sql/fake-sql-tree.ts';

const cases = casesBeside(import.meta.filename);
const texts = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 4 });
const links = fc.record({
  name: fc.stringMatching(/^[a-z]{1,9}\.[a-z-]{1,9}$/),
  parameters: fc.dictionary(
    fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/),
    texts.filter(({ length }) => length > 0),
    { maxKeys: 4, noNullPrototype: true },
  ),
  view: fc.record({
    tab: fc.constantFrom('result', 'columns', 'code'),
    hiddenColumns: texts,
    drawnSeries: texts,
  }),
});

it('reads what it wrote', () => {
  fc.assert(
    fc.property(links, (link) => {
      expect(parseLink(linkTo(link))).toEqual(link);
    }),
  );
});

it('reads any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const link = parseLink(`#orders.daily?${text}`);
      expect(link).toMatchObject({ name: 'orders.daily', view: START_VIEW });
    }),
  );
});

it.each(cases<[string, Parameters | null]>('links'))('parses %s', (hash, parameters) => {
  const expected = { name: 'a.b', view: START_VIEW };
  expect(parseLink(hash)).toEqual({ ...expected, parameters: parameters ?? undefined });
});

it('reads none without a link, nor one that is too long', () => {
  expect([parseLink(''), parseLink('#')]).toEqual([undefined, undefined]);
  expect(parseLink(`#${'x'.repeat(16_384)}`)).toBe('too long');
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

it('tells what does not fit the endpoint, and leaves out of a view what only an earlier version had', () => {
  const link = parseLink(
    '#orders.daily?.hide=total&.order=count&.series=%3Cb%3E&tags=a&tags=b&x=1',
  );
  if (typeof link !== 'object') throw new Error('It is no link.');
  expect(faultsOf(link.parameters ?? {}, ENDPOINT)).toEqual(['There is no parameter “x”.']);
  expect(link.view).toEqual({ tab: 'result', hiddenColumns: ['total'], drawnSeries: ['<b>'] });
});

it.each(cases<[string, Parameters, Parameters, string[] | null, boolean]>('runs unasked'))(
  'runs unasked or not: %s',
  (_, values, earlier, allowedValues, expected) => {
    const parameters = ENDPOINT.parameters.map((each) =>
      each.name === 'shop' && allowedValues !== null ? { ...each, allowedValues } : each,
    );
    expect(mayRun({ ...ENDPOINT, parameters }, values, earlier)).toBe(expected);
  },
);
