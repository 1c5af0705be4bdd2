// What a link of the console writes, reading it gives back; and any text can be read.
import fc from 'fast-check';
import { START_VIEW, linkTo, parseLink } from '../../../functions/console/call/link.ts';
import { mayRun } from '../../../functions/console/form/form-values.ts';
import type { Parameter } from '../../../functions/console/form/parameter.ts';
import type { Endpoint } from '../../../functions/console/service.ts';
import { casesBeside, expectLast } from '../../support/cases.ts';
import { parameter } from '../../support/sql/fake-sql-tree.ts';

const cases = casesBeside(import.meta.filename);

it('reads what it wrote', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 4 });
  const names = fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/);
  const links = fc.record({
    name: fc.stringMatching(/^[a-z]{1,9}\.[a-z-]{1,9}$/),
    parameters: fc
      .array(fc.tuple(names, fc.string({ unit: 'binary' })))
      .map((pairs) => new URLSearchParams(pairs)),
    view: fc.record({
      tab: fc.constantFrom('result', 'columns', 'code'),
      hiddenColumns: texts,
      drawnSeries: texts,
    }),
  });
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

it.each(cases('links'))(
  'parses %s',
  expectLast((hash: string) => {
    const { name, parameters, view } = parseLink(hash);
    expect(view).toEqual(START_VIEW);
    return { name, pairs: parameters && [...parameters] };
  }),
);

it('leaves out of a view what only an earlier version had', () => {
  const { view } = parseLink('#orders.daily?.hide=total&.order=count&.series=%3Cb%3E&tags=a');
  expect(view).toEqual({ tab: 'result', hiddenColumns: ['total'], drawnSeries: ['<b>'] });
});

it.each(cases('runs unasked'))(
  'runs unasked or not: %s',
  expectLast((_: string, values: string, earlier: string, allowed: string[] | null) => {
    const shop = parameter({ required: true });
    const parameters = [
      { name: 'shop', ...shop, type: 'STRING', ...(allowed && { allowedValues: allowed }) },
      { name: 'days', ...parameter({ default: '7' }), type: 'STRING' },
      { name: 'tags', ...parameter(), type: 'ARRAY<STRING>' },
    ] as Parameter[];
    const [given, before] = [new URLSearchParams(values), new URLSearchParams(earlier)];
    return mayRun({ parameters } as Endpoint, given, before);
  }),
);
