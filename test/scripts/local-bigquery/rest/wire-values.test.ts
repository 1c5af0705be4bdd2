// Tests of values on the wire: each type is sent as BigQuery sends it.
import fc from 'fast-check';
import { startLocalBigQuery } from '../../../support/bigquery/local-bigquery.ts';

const { url } = await startLocalBigQuery({ tables: [] });

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
  ['FLOAT64', fc.double().map(String), 'CAST(x AS STRING)'],
];

it.each(types)('writes every %s like the engine', async (type, values, text) => {
  await fc.assert(
    fc.asyncProperty(fc.array(values, { minLength: 50, maxLength: 100 }), async (list) => {
      const parameterValue = { arrayValues: list.map((value) => ({ value })) };
      const parameterType = { type: 'ARRAY', arrayType: { type } };
      const response = await fetch(`${url}/projects/p/queries`, {
        method: 'POST',
        body: JSON.stringify({
          query: `SELECT x, ${text} AS text FROM UNNEST(@list) AS x`,
          useLegacySql: false,
          formatOptions: { useInt64Timestamp: true },
          queryParameters: [{ name: 'list', parameterType, parameterValue }],
        }),
      });
      const { rows } = (await response.json()) as { rows: { f: [{ v: string }, { v: string }] }[] };
      const found = rows.map(({ f: [x, same] }) => [x.v, same.v]);
      // A number in text is any that is read as the same one.
      const isNumber = type === 'FLOAT64';
      expect(found.map(([x]) => (isNumber ? Number(x) : x))).toEqual(
        isNumber ? list.map(Number) : found.map(([, same]) => same),
      );
      expect(found).toHaveLength(list.length);
    }),
    { numRuns: 4 },
  );
});
