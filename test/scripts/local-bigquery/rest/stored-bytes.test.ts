// The bytes of columns, by BigQuery's sizes of values.
import { casesBeside } from '../../../support/cases.ts';
import { testBigQuery } from './local-bigquery.ts';
import { columns } from '../../../support/sql/columns.ts';

const cases = casesBeside(import.meta.filename);
const types = cases<[name: string, type: string, value: unknown, bytes: number]>('types');
const values = Object.fromEntries(types.map(([name, , value]) => [name, value]));

const bigquery = await testBigQuery({
  tables: [
    { name: 'types', fields: types.map(([name, type]) => ({ name, type })), rows: [values, {}] },
    {
      name: 'nested',
      fields: columns(
        `id STRING, numbers INTEGER REPEATED, place RECORD (city STRING, zip STRING),
        metadata RECORD REPEATED (level STRING, request RECORD REPEATED (url STRING, status INTEGER))`,
      ),
      rows: [
        {
          id: 'a',
          numbers: [1, 2, 3],
          place: { city: 'Zürich', zip: '80001' },
          metadata: [
            { level: 'i', request: ['/', '/a'].map((url) => ({ url, status: 200 })) },
            { level: 'e', request: [] },
          ],
        },
        { id: 'b', place: null },
      ],
    },
  ],
});

async function bytesOf(query: string): Promise<number> {
  return Number((await bigquery.answer({ query })).totalBytesProcessed);
}

it.each(types.map(([name, , , bytes]) => [name, bytes] as const))(
  'counts %s as %d bytes, and NULL as 0',
  async (name, bytes) => {
    expect(await bytesOf(`SELECT ${name} FROM types`)).toBe(bytes);
  },
);

it.each(cases<[string, number]>('queries'))('counts of %s %i bytes', async (query, bytes) => {
  expect(await bytesOf(query)).toBe(bytes);
});
