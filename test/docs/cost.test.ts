// The example of docs/reference/cost.md: what check estimates is what the benchmark measures, and the sums are right.
import { readFileSync } from 'node:fs';
import defaults from '../../infra/defaults.json' with { type: 'json' };
import bench from '../bench/incremental.json' with { type: 'json' };
import { exampleItems, intervalCosts } from './generate/cost-tables.ts';

beforeAll(intervalCosts, 300_000);

const PAGE = readFileSync('docs/reference/cost.md', 'utf8');

it.each(['HOUR', 'DAY'] as const)(
  'check estimates for a day of warming by %s what the benchmark measures',
  async (type) => {
    const { [type]: costs } = await intervalCosts();
    const both = costs.filter(({ interval }) => interval === undefined);
    expect(both).toHaveLength(2);
    const estimated = both.reduce((sum, { warming }) => sum + warming.bytes / 1e9, 0);
    const measured = bench[type].changes + bench[type].full;
    expect(Math.abs(estimated / measured - 1)).toBeLessThan(0.01);
    expect(both.reduce((sum, { warming }) => sum + warming.jobs, 0)).toBeCloseTo(bench[type].jobs);
  },
);

it('adds up the example', async () => {
  const items = await exampleItems();
  expect(items.map(({ item, amount, usd }) => [item, amount, usd.toFixed(4)])).toEqual([
    ['BigQuery, warming', '576 jobs and 288 questions, 653 GB', '3.7091'],
    ['BigQuery, misses', '200 jobs of at most 1.89 GB on average, 378 GB', '2.1474'],
    // 288 × 1,000 × 2 + 1,000,000 + 1,440 × 2 × 10 + 5 × 200 + 6 × 400
    ['Firestore reads', 'at most 1,608,200', '0.4825'],
    // 288 × 1,000 + 192 × 1,000 + 2 × 200 + 2,040 ÷ 3 + 576 × 2
    ['Firestore writes', 'at most 482,232', '0.4340'],
    // 100,000 + 1,440, and half of the 100,000 + 1,440
    ['function time', 'at most 101,440 vCPU seconds and 51,440 GiB seconds', '2.5632'],
    ['requests to functions', '1,000,288', '0.4001'],
  ]);
  expect(readFileSync('infra/README.md', 'utf8')).toContain('US$9.74 a day');
  expect(PAGE).toMatch(/\*\*total of a day\*\* .* \*\*9\.74\*\* /);
});

it('takes the sizes and the region of a deployment', () => {
  const { query, warm } = defaults.function_options;
  const cpus = readFileSync('infra/functions.tf', 'utf8').match(/available_cpu += "\d+"/g);
  expect(cpus?.map((line) => line.replace(/ +/, ' '))).toEqual(
    Array(2).fill('available_cpu = "1"'),
  );
  expect([query.memory, warm.memory]).toEqual(['512Mi', '1Gi']);
  expect(PAGE).toContain('`query` has 512 MiB and `warm` 1 GiB');
  expect(PAGE).toContain(`the default region, \`${defaults.region}\``);
  expect(PAGE).toContain(`\`${defaults.bigquery_location}\` (the default)`);
});
