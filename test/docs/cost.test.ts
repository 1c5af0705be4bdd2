// The example of docs/reference/cost.md: its sum, and the sizes and the region of a deployment.
import { readFileSync } from 'node:fs';
import defaults from '../../infra/defaults.json' with { type: 'json' };

const PAGE = readFileSync('docs/reference/cost.md', 'utf8');

it('adds up the example', () => {
  const [, example = ''] = /## Example(.*?)These are the prices/s.exec(PAGE) ?? [];
  const costs = [...example.matchAll(/^\|.*\| +(\d+\.\d\d) +\|$/gm)].map(([, usd]) => Number(usd));
  expect(costs).toHaveLength(6);
  // Each is rounded.
  expect(Math.abs(costs.reduce((sum, usd) => sum + usd) - 9.74)).toBeLessThan(0.03);
  expect(example).toMatch(/\*\*total of a day\*\* .* \*\*9\.74\*\* /);
  expect(readFileSync('infra/README.md', 'utf8')).toContain('US$9.74 a day');
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
