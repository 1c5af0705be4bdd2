// The bytes of columns, by BigQuery's sizes of values.
import { testBigQuery } from './local-bigquery.ts';
import { columns } from '../../../support/sql/columns.ts';

const types = [
  ['an_int64', 'INTEGER', 7, 8],
  ['a_float64', 'FLOAT', 0, 8],
  ['a_bool', 'BOOLEAN', false, 1],
  ['a_numeric', 'NUMERIC', '1.5', 16],
  ['a_bignumeric', 'BIGNUMERIC', '1.5', 32],
  ['a_string', 'STRING', 'né', 2 + 3],
  ['an_empty_string', 'STRING', '', 2],
  ['bytes', 'BYTES', 'aGk=', 2 + 2],
  ['a_timestamp', 'TIMESTAMP', '1969-12-31T23:59:59.999999Z', 8],
  ['a_datetime', 'DATETIME', '2026-11-20T10:00:00', 8],
  ['a_date', 'DATE', '2026-11-20', 8],
  ['a_time', 'TIME', '10:00:00', 8],
  ['json', 'JSON', '{"a":1}', 7],
] as const;
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
          // id 3, numbers 24, city 9, zip 7, level 3 + 3, url 3 + 4, status 8 + 8
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

/** Of each column of `nested`, in both rows; a RECORD counts with all its fields. */
const ID = 3 + 3;
const NUMBERS = 24;
const PLACE = 9 + 7;
const METADATA = 6 + 7 + 16;

it.each<[string, number]>([
  ['SELECT * FROM nested', ID + NUMBERS + PLACE + METADATA],
  ['SELECT ARRAY_LENGTH(numbers) FROM nested', NUMBERS],
  ['SELECT numbers[SAFE_OFFSET(0)] FROM nested', NUMBERS],
  ['SELECT place FROM nested', PLACE],
  ['SELECT place.city FROM nested', PLACE],
  ["SELECT id FROM nested WHERE place.city = ''", ID + PLACE],
  ['SELECT m.level FROM nested, UNNEST(metadata) AS m', METADATA],
  [
    'SELECT ARRAY(SELECT r.status FROM UNNEST(metadata) AS m, m.request AS r) FROM nested',
    METADATA,
  ],
  ['SELECT COUNT(*) FROM nested, nested.metadata', METADATA],
  // A WITH query that is read twice.
  [
    `WITH n AS (SELECT metadata FROM nested)
      SELECT m.level FROM n, n.metadata AS m UNION ALL SELECT m.level FROM n, n.metadata AS m`,
    METADATA + METADATA,
  ],
  ['SELECT id FROM nested ORDER BY place.zip', ID + PLACE],
  ['SELECT COUNT(*) FROM nested GROUP BY place.city', PLACE],
])('counts of %s %i bytes', async (query, bytes) => {
  expect(await bytesOf(query)).toBe(bytes);
});
