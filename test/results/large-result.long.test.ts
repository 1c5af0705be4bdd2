// A result that takes several documents, from the outside: functions in processes of their own, on emulators.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, get } from 'node:http';
import { Timestamp } from '@google-cloud/firestore';
import { startLocalBigQuery } from '../support/bigquery/local-bigquery.ts';
import { runFunction } from '../support/service/running-function.ts';
import { API_KEY, firestoreWithKey } from '../support/world.ts';
import { FakeSqlTree, rowOf } from '../support/sql/fake-sql-tree.ts';

// 8.4 MiB of hashes, of which gzip makes 6.3.
const QUERY = `SELECT (SELECT STRING_AGG(TO_BASE64(SHA512(FORMAT('%d %d', row, part))), '' ORDER BY part)
  FROM UNNEST(GENERATE_ARRAY(1, 10)) AS part) AS text
FROM UNNEST(GENERATE_ARRAY(1, 10000)) AS row ORDER BY row`;

it('of 6 MiB is computed once for the readers of four instances, and kept warm', async () => {
  let jobCount = 0;
  const bigquery = await startLocalBigQuery({
    tables: [],
    beforeRun: () => Promise.resolve(void (jobCount += 1)),
  });
  const firestore = await firestoreWithKey();
  const tree = new FakeSqlTree();
  tree.endpoint({ maxRows: 10_000, row: rowOf('text STRING') }, QUERY);
  const start = (target: 'query' | 'warm') =>
    runFunction({
      ...{ target, firestore, bigQueryUrl: bigquery.url, sql: tree.directory },
      env: {
        ...{ MAX_RESULT_MIB: '16', MEMORY_CACHE_SECONDS: '0', WARM_UNCHANGED: 'off' },
        // For a busy machine.
        ...{ FIRESTORE_TIMEOUT_SECONDS: '20', QUERY_TIMEOUT_SECONDS: '50' },
      },
    });
  const instances = await Promise.all([1, 2, 3, 4].map(() => start('query')));
  // With the bytes as they are stored.
  const ask = async (reader: number): Promise<string> => {
    const headers = { 'X-API-KEY': API_KEY, 'Accept-Encoding': 'gzip' };
    const call = get(`${instances[reader % 4]?.url}/api/endpoints/query/group.example`, {
      headers,
    });
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    const hash = createHash('sha256');
    for await (const chunk of answer) hash.update(chunk as Buffer);
    const [, state = ''] = String(answer.headers['cache-status']).split('; ');
    return `${answer.statusCode} ${state.split('=')[0]} ${hash.digest('hex').slice(0, 8)}`;
  };
  const readers = [...Array(24).keys()];
  const first = await Promise.all(readers.map(ask));
  const [hash = ''] = first.map((answer) => answer.split(' ')[2]);
  expect(new Set(first)).toEqual(new Set([`200 fwd ${hash}`]));
  expect(jobCount).toBe(1);

  const { docs } = await firestore.collection('results').get();
  const stored = async () => {
    const data = (await docs[0]?.ref.get())?.data() as { parts: { bytes: number; id: string } };
    const ids = (await docs[0]?.ref.collection('parts').get())?.docs.map(({ id }) => id) ?? [];
    return { ...data.parts, isAlone: ids.every((id) => id.startsWith(data.parts.id)), ids };
  };
  const before = await stored();
  expect(before.bytes).toBeGreaterThan(6 * 1024 * 1024);
  expect([before.isAlone, before.ids.length]).toEqual([true, 8]);

  // As if six minutes had passed.
  const computedAt = Timestamp.fromMillis(Date.now() - 360_000);
  await docs[0]?.ref.update({ computedAt });
  const warm = await start('warm');
  const report = (await (await fetch(warm.url, { method: 'POST' })).json()) as object;
  expect(report).toMatchObject({ refreshed: 1, failed: [], leftOver: 0, jobs: 1 });
  const after = await stored();
  expect(after.id).not.toBe(before.id);
  expect([after.isAlone, after.ids.length]).toEqual([true, 8]);
  expect(new Set(await Promise.all(readers.map(ask)))).toEqual(new Set([`200 hit ${hash}`]));
  expect(jobCount).toBe(2);
  const warned = [...instances, warm].flatMap(({ lines }) => lines());
  expect(warned.filter(({ severity }) => /WARN|ERROR/.test(severity))).toEqual([]);
}, 300_000);
