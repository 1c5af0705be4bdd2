// Tests of rows as JSON, CSV and newline-delimited JSON over HTTP, from the same cache entry: by `Accept`, and by the parameter `format`.
import request, { type Response } from 'supertest';
import { queryResult } from '../../support/fakes/fake-query-runner.ts';
import { inBytes } from '../../support/in-bytes.ts';
import { createQueryServer, type QueryServer } from '../../support/world.ts';
import { columns } from '../../support/sql/columns.ts';
import { FakeSqlTree, parameter } from '../../support/sql/fake-sql-tree.ts';

const PATH = '/api/endpoints/query/web.visit-counts';
const COUNTS = `${PATH}?project=a&interval=daily`;
const HEADER = 'timestamp,visits,urls\r\n';
const CSV = `${HEADER}2026-11-20T00:00:00,2,1\r\n`;
const NDJSON = '{"timestamp":"2026-11-20T00:00:00","visits":2,"urls":1}\n';
const JSON_BODY = `{"result":[${NDJSON.trim()}]}`;
const JSON_TYPE = 'application/json; charset=utf-8';
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8';
const VARY = 'Accept, Accept-Encoding, Authorization, Origin, X-API-KEY';

let service: QueryServer;

beforeEach(() => {
  service = createQueryServer();
  const schema = columns('timestamp DATETIME, visits INT64, urls INT64');
  const rows = [{ f: [{ v: '2026-11-20T00:00:00' }, { v: '2' }, { v: '1' }] }];
  service.queryRunner.answerWith(queryResult({ schema, rows }));
});

/** `body` is text. */
async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await inBytes(service.get(path).set(headers));
  return Object.assign(answer, { body: String(answer.body) });
}

const accepting = (accept: string, headers: Record<string, string> = {}): Promise<Response> =>
  get(COUNTS, { Accept: accept, ...headers });

describe('rows', () => {
  it('are CSV with a header line, as an attachment, for a client that asks for CSV', async () => {
    const answer = await accepting('text/csv');
    expect([answer.status, answer.body]).toEqual([200, CSV]);
    expect(answer.headers).toMatchObject({
      'content-type': CSV_TYPE,
      'content-disposition': 'attachment; filename="web.visit-counts.csv"',
      'cache-control': 'private, max-age=300',
      'cache-status': 'saved-queries; fwd=uri-miss; stored; ttl=900',
      age: '0',
      vary: VARY,
      'access-control-allow-origin': '*',
    });
  });

  it('have a separate tag in each format, and 304 only for that tag', async () => {
    const tags = new Map<string, string>();
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
      tags.set(accept, String((await accepting(accept)).headers.etag));
    }
    expect(new Set(tags.values()).size).toBe(3);
    for (const [accept, tag] of tags) {
      const repeated = await accepting(accept, { 'If-None-Match': tag });
      expect([repeated.status, repeated.body]).toEqual([304, '']);
      expect(repeated.headers).not.toHaveProperty('content-disposition');
      expect(repeated.headers).toMatchObject({
        etag: tag,
        vary: VARY,
        'cache-control': 'private, max-age=300',
      });
    }
    const other = { 'If-None-Match': tags.get('application/json') ?? '' };
    expect((await accepting('text/csv', other)).status).toBe(200);
  });

  it('are compressed for a client that accepts gzip, and plain otherwise', async () => {
    const plain = await accepting('text/csv', { 'Accept-Encoding': 'identity' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers['content-length']).toBe(String(CSV.length));
    const compressed = await accepting('text/csv', { 'Accept-Encoding': 'gzip' });
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(compressed.body).toBe(CSV);
  });

  it('have the CSV header line even if there are no rows', async () => {
    service.queryRunner.answerWith(queryResult({ rows: [] }));
    expect((await accepting('text/csv')).body).toBe(HEADER);
    expect((await accepting('application/x-ndjson')).body).toBe('');
  });
});

describe('a client that accepts none of the formats', () => {
  it('gets 406, and no query runs', async () => {
    const answer = await service.get(COUNTS).set('Accept', 'application/xml, text/html');
    expect(answer.status).toBe(406);
    expect(answer.headers).toMatchObject({
      'content-type': JSON_TYPE,
      'cache-control': 'no-store',
      vary: VARY,
      'access-control-allow-origin': '*',
    });
    const message =
      'Rows are served as one of application/json, text/csv, application/x-ndjson: see the header Accept.';
    const details = [{ reason: 'NOT_ACCEPTABLE' }];
    expect(answer.body).toMatchObject({ error: { message, details } });
    expect(service.queryRunner.requests).toHaveLength(0);
  });

  // Whoever has no key learns nothing, not even in which formats there are rows.
  it('gets 401 first if it has no key', async () => {
    expect((await request(service.server).get(COUNTS).set('Accept', 'text/html')).status).toBe(401);
  });

  it('gets errors as JSON even if it asked for CSV', async () => {
    const answer = await service.get(PATH).set('Accept', 'text/csv');
    expect([answer.status, answer.headers['content-type']]).toEqual([400, JSON_TYPE]);
    expect(answer.body).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } });
  });
});

