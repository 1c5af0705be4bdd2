// Tests of computing entries from the pages of a result: when entries are passed on, and how many rows are in memory.
import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { computeEntries } from '../../functions/warming/compute-batch.ts';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { LiveEntry } from '../../functions/core/result-store.ts';
import type { QueryRequest, WireRow } from '../../functions/core/query-runner.ts';
import type { QueryResult } from '../support/bigquery/local-bigquery.ts';
import { FakeClock } from '../support/clock.ts';
import { FakeQueryRunner, queryResult } from '../support/fakes/fake-query-runner.ts';
import { casesBeside } from '../support/cases.ts';
import { liveEntry } from '../support/world.ts';
import { createResultBody } from '../../functions/cache/result-body.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { columns } from '../support/sql/columns.ts';

const endpoint = loadCatalogue(TEST_SQL).resolve('tasks.run-stats') as Endpoint;
const SCHEMA = columns('key STRING, x STRING');
const row = (...values: string[]): WireRow => ({ f: values.map((v) => ({ v })) });

/** Two keys by default; returns the JSON sizes of what was handed on. */
async function compute(
  answer: (query: QueryRequest) => Promise<QueryResult>,
  {
    maxResultMib = 16,
    count = 2,
    taken = [] as string[],
    bodies = undefined as Map<string, string> | undefined,
    of = endpoint,
    onPass = (_: number): Promise<void> => Promise.resolve(),
  } = {},
): Promise<string[]> {
  const queryRunner = new FakeQueryRunner();
  queryRunner.answerWith(answer);
  const entries = Array.from({ length: count }, (_, index): LiveEntry => {
    const parameters = { project: `p${index}`, function_id: '', interval: '1day' };
    const live = liveEntry(endpoint, parameters, '', 0);
    return { ...live, cacheKey: String(index), version: undefined };
  });
  await computeEntries({
    queryRunner,
    clock: new FakeClock('2026-11-20T10:00:00Z'),
    endpoint: of,
    cause: 'warm',
    entries,
    deadlineMs: Infinity,
    onEntry: ({ cacheKey }, { body, bodyBytes, rowCount, truncated }) => {
      bodies?.set(cacheKey, `${gunzipSync(body).toString()}${truncated ? ' cut' : ''}`);
      taken.push(`${cacheKey}: ${rowCount} rows, ${bodyBytes} bytes`);
      return onPass(bodyBytes);
    },
    onBytes: () => undefined,
    maxResultMib,
  });
  return taken.sort();
}

// As when it is refused for another key: the budget counts its bytes no more.
it('drops the rows of a run that fails while they are compressed', async () => {
  const schema = [{ name: 'x', type: 'STRING' }];
  const rows = Array.from({ length: 6 }, () => row(randomBytes(3_000_000).toString('base64')));
  const pages: Promise<string>[] = [];
  const failing = compute(
    ({ onPage }) => {
      const settled = onPage({ schema, rows, jobId: 'j' });
      pages.push(
        settled.then(
          () => 'page',
          () => 'page',
        ),
      );
      return Promise.reject(new Error('refused'));
    },
    { count: 1 },
  );
  await expect(failing).rejects.toThrow('refused');
  const other = createResultBody(10_000_000);
  other.add(schema, rows.slice(0, 1));
  const whole = other.flush().then(() => 'one row of six');
  expect(await Promise.race([...pages, whole])).toBe('page');
  await whole;
});

it('accepts at most twice MAX_RESULT_MIB per key, and per page', async () => {
  const limit = { reason: 'RESULT_BYTES_LIMIT' };
  const text = 'x'.repeat(700_000);
  const pages = async (query: QueryRequest, ...list: WireRow[][]): Promise<QueryResult> => {
    for (const rows of list) await query.onPage({ schema: SCHEMA, rows, jobId: 'j' });
    return queryResult({ rows: [] });
  };
  const small = { maxResultMib: 1 };
  const [a, b] = [row('0', text), row('1', text)];
  expect(await compute((query) => pages(query, [a, a], [b, b]), small)).toHaveLength(2);
  await expect(compute((query) => pages(query, [a, a], [a]), small)).rejects.toMatchObject(limit);
  await expect(compute((query) => pages(query, [a, a, b]), small)).rejects.toMatchObject(limit);
});

