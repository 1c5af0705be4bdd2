// Tests what makes a run of warming read all rows again, and how old kept rows are: both functions on emulators.
import type { Timestamp } from '@google-cloud/firestore';
import { createFirestoreRefreshStore } from '../../functions/firestore/refresh-store.ts';
import { type KeptRows, SALE, SALES, SOLD, sale, startKeptRows, startSold } from './kept-rows.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';

const MINUTE = 60_000;
const NOON = '2026-11-20T12:00:00Z';

let service: KeptRows;

const totals = () => service.totals();
const run = (settings = {}, waitMs = 5 * MINUTE) => service.look([SALE], settings, waitMs);

async function sold(changed = {}): Promise<void> {
  service = await startSold(NOON, changed);
}

it('a result is as old as the question that found its kept rows unchanged', async () => {
  await sold();
  const [result] = (await service.firestore.collection('results').get()).docs;
  const states = await createFirestoreRefreshStore(service.firestore).found('sources');
  const computedAt = result?.get('computedAt') as Timestamp;
  expect(computedAt.toMillis()).toBeLessThanOrEqual(states?.askedAtMs ?? 0);
});

it('reads what a load has brought into an old partition, though a parameter chooses the step alone', async () => {
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;
  const ago = (ms: number): string => service.ago(ms);
  const kind = parameter({ required: true, example: 'x', enum: ['x', 'y'] });
  const step = { parameter: 'kind', values: { x: 'P1D', y: 'P1D' } };
  service = await startKeptRows(
    NOON,
    'HOUR',
    {},
    {
      parameters: { ...SALES.definition.parameters, kind },
      bucket: { ...SALES.definition.bucket, step },
    },
  );
  const old = ago(20 * DAY);
  await service.bigquery.appendRows('sales', [sale(old, 1)]);
  await run();
  await run();
  await service.bigquery.appendRows('sales', [sale(old, 40)]);
  expect(await run()).toMatchObject({ incremental: 1 });
  expect(await totals()).toEqual({ '2026-10-31': 41 });
});

it.each<[string, () => Promise<unknown>]>([
  ['are lost', () => service.firestore.doc('runs/partitions').delete()],
  [
    'are not readable',
    () => service.firestore.doc('runs/partitions').set({ packed: Buffer.from('damaged') }),
  ],
])('all rows are read if the states of partitions %s', async (_, change) => {
  await sold();
  await service.ask([SALE]);
  await change();
  expect(await run()).toMatchObject({ refreshed: 1, incremental: 0 });
  expect(await totals()).toEqual(SOLD);
});

it.each<[string, (body: Buffer) => object]>([
  ['have another length', () => ({ bodyBytes: 7 })],
  ['are damaged', (body) => ({ body: Buffer.from(body).fill(0xff, 12, 30) })],
])('all rows are read if the stored ones %s, in the same run', async (_, damage) => {
  await sold();
  await service.ask([SALE]);
  const { docs } = await service.firestore.collection('results').get();
  for (const one of docs) await one.ref.update(damage(one.get('body') as Buffer));
  service.clock.advance(5 * MINUTE);
  expect(await service.run()).toMatchObject({ refreshed: 1, incremental: 0, jobs: 2 });
  expect(await totals()).toEqual(SOLD);
});
