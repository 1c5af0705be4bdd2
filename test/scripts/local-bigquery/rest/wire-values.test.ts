// Tests of values on the wire: each type is sent as BigQuery sends it.
import fc from 'fast-check';
import { testBigQuery } from './local-bigquery.ts';

const bigquery = await testBigQuery({ tables: [] });

const dates = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
/** Microseconds are missing where they are 0. */
const times = fc.tuple(fc.nat(86_399_999), fc.nat(999)).map(([ms, micros]) => {
  const text = `${new Date(ms).toISOString().slice(11, 23)}${String(micros).padStart(3, '0')}`;
  return text.replace(/\.0+$/, '');
});
const decimals = (whole: number, scale: number) =>
  fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.bigInt(0n, 10n ** BigInt(whole) - 1n),
      fc.bigInt(0n, 10n ** BigInt(scale) - 1n),
    )
    .map(([sign, int, fraction]) => `${sign}${int}.${String(fraction).padStart(scale, '0')}`);

/** Text that the engine itself makes of a value, in the form of the wire. */
const types: [string, fc.Arbitrary<string>, string][] = [
  ['INT64', fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String), 'CAST(x AS STRING)'],
  ['NUMERIC', decimals(29, 9), 'CAST(x AS STRING)'],
  ['BIGNUMERIC', decimals(38, 38), 'CAST(x AS STRING)'],
  ['DATE', dates, 'CAST(x AS STRING)'],
  ['TIME', times, "FORMAT_TIME(IF(EXTRACT(MICROSECOND FROM x) = 0, '%H:%M:%S', '%H:%M:%E6S'), x)"],
  [
    'DATETIME',
    fc.tuple(dates, times).map(([date, time]) => `${date}T${time}`),
    "FORMAT_DATETIME(IF(EXTRACT(MICROSECOND FROM x) = 0, '%E4Y-%m-%dT%H:%M:%S', '%E4Y-%m-%dT%H:%M:%E6S'), x)",
  ],
  [
    'TIMESTAMP',
    fc.tuple(dates, times).map(([date, time]) => `${date} ${time} UTC`),
    'CAST(UNIX_MICROS(x) AS STRING)',
  ],
  ['BYTES', fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')), 'TO_BASE64(x)'],
  ['BOOL', fc.boolean().map(String), 'CAST(x AS STRING)'],
  ['STRING', fc.string({ unit: 'binary' }), 'x'],
];

it.each(types)('writes every %s like the engine', async (type, values, text) => {
  await fc.assert(
    fc.asyncProperty(fc.array(values, { minLength: 50, maxLength: 100 }), async (list) => {
      const response = await fetch(`${bigquery.url}/projects/p/queries`, {
        method: 'POST',
        body: JSON.stringify({
          query: `SELECT x, ${text} AS text FROM UNNEST(@list) AS x`,
          useLegacySql: false,
          formatOptions: { useInt64Timestamp: true },
          queryParameters: [
            {
              name: 'list',
              parameterType: { type: 'ARRAY', arrayType: { type } },
              parameterValue: { arrayValues: list.map((value) => ({ value })) },
            },
          ],
        }),
      });
      const { rows } = (await response.json()) as { rows: { f: [{ v: string }, { v: string }] }[] };
      expect(rows).toHaveLength(list.length);
      for (const { f } of rows) expect(f[0].v).toBe(f[1].v);
    }),
    { numRuns: 4 },
  );
});

it('writes every FLOAT64 as text that parses to the same number', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.double(), { minLength: 50, maxLength: 100 }), async (list) => {
      const values = list.map((value) => (Object.is(value, -0) ? 0 : value));
      const query = {
        query: 'SELECT x FROM UNNEST(@list) AS x',
        params: { list: values.map(String) },
        types: { list: ['FLOAT64'] },
      };
      const rows = await bigquery.raw(query);
      expect(rows.map(({ f }) => Number(f[0]?.v))).toEqual(values);
    }),
    { numRuns: 4 },
  );
});
