// Tests which calls and jobs of warming the table of costs names as refused by BigQuery.
import { formatCosts } from '../../../../scripts/check/cost/cost-table.ts';
import { casesBeside, expectLast } from '../../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const PRICES = { gbPerDay: 1, pricePerTib: 6.25, maxBytes: 10e9 };

type Given = [what: string, call: number, warmed: number, max: number | null];
it.each(cases('refused'))(
  'of %s',
  expectLast((...[, bytes, warmed, maxBytes]: Given) => {
    const warming = { bytes: warmed, usd: 0, jobs: 8 };
    const cost = { name: 'a.b', call: { bytes, usd: 0 }, warming, maxBytes: maxBytes ?? undefined };
    return formatCosts([cost], PRICES).split('\na.b: ').slice(1).join();
  }),
);

it.each(cases('texts'))(
  'the texts of %s',
  expectLast((bytes: number, usd: number) => {
    const cost = { name: 'a.b', call: { bytes, usd }, warming: { bytes, usd, jobs: 1 } };
    const all = { ...PRICES, maxBytes: Infinity };
    const [, line = ''] = formatCosts([{ ...cost, maxBytes: undefined }], all).split('\n');
    const [, ...texts] = line.split(/ {2,}/);
    expect(texts.slice(2)).toEqual(texts.slice(0, 2));
    return texts.slice(0, 2).join(' ');
  }),
);