describe('the parameter format', () => {
  it.each([
    ['csv', 'application/json', CSV_TYPE, CSV],
    ['json', 'text/csv', JSON_TYPE, JSON_BODY],
    ['ndjson', 'application/x-ndjson;q=0, */*', NDJSON_TYPE, NDJSON],
    ['csv', 'text/html', CSV_TYPE, CSV],
  ])('%s gives rows in that format, also with Accept: %s', async (format, accept, type, body) => {
    const answer = await get(`${COUNTS}&format=${format}`, { Accept: accept });
    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
      ...[200, type, body],
    ]);
    expect('content-disposition' in answer.headers).toBe(format === 'csv');
  });

  it('gives the same headers and tag as Accept', async () => {
    await get(COUNTS);
    const { date: _, ...headers } = (await accepting('text/csv')).headers as Record<string, string>;
    expect((await get(`${COUNTS}&format=csv`)).headers).toMatchObject(headers);
  });

  it('is not part of the cache key: all formats share one query and one entry', async () => {
    for (const query of ['', '&format=json', '&format=csv', '&format=ndjson']) {
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
    ['a name of every object', 'format=constructor', 'must be one of json, csv, ndjson'],
    ['an empty value', 'format=', 'must be one of json, csv, ndjson'],
    ['no value', 'format', 'must be one of json, csv, ndjson'],
    ['two values', 'format=csv&format=json', 'must be given once'],
    ['one value twice', 'format=csv&format=csv', 'must be given once'],
  ])('is rejected with %s, each time, before a query runs', async (_name, query, description) => {
    for (const _round of [1, 2]) {
      expect(await service.violationsOf(`${COUNTS}&${query}`)).toEqual([
        { field: 'format', description },
      ]);
    }
    expect(service.queryRunner.requests).toHaveLength(0);
  });

  it('is listed together with every other invalid parameter', async () => {
    expect(await service.violationsOf(`${PATH}?interval=weekly&format=xml`)).toEqual([
      { field: 'project', description: 'is required and must not be empty' },
      { field: 'interval', description: 'must be one of hourly, daily, minutely' },
      { field: 'format', description: 'must be one of json, csv, ndjson' },
    ]);
  });

  it('is ignored on other paths', async () => {
    expect((await get('/api/endpoints?format=csv')).headers['content-type']).toBe(JSON_TYPE);
  });

  it('is logged if the rows are not JSON', async () => {
    await get(`${COUNTS}&format=csv`);
    expect(service.log.lines.at(-1)?.fields.format).toBe('csv');
  });
});

describe('the parameter bom', () => {
  const MARKED = `${COUNTS}&format=csv&bom=1`;

  it('begins the same CSV with a byte order mark, under a tag of its own', async () => {
    const [plain, marked] = [await get(`${COUNTS}&format=csv`), await get(MARKED)];
    expect([marked.status, marked.body]).toEqual([200, `\ufeff${CSV}`]);
    expect(marked.headers).toMatchObject({
      'content-type': CSV_TYPE,
      'content-disposition': 'attachment; filename="web.visit-counts.csv"',
    });
    expect(plain.body).toBe(CSV);
    const repeated = await get(MARKED, { 'If-None-Match': String(plain.headers.etag) });
    expect(repeated.status).toBe(200);
    expect(service.queryRunner.requests).toHaveLength(1);
  });

  it.each(['bom=1', 'bom=1&format=json', 'format=csv&bom=2', 'format=csv&bom=1&bom=1'])(
    'is rejected as %s, before a query runs',
    async (query) => {
      expect(await service.violationsOf(`${COUNTS}&${query}`)).toEqual([
        { field: 'bom', description: 'must be 1, and needs format=csv' },
      ]);
    },
  );

  it('stays a parameter of the query where an endpoint declares it', async () => {
    const catalogue = new FakeSqlTree().endpoint({ name: 'a.b', parameters: { bom: parameter() } });
    service = createQueryServer({ catalogue: catalogue.catalogue() });
    const answer = await get('/api/endpoints/query/a.b?format=csv&bom=1');
    expect([answer.status, String(answer.body).charAt(0)]).toEqual([200, 'c']);
    expect(service.queryRunner.requests.at(-1)?.parameters).toEqual({ bom: '1' });
    const described = await service.get('/api/endpoints/openapi.json');
    expect(JSON.stringify(described.body)).not.toContain('#/components/parameters/bom"');
  });
});
