// Tests what makes a run of warming read all rows again, and how old kept rows are: both functions on emulators.
import type { Timestamp } from '@google-cloud/firestore';
import { createFirestoreRefreshStore } from '../../functions/firestore/refresh-store.ts';
import { SALE, SALES, SOLD, sale, startKeptRows, startSold } from './kept-rows.ts';
import { DAY, MINUTE } from '../support/bigquery/batch-runs.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';

const NOON = '2026-11-20T12:00:00Z';

it('a result is as old as the question that found its kept rows unchanged', async () => {
  const { firestore } = await startSold(NOON);
  const [result] = (await firestore.collection('results').get()).docs;
  const states = await createFirestoreRefreshStore(firestore).found('sources');
  const computedAt = result?.get('computedAt') as Timestamp;
  expect(computedAt.toMillis()).toBeLessThanOrEqual(states?.askedAtMs ?? 0);
});

it('reads what a load has brought into an old partition, though a parameter chooses the step alone', async () => {
  const kind = parameter({ required: true, example: 'x', enum: ['x', 'y'] });
  const step = { parameter: 'kind', values: { x: 'P1D', y: 'P1D' } };
  const { bigquery, look, ago, totals } = await startKeptRows(NOON, {
    parameters: { ...SALES.definition.parameters, kind },
    bucket: { ...SALES.definition.bucket, step },
  });
  const old = ago(20 * DAY);
  await bigquery.appendRows('sales', [sale(old, 1)]);
  await look();
  await look();
  await bigquery.appendRows('sales', [sale(old, 40)]);
  expect(await look()).toMatchObject({ incremental: 1 });
  expect(await totals()).toEqual({ '2026-10-31': 41 });
});

it.each([
  ['are lost', null],
  ['are not readable', { packed: Buffer.from('damaged') }],
])('all rows are read if the states of partitions %s', async (_, states) => {
  const { firestore, ask, look, totals } = await startSold(NOON);
  await ask([SALE]);
  const stored = firestore.doc('runs/partitions');
  await (states === null ? stored.delete() : stored.set(states));
  expect(await look()).toMatchObject({ refreshed: 1, incremental: 0 });
  expect(await totals()).toEqual(SOLD);
});

it.each<[string, (body: Buffer) => object]>([
  ['have another length', () => ({ bodyBytes: 7 })],
  ['are damaged', (body) => ({ body: Buffer.from(body).fill(0xff, 12, 30) })],
])('all rows are read if the stored ones %s, in the same run', async (_, damage) => {
  const { firestore, clock, ask, run, totals } = await startSold(NOON);
  await ask([SALE]);
  const { docs } = await firestore.collection('results').get();
  for (const one of docs) await one.ref.update(damage(one.get('body') as Buffer));
  clock.advance(5 * MINUTE);
  expect(await run()).toMatchObject({ refreshed: 1, incremental: 0, jobs: 2 });
  expect(await totals()).toEqual(SOLD);
});
