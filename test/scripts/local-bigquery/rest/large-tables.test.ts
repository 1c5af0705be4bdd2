// A query over more rows than the engine takes at once says of which tables it read the newest alone.
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import { casesBeside } from '../../../support/cases.ts';
import { columns } from '../../../support/sql/columns.ts';
import { testBigQuery } from './local-bigquery.ts';

const cases = casesBeside(import.meta.filename);
const START_MS = Date.parse('2026-11-11T00:00:00Z');
const DAY_MS = 86_400_000;

/** Ten days of 120 rows each: the third is NULL here and there, and the tags repeat. */
const rows = Array.from({ length: 1200 }, (_, id) => ({
  ts: new Date(START_MS + (id * DAY_MS) / 120).toISOString(),
  id,
  level: [null, 'info', 'warn', 'Warn', 'error'][id % 5],
  ms: id % 7 === 0 ? null : ((id * 7919) % 1000) / 8,
  tags: id % 3 === 0 ? [] : [`t${id % 4}`, 'all'],
}));
const events = {
  name: 'events',
  fields: columns('ts TIMESTAMP, id INTEGER, level STRING, ms FLOAT, tags STRING REPEATED'),
  definition: { ...PLAIN_TABLE, partitioning: { type: 'DAY', field: 'ts' } as const },
  rows,
};
const levels = {
  name: 'levels',
  fields: columns('level STRING, rank INTEGER'),
  rows: [
    { level: 'info', rank: 1 },
    { level: 'warn', rank: 2 },
  ],
};
const tables = [events, levels];
const whole = await testBigQuery({ tables });
const limited = await testBigQuery({ tables, bytesMax: 6000 });

it.each(cases<string>('whole'))(
  'a query whose partitions fit reads all of them: %s',
  async (query) => {
    expect(await limited.cells(query)).toEqual(await whole.cells(query));
    expect((await limited.answer({ query })).errors).toBeUndefined();
  },
);

it.each(cases<string>('cut'))('%s reads the newest rows, and says so', async (query) => {
  const message = expect.stringMatching(/^logs\.events; read=\d+; of=1200$/) as string;
  expect((await limited.answer({ query })).errors).toEqual([{ reason: 'localRowsCut', message }]);
});
