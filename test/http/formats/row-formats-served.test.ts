// Tests of rows as CSV and as newline-delimited JSON, over HTTP and from the same cache entry.
import request, { type Test } from 'supertest';
import { queryResult } from '../../support/fakes/fake-query-runner.ts';
import {
  API_KEY,
  createQueryServer,
  type QueryServer,
} from '../../support/bigquery/query-server.ts';
import { columns } from '../../support/sql/columns.ts';

const COUNTS = '/api/endpoints/query/web.visit-counts?project=a&interval=daily';
const HEADER = 'timestamp,visits,urls';
const VARY = 'Accept, Accept-Encoding, Authorization, Origin, X-API-KEY';

let service: QueryServer;

beforeEach(() => {
  service = createQueryServer();
  service.queryRunner.answerWith(countsResult('2026-11-19T00:00:00', '2026-11-20T00:00:00'));
});

function countsResult(...timestamps: string[]): ReturnType<typeof queryResult> {
  return queryResult({
    schema: columns('timestamp DATETIME, visits INT64, urls INT64'),
    rows: timestamps.map((timestamp) => ({ f: [{ v: timestamp }, { v: '2' }, { v: '1' }] })),
  });
}

function get(accept?: string, path = COUNTS): Test {
  const test = service.get(path);
  if (accept !== undefined) void test.set('Accept', accept);
  return test.buffer(true).parse((res, done) => {
    const chunks: string[] = [];
    res.on('data', (chunk) => chunks.push(String(chunk)));
    res.on('end', () => done(null, chunks.join('')));
  });
}

describe('rows', () => {
  it('are CSV with a header line, as an attachment, for a client that asks for CSV', async () => {
    const answer = await get('text/csv');
    expect(answer.status).toBe(200);
    expect(answer.body).toBe(`${HEADER}\r\n2026-11-19T00:00:00,2,1\r\n2026-11-20T00:00:00,2,1\r\n`);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="web.visit-counts.csv"',
      'cache-control': 'private, max-age=300',
      'cache-status': 'saved-queries; fwd=uri-miss; stored; ttl=900',
      age: '0',
      vary: VARY,
      'access-control-allow-origin': '*',
    });
  });

  it('are one JSON object per line for a client that asks for it', async () => {
    const answer = await get('application/x-ndjson');
    expect(answer.status).toBe(200);
    expect(answer.body).toBe(
      '{"timestamp":"2026-11-19T00:00:00","visits":2,"urls":1}\n' +
        '{"timestamp":"2026-11-20T00:00:00","visits":2,"urls":1}\n',
    );
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers).not.toHaveProperty('content-disposition');
  });

  it('are the same JSON bytes for every client that accepts JSON', async () => {
    const answers = [];
    for (const accept of [undefined, '*/*', 'application/json', 'text/html, */*;q=0.8']) {
      const answer = await get(accept);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      answers.push([answer.body, answer.headers.etag, answer.headers['content-length']]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.[0]).toMatch(/^\{"result":\[\{"timestamp":"2026-11-19T00:00:00",/);
  });

  it('have a separate tag in each format, and 304 only for that tag', async () => {
    const tags = new Map<string, string>();
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
      tags.set(accept, String((await get(accept)).headers.etag));
    }
    expect(new Set(tags.values()).size).toBe(3);
    for (const [accept, tag] of tags) {
      const repeated = await get(accept).set('If-None-Match', tag);
      expect(repeated.status).toBe(304);
      expect(repeated.headers).not.toHaveProperty('content-disposition');
      expect(repeated.headers.vary).toBe(VARY);
    }
    const other = await get('text/csv').set('If-None-Match', tags.get('application/json') ?? '');
    expect(other.status).toBe(200);
  });

  it('are compressed for a client that accepts gzip, and plain otherwise', async () => {
    const plain = await get('text/csv').set('Accept-Encoding', 'identity');
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers['content-length']).toBe(String((plain.body as string).length));
    const compressed = await service
      .get(COUNTS)
      .set({ Accept: 'text/csv', 'Accept-Encoding': 'gzip' });
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(compressed.text).toBe(plain.body);
  });

  it('have the CSV header line even if there are no rows', async () => {
    service.queryRunner.answerWith(countsResult());
    expect((await get('text/csv')).body).toBe(`${HEADER}\r\n`);
    expect((await get('application/x-ndjson')).body).toBe('');
  });

  it('are marked as truncated in CSV too', async () => {
    service.queryRunner.answerWith(queryResult({ truncated: true }));
    expect((await get('text/csv')).headers['x-result-truncated']).toBe('true');
  });

  it('are the new rows in CSV after a refresh', async () => {
    await get('text/csv');
    service.clock.advance(900_000);
    service.queryRunner.answerWith(countsResult('2026-11-21T00:00:00'));
    expect((await get('text/csv')).body).toBe(`${HEADER}\r\n2026-11-21T00:00:00,2,1\r\n`);
  });

  it('have the same headers except Content-Length, and no body, for HEAD', async () => {
    const answer = await request(service.server)
      .head(COUNTS)
      .set('X-API-KEY', API_KEY)
      .set('Accept', 'text/csv')
      .set('Accept-Encoding', 'identity');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    // Only converting the rows would tell (RFC 9110, 9.3.2).
    expect(answer.headers['content-length']).toBeUndefined();
    expect(answer.text).toBeFalsy();
  });
});

describe('a client that accepts none of the formats', () => {
  it.each(['text/html', 'application/json;q=0', 'application/xml, image/*'])(
    'gets 406 for %s, and no query runs',
    async (accept) => {
      const answer = await service.get(COUNTS).set('Accept', accept);
      expect(answer.status).toBe(406);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        vary: VARY,
        'access-control-allow-origin': '*',
      });
      const message =
        'Rows are served as one of application/json, text/csv, application/x-ndjson: see the header Accept.';
      const details = [{ reason: 'NOT_ACCEPTABLE' }];
      expect(answer.body).toMatchObject({ error: { message, details } });
      expect(service.queryRunner.requests).toHaveLength(0);
    },
  );

  // Whoever has no key learns nothing, not even in which formats there are rows.
  it('gets 401 first if it has no key', async () => {
    const answer = await request(service.server).get(COUNTS).set('Accept', 'text/html');
    expect(answer.status).toBe(401);
  });

  it('gets errors as JSON even if it asked for CSV', async () => {
    const path = '/api/endpoints/query/web.visit-counts';
    const answer = await service.get(path).set('Accept', 'text/csv');
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } });
  });
});
