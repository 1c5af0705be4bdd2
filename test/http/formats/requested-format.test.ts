// Tests of the parameter `format` over HTTP: a URL alone chooses the format of the rows.
import request, { type Response } from 'supertest';
import { queryResult } from '../../support/fakes/fake-query-runner.ts';
import { inBytes } from '../../support/in-bytes.ts';
import {
  API_KEY,
  createQueryServer,
  type QueryServer,
} from '../../support/bigquery/query-server.ts';
import { columns } from '../../support/sql/columns.ts';

const COUNTS = '/api/endpoints/query/web.visit-counts?project=a&interval=daily';
const CSV = 'timestamp,visits,urls\r\n2026-11-20T00:00:00,2,1\r\n';
const NDJSON = '{"timestamp":"2026-11-20T00:00:00","visits":2,"urls":1}\n';
const JSON_TYPE = 'application/json; charset=utf-8';
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8';

let service: QueryServer;

beforeEach(() => {
  service = createQueryServer();
  service.queryRunner.answerWith(
    queryResult({
      schema: columns('timestamp DATETIME, visits INT64, urls INT64'),
      rows: [{ f: [{ v: '2026-11-20T00:00:00' }, { v: '2' }, { v: '1' }] }],
    }),
  );
});

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await inBytes(service.get(path).set(headers));
  return Object.assign(answer, { body: String(answer.body) });
}

interface Invalid {
  error: { message: string; details: { fieldViolations?: object[] }[] };
}

/** The faulty parameters of a 400 answer. */
async function violationsOf(path: string): Promise<object[] | undefined> {
  const answer = await get(path);
  expect(answer.status).toBe(400);
  const { error } = JSON.parse(answer.body as string) as Invalid;
  expect(error.details[0]).toMatchObject({ reason: 'INVALID_PARAMETERS' });
  return error.details[1]?.fieldViolations;
}

describe('the parameter format', () => {
  it.each([
    ['csv', 'application/json', CSV_TYPE, CSV],
    ['json', 'text/csv', JSON_TYPE, `{"result":[${NDJSON.trim()}]}`],
    ['ndjson', 'application/x-ndjson;q=0, */*', NDJSON_TYPE, NDJSON],
    ['csv', 'text/html', CSV_TYPE, CSV],
    ['json', '*/*;q=0', JSON_TYPE, `{"result":[${NDJSON.trim()}]}`],
  ])(
    '%s gives rows in that format, and takes precedence over Accept: %s',
    async (format, accept, type, body) => {
      const answer = await get(`${COUNTS}&format=${format}`, { Accept: accept });
      expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
        200,
        type,
        body,
      ]);
    },
  );

  it('gives the same answer as Accept: headers, tag, 304 and HEAD', async () => {
    await get(COUNTS);
    const accepted = await get(COUNTS, { Accept: 'text/csv' });
    const requested = await get(`${COUNTS}&format=csv`);
    const { date: _, ...headers } = accepted.headers as Record<string, string>;
    expect(requested.headers).toMatchObject(headers);
    expect(requested.headers['content-disposition']).toBe(
      'attachment; filename="web.visit-counts.csv"',
    );
    const tag = String(accepted.headers.etag);
    expect((await get(`${COUNTS}&format=csv`, { 'If-None-Match': tag })).status).toBe(304);
    expect((await get(`${COUNTS}&format=json`, { 'If-None-Match': tag })).status).toBe(200);
    const head = await request(service.server)
      .head(`${COUNTS}&format=csv`)
      .set('X-API-KEY', API_KEY);
    expect([head.status, head.headers['content-type'], head.text]).toEqual([
      200,
      CSV_TYPE,
      undefined,
    ]);
  });

  it('is not part of the cache key: all formats share one query and one entry', async () => {
    for (const query of ['', '&format=json', '&format=csv', '&format=ndjson', '&format=csv']) {
      expect((await get(COUNTS + query)).status).toBe(200);
    }
    expect(service.queryRunner.requests).toHaveLength(1);
    expect([...service.resultStore.entries.values()].map(({ parameters }) => parameters)).toEqual([
      { project: 'a', interval: 'daily' },
    ]);
  });

  it.each([
    ['before the others', COUNTS.replace('?', '?format=csv&')],
    ['percent-encoded', `${COUNTS}&%66ormat=c%73v`],
    ['next to an empty pair', `${COUNTS}&&format=csv&`],
  ])('is read %s', async (_name, path) => {
    expect((await get(path)).body).toBe(CSV);
  });

  it.each([
    ['another value', 'format=xml', 'must be one of json, csv, ndjson'],
    ['a value in capitals', 'format=CSV', 'must be one of json, csv, ndjson'],
    ['a media type', 'format=text/csv', 'must be one of json, csv, ndjson'],
    ['a name of every object', 'format=constructor', 'must be one of json, csv, ndjson'],
    ['an empty value', 'format=', 'must be one of json, csv, ndjson'],
    ['no value', 'format', 'must be one of json, csv, ndjson'],
    ['two values', 'format=csv&format=json', 'must be given once'],
    ['one value twice', 'format=csv&format=csv', 'must be given once'],
  ])('is rejected with %s, each time, before a query runs', async (_name, query, description) => {
    for (const _round of [1, 2]) {
      expect(await violationsOf(`${COUNTS}&${query}`)).toEqual([{ field: 'format', description }]);
    }
    expect(service.queryRunner.requests).toHaveLength(0);
  });

  it('is listed together with every other invalid parameter', async () => {
    const path = '/api/endpoints/query/web.visit-counts?interval=weekly&format=xml';
    expect(await violationsOf(path)).toEqual([
      { field: 'project', description: 'is required and must not be empty' },
      { field: 'interval', description: 'must be one of hourly, daily, minutely' },
      { field: 'format', description: 'must be one of json, csv, ndjson' },
    ]);
  });

  it('is ignored under other names and on other paths', async () => {
    expect((await get(`${COUNTS}&Format=csv&formats=xml`)).headers['content-type']).toBe(JSON_TYPE);
    expect((await get('/api/endpoints?format=csv')).headers['content-type']).toBe(JSON_TYPE);
  });

  it('is logged if the rows are not JSON', async () => {
    await get(`${COUNTS}&format=csv`);
    expect(service.log.lines.at(-1)?.fields.format).toBe('csv');
  });
});
