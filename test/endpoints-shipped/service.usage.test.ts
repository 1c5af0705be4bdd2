// Tests of the endpoint service.usage: after requests that the test counts itself it says exactly that, and only to a key that names it.
import { createLog } from '../../functions/log.ts';
import type { Severity } from '../../functions/core/services.ts';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { readSources } from '../../scripts/sources/read-sources.ts';
import { isRequestTable, requestRows } from '../../scripts/start/rows/request-rows.ts';
import { NOW } from '../support/bigquery/batch-runs.ts';
import { tablesOf } from '../support/bigquery/local-bigquery.ts';
import { ControlledClock } from '../support/clock.ts';
import { startService, storeKey } from '../support/world.ts';
import { sha256Hex } from '../../functions/core/bytes.ts';

/** Two keys of one name, and one that names no endpoint. */
const [FIRST, SECOND, AGENT] = ['sqk_first-of-grafana', 'sqk_second-of-grafana', 'sqk_of-an-agent'];
const COUNTS = 'usage.api-counts?interval=hourly&project=';
const USAGE = 'service.usage?interval=1hr';

async function createService() {
  const clock = new ControlledClock(NOW);
  const request = { url: 'https://zebra.example.com/rest/v1/a', path: '/rest/v1/a' };
  const visit = { id: 'a', timestamp: '2026-11-20T09:59:00Z', metadata: [{ request: [request] }] };
  const tables = await tablesOf('sql', { edge_logs: [visit] });
  const service = await startService({ clock, tables, catalogue: loadCatalogue('sql') });
  await storeKey(service.firestore, FIRST, {
    name: 'grafana',
    endpoints: ['usage.api-counts', 'service.usage'],
  });
  await storeKey(service.firestore, SECOND, { name: 'grafana', endpoints: ['*', 'service.usage'] });
  await storeKey(service.firestore, AGENT, { name: 'agent' });
  const source = (await readSources('sql/sources')).find(isRequestTable)!;
  /** The rows of the lines that are logged at this level, which `npm start` would append. */
  const rows = (level: Lowercase<Severity> = 'info') => {
    let logged = '';
    const log = createLog(level, (line) => void (logged += `${line}\n`));
    for (const { severity, message, fields } of service.log.lines.splice(0))
      log.write(severity, message, fields);
    return requestRows(source, logged, clock.nowMs());
  };
  return {
    ...{ ...service, rows },
    append: () => service.bigquery.appendRows(source.name, rows()),
    statuses: async (...calls: [call: string, apiKey: string][]): Promise<number[]> => {
      const answers = await Promise.all(calls.map(([call, key]) => service.ask(call, key)));
      return answers.map(({ status }) => status);
    },
  };
}