it('accepts at most 32 MiB of compressed results per batch', async () => {
  // Compresses to 6 MiB.
  const noise = randomBytes(6 * 1024 * 1024).toString('base64');
  let begun = 0;
  const withKeys = async ({ keys = [], onPage }: QueryRequest): Promise<QueryResult> => {
    for (const { key = '' } of keys) {
      await onPage({ schema: SCHEMA, rows: [row(key, noise)], jobId: 'j' });
      begun += 1;
    }
    return queryResult({ rows: [] });
  };
  const computed = compute(withKeys, { count: 7 });
  await expect(computed).rejects.toMatchObject({ reason: 'RESULT_BYTES_LIMIT' });
  // A result is whole when the next one begins: five were accepted, and the sixth was not.
  expect(begun).toBe(6);
});

it('passes on two large results at a time, and many small ones', async () => {
  const noise = randomBytes(800 * 1024).toString('base64');
  const most = { small: 0, large: 0 };
  const now = { small: 0, large: 0 };
  await compute(
    async ({ onPage }) => {
      const rows = Array.from({ length: 20 }, (_, key) =>
        row(`${key}`, key < 10 ? noise + key + noise : 'x'),
      );
      await onPage({ schema: SCHEMA, rows, jobId: 'j' });
      return queryResult({ rows: [] });
    },
    {
      count: 20,
      onPass: async (bytes: number) => {
        const size = bytes > 1000 ? 'large' : 'small';
        now[size] += 1;
        most[size] = Math.max(most[size], now[size]);
        await new Promise(setImmediate);
        now[size] -= 1;
      },
    },
  );
  expect(most).toEqual({ small: 10, large: 2 });
});

it('orders the fields of @keys like batchOver, whatever the order of the parameters', async () => {
  const warming = { sql: '', batchOver: ['function_id', 'project'], maxKeys: 10 };
  const fields: string[][] = [];
  await compute(
    ({ keys = [] }) => {
      fields.push(...keys.map((key) => Object.keys(key)));
      return Promise.resolve(queryResult({ rows: [] }));
    },
    { of: { ...endpoint, warming } },
  );
  expect(fields).toEqual(Array(2).fill(['key', 'function_id', 'project']));
});

const pagesOf =
  (pages: readonly WireRow[][], schema = SCHEMA) =>
  async ({ onPage }: QueryRequest): Promise<QueryResult> => {
    for (const rows of pages) await onPage({ schema, rows, jobId: 'j' });
    return queryResult({ rows: [] });
  };

// Rows that cannot be told apart would end up in somebody else's result.
it.each(
  casesBeside(import.meta.filename)<[string, string, (string | null)[][][], string]>('rejected'),
)('rejects the rows of a batch %s', async (_, schema, pages, message) => {
  const of = schema === '' ? [] : columns(schema);
  const taken: string[] = [];
  const rows = pages.map((page) => page.map((values) => ({ f: values.map((v) => ({ v })) })));
  await expect(compute(pagesOf(rows, of), { taken })).rejects.toThrow(message);
  expect(taken).toEqual([]);
});

it('gives each key its rows, wherever the pages end', async () => {
  const counts = fc.array(fc.array(fc.nat(), { maxLength: 5 }), { minLength: 2, maxLength: 6 });
  const sizes = fc.array(fc.nat({ max: 8 }), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(
      counts,
      sizes,
      fc.integer({ min: 1, max: 6 }),
      async (given, ends, maxRows) => {
        const rows = given.flatMap((values, key) => values.map((n) => row(`${key}`, `${n}`)));
        const pages = [...ends.map((size) => rows.splice(0, size)), rows];
        const bodies = new Map<string, string>();
        await compute(pagesOf(pages), {
          count: given.length,
          of: { ...endpoint, maxRows },
          bodies,
        });
        const expected = given.map((values, key) => {
          const result = values.slice(0, maxRows).map((n) => ({ x: `${n}` }));
          return [`${key}`, JSON.stringify({ result }) + (values.length > maxRows ? ' cut' : '')];
        });
        expect(Object.fromEntries(bodies)).toEqual(Object.fromEntries(expected));
      },
    ),
  );
});
