// Tests of the body of a result: the same for every division into pages, and never larger than allowed.
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ENCODING_VERSION } from '../../functions/core/result-store.ts';
import { columns } from '../support/sql/columns.ts';
import { encodeRows } from '../support/bigquery/local-bigquery.ts';
import { wireRow } from '../support/fakes/fake-query-runner.ts';
import type { ColumnSchema } from '../../functions/core/query-runner.ts';
import { createResultBody } from '../../functions/cache/result-body.ts';

const SCHEMA: ColumnSchema[] = [{ name: 'x', type: 'STRING' }];

it('a body equals the encoding of all rows at once, wherever the pages end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null)))),
      fc.boolean(),
      async (pages, isFlushed) => {
        const body = createResultBody(1_000_000);
        for (const page of pages) {
          body.add(
            SCHEMA,
            page.map((value) => wireRow(value)),
          );
          if (isFlushed) await body.flush();
        }
        const finished = await body.end();
        const rows = pages.flat().map((value) => wireRow(value));
        const json = Buffer.from(encodeRows(SCHEMA, rows));
        expect(gunzipSync(finished.body).toString()).toBe(json.toString());
        expect(finished).toMatchObject({
          bodyBytes: json.length,
          etag: createHash('sha256').update(json).digest('base64url').slice(0, 22),
          rowCount: rows.length,
        });
      },
    ),
    { numRuns: 100 },
  );
});

// Results are found by a key that has the version: other bytes under the same one would be served as if they were equal.
it('the encoding of every type has the bytes of its version', async () => {
  const schema = columns(
    'i INT64, big INT64, f FLOAT64, inf FLOAT64, b BOOL, s STRING, y BYTES, n NUMERIC, d DATE, dt DATETIME, t TIME, ts TIMESTAMP, j JSON, l INT64 REPEATED, none STRING',
  );
  const [text, list] = ['a "b"\n€', [{ v: '1' }, { v: '2' }]];
  const values = ['7', '9007199254740992', '2.50', 'Infinity', 'true', text, 'AP/+', '1.50'];
  const times = ['2026-11-20', '2026-11-20T10:00:00.5', '10:00:00', '1795255505123456'];
  const fields = [...values, ...times, '{"a":[1, 2]}', list, null];
  const body = createResultBody(1000);
  body.add(schema, [wireRow(...fields)]);
  const { body: zipped, etag } = await body.end();
  const bytes: Record<number, object> = {
    1: {
      etag: 'ZWFHncBEML2MV236qJ_4Zr',
      json: String.raw`{"result":[{"i":7,"big":"9007199254740992","f":2.5,"inf":"Infinity","b":true,"s":"a \"b\"\n€","y":"AP/+","n":"1.50","d":"2026-11-20","dt":"2026-11-20T10:00:00.5","t":"10:00:00","ts":"2026-11-21T10:05:05.123456Z","j":{"a":[1, 2]},"l":[1,2],"none":null}]}`,
    },
  };
  expect({ etag, json: gunzipSync(zipped).toString() }).toEqual(bytes[ENCODING_VERSION]);
});

it('a body is in a buffer of exactly its size', async () => {
  const { body } = await createResultBody(1000).end();
  expect(gunzipSync(body).toString()).toBe('{"result":[]}');
  expect(body.buffer.byteLength).toBe(body.length);
});

it('a body may have exactly the maximum size, and not one byte more', async () => {
  const text = 'é'.repeat(400_000);
  const size = Buffer.byteLength(encodeRows(SCHEMA, [wireRow(text)]));
  const fits = createResultBody(size);
  fits.add(SCHEMA, [wireRow(text)]);
  expect((await fits.end()).bodyBytes).toBe(size);
  const tooLarge = createResultBody(size - 3);
  expect(() => tooLarge.add(SCHEMA, [wireRow(text)])).toThrow(
    expect.objectContaining({ reason: 'RESULT_BYTES_LIMIT' }) as Error,
  );
});
