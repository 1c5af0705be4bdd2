// What a link of the console writes, reading it gives back; and any text can be read.
import fc from 'fast-check';
import { inspectLink } from '../../../functions/console/call/inspect-link.ts';
import { START_VIEW, linkTo, parseLink } from '../../../functions/console/call/link.ts';
import { mayRunLink } from '../../../functions/console/form/start-values.ts';
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
      expect(parseLink(linkTo(link))).toEqual({ ...link, damaged: [] });
    }),
  );
});

it('reads any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const link = parseLink(`#orders.daily?${text}`);
      expect(typeof link === 'object' && inspectLink(link, ENDPOINT).violations).toEqual([]);
    }),
  );
});

it.each(cases<[string, Parameters | null, string[]]>('links'))(
  'parses %s',
  (hash, parameters, damaged) => {
    const expected = { name: 'a.b', view: START_VIEW, damaged };
    expect(parseLink(hash)).toEqual({ ...expected, parameters: parameters ?? undefined });
  },
);

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

it('leaves out of a view what the endpoint does not have', () => {
  const link = parseLink('#orders.daily?.hide=total&.hide=x&.order=count&.series=%3Cb%3E');
  const { view, faults } = (typeof link === 'object' && inspectLink(link, ENDPOINT)) || {};
  // Nor what only an earlier version had.
  expect(faults).toEqual([]);
  // Only the rows tell which series there are.
  expect(view).toEqual({ tab: 'result', hiddenColumns: ['total'], drawnSeries: ['<b>'] });
});

it.each(cases<[string, Parameters, Parameters, string[] | null, boolean]>('runs unasked'))(
  'runs unasked or not: %s',
  (_, values, earlier, allowedValues, expected) => {
    const parameters = ENDPOINT.parameters.map((each) =>
      each.name === 'shop' && allowedValues !== null ? { ...each, allowedValues } : each,
    );
    expect(mayRunLink({ ...ENDPOINT, parameters }, values, earlier)).toBe(expected);
  },
);
