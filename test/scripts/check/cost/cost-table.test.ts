// Tests which calls and jobs of warming the table of costs names as refused by BigQuery.
import { formatCosts } from '../../../../scripts/check/cost/cost-table.ts';
import { casesBeside } from '../../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const PRICES = { gbPerDay: 1, pricePerTib: 6.25, maxBytes: 10e9 };

it.each(
  cases<[what: string, call: number, warmed: number, max: number | null, line: string]>('refused'),
)('names %s', (_, bytes, warmed, maxBytes, line) => {
  const warming = { bytes: warmed, usd: 0, jobs: 8 };
  const cost = { name: 'a.b', call: { bytes, usd: 0 }, warming, maxBytes: maxBytes ?? undefined };
  const [, ...lines] = formatCosts([cost], PRICES).split('\na.b: ');
  expect(lines.join()).toBe(line);
});
