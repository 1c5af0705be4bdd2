// Tests which rows and times a first test is made of, so that its result shows something.
import { join } from 'node:path';
import { firstCases } from '../../../scripts/new/first-case.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { FakeSqlTree } from '../../support/sql/fake-sql-tree.ts';

it('offers more rows, and the time of the newest row, to a query that finds none of the first ones', async () => {
  const tree = new FakeSqlTree();
  const rows = Array.from({ length: 60 }, (_, index) => ({
    day: `2020-01-${String(1 + (index % 30)).padStart(2, '0')}`,
    city: `c${index}`,
  }));
  tree
    .source('places', 'day DATE, city STRING', {
      partitioning: { type: 'DAY', field: 'day' },
      requirePartitionFilter: false,
    })
    .write('sources/places/sample.ndjson', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const sources = await readSources(join(tree.directory, 'sources'));
  const now = Date.parse('2026-11-20T10:00:00Z');
  const cases = (await firstCases(sources, { city: 'c7' }, tree.directory, now)) as {
    now: string;
    tables: { places: { city: string }[] };
  }[];
  expect(cases.map((one) => [one.now, one.tables.places.length])).toEqual([
    ['2026-11-20T10:00:00Z', 5],
    ['2026-11-20T10:00:00Z', 50],
    ['2020-01-30T00:00:01Z', 5],
    ['2020-01-30T00:00:01Z', 50],
  ]);
  for (const { tables } of cases) {
    expect(tables.places.map(({ city }) => city)).toContain('c7');
  }
});
