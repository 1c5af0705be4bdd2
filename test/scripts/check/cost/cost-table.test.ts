// Tests which calls and jobs of warming the table of costs names as refused by BigQuery.
import { formatCosts } from '../../../../scripts/check/cost/cost-table.ts';

const PRICES = { gbPerDay: 1, pricePerTib: 6.25, maxBytes: 10e9 };

it.each<[string, number, number, number | undefined, string]>([
  ['nothing within the bound', 10e9, 80e9, undefined, ''],
  [
    'a call over it',
    31e9,
    80e9,
    undefined,
    'BigQuery would refuse a call that reads 31 GB: more than MAX_BYTES_BILLED (10 GB).',
  ],
  [
    'a job of warming over it',
    1e9,
    800e9,
    undefined,
    'BigQuery would refuse a job of warming that reads 100 GB: more than MAX_BYTES_BILLED (10 GB).',
  ],
  [
    'both over the bound of the endpoint',
    3e9,
    24e9,
    2e9,
    'BigQuery would refuse a call that reads 3 GB, and a job of warming that reads 3 GB: more than maxBytesBilled in endpoint.json (2 GB).',
  ],
])('names %s', (_, bytes, warmed, maxBytes, line) => {
  const warming = { bytes: warmed, usd: 0, jobs: 8 };
  const cost = {
    name: 'a.b',
    call: { bytes, usd: 0 },
    calls: new Map(),
    warming,
    maxBytes,
    tables: [],
  };
  const [, ...lines] = formatCosts([cost], undefined, PRICES).split('\na.b: ');
  expect(lines.join()).toBe(line);
});