it('counts requests, hits, misses, errors and bytes by endpoint and key', async () => {
  const MINUTE_MS = 60_000;
  const idOf = (apiKey: string): string => sha256Hex(apiKey).slice(0, 12);
  const { ask, get, clock, proxy, append, statuses } = await createService();
  /** What BigQuery states in its answers, for each query with its labels. */
  const billed: { endpoint: string; key: string; key_id: string; cause: string; bytes: number }[] =
    [];
  proxy.fault = ({ body }) => ({
    edit(answer) {
      const { totalBytesBilled } = answer as unknown as { totalBytesBilled: string };
      const { labels } = body as { labels: Omit<(typeof billed)[number], 'bytes'> };
      billed.push({ ...labels, bytes: Number(totalBytesBilled) });
      return answer;
    },
  });
  expect(await statuses([`${COUNTS}zebra`, FIRST])).toEqual([200]); // a miss
  const hits = [`${COUNTS}zebra`, FIRST] as [string, string];
  expect(await statuses(hits, hits, [`${COUNTS}zebra`, SECOND])).toEqual([200, 200, 200]);
  // One runs the query, the other waits for it.
  expect(await statuses([`${COUNTS}ox`, SECOND], [`${COUNTS}ox`, SECOND])).toEqual([200, 200]);
  expect(await statuses([COUNTS, FIRST], ['no.such-endpoint', FIRST])).toEqual([400, 404]);
  // Neither finds an endpoint: the key may not use it, or there is no such key.
  expect(await statuses([USAGE, AGENT], [USAGE, 'sqk_of-nobody'])).toEqual([404, 401]);
  await get('/api/endpoints', AGENT);
  await append();
  clock.advance(16 * MINUTE_MS);
  expect(await statuses([`${COUNTS}zebra`, FIRST])).toEqual([200]); // expired: a miss
  await append();

  const { result } = (await ask(USAGE, FIRST)).body as { result: Record<string, unknown>[] };
  const first = { endpoint: 'usage.api-counts', key_name: 'grafana', key_id: idOf(FIRST) };
  const MB = 10 * 1024 * 1024;
  const counted = (requests: number, hits: number, misses: number, errors: number) => ({
    ...{ requests, hits, misses, errors, bytes_billed: misses * MB },
    p95_ms: expect.any(Number) as number,
  });
  const none = { endpoint: '', key_name: '', key_id: '' };
  expect(result.map(({ timestamp: _, ...row }) => row)).toEqual([
    { ...none, ...counted(1, 0, 0, 1) },
    { ...none, key_name: 'agent', key_id: idOf(AGENT), ...counted(2, 0, 0, 1) },
    { ...none, key_name: 'grafana', key_id: idOf(FIRST), ...counted(1, 0, 0, 1) },
    ...[
      { ...first, ...counted(4, 2, 1, 1) },
      { ...first, key_id: idOf(SECOND), ...counted(3, 2, 1, 0) },
    ].sort((a, b) => (a.key_id < b.key_id ? -1 : 1)),
    { ...first, ...counted(1, 0, 1, 0) },
  ]);
  // The last one ran for these rows.
  expect(billed).toHaveLength(4);
  const byLabels = new Map<string, number>();
  for (const { endpoint: of, key, key_id: id, cause, bytes } of billed.slice(0, -1)) {
    const label = [of, key, id, cause].join(' ');
    byLabels.set(label, (byLabels.get(label) ?? 0) + bytes);
  }
  const byUsage = new Map<string, number>();
  for (const { key_name: key, key_id: id, bytes_billed: bytes } of result) {
    if (Number(bytes) === 0) continue;
    const label = `usage__api-counts ${String(key)} ${String(id)} miss`;
    byUsage.set(label, (byUsage.get(label) ?? 0) + Number(bytes));
  }
  expect(byUsage).toEqual(byLabels);
});

it('opens to a key that names it, and to no other', async () => {
  const { get, statuses } = await createService();
  expect(await statuses([USAGE, AGENT], [USAGE, FIRST], [USAGE, SECOND])).toEqual([404, 200, 200]);
  for (const [apiKey, isListed] of [
    [AGENT, false],
    [SECOND, true],
  ] as const) {
    for (const path of ['/api/endpoints', '/api/endpoints/openapi.json']) {
      const { status, text } = await get(path, apiKey);
      expect([status, text.includes('service.usage')]).toEqual([200, isListed]);
    }
  }
});

it('has no values of parameters and no texts of errors, and only errors if LOG_LEVEL is warning', async () => {
  const { statuses, rows } = await createService();
  const calls = [`${COUNTS}zebra`, `${COUNTS}zebra&intervall=x`, `${COUNTS}zebra(`, 'zebra.x'];
  const all = calls.map((call): [string, string] => [call, FIRST]);
  expect(await statuses(...all)).toEqual([200, 400, 400, 404]);
  const known = rows();
  expect(known.map((row) => Object.keys(row))).toEqual(
    Array(4).fill(
      'timestamp endpoint key_name key_id outcome status reason duration_ms bytes_billed'.split(
        ' ',
      ),
    ),
  );
  expect(JSON.stringify(known)).not.toMatch(/zebra|interval/);
  expect(await statuses(...all)).toEqual([200, 400, 400, 404]);
  expect(rows('warning')).toHaveLength(3);
});
