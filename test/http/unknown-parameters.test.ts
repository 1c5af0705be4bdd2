// Tests of parameters that an endpoint does not declare: they are named to the caller and in the log, and refused if misspelt.
import request from 'supertest';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { API_KEY, type QueryServer, createQueryServer } from '../support/world.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const PATH = '/api/endpoints/query/web.visit-counts';
const ROWS = `${PATH}?project=a&interval=daily`;
const HEADER = 'x-unknown-parameters';

let service: QueryServer;

beforeEach(() => void (service = createQueryServer()));

const logged = (): unknown => service.log.lines.at(-1)?.fields.unknownParameters;

it('an answer without unknown parameters has no header about them, and neither has the log', async () => {
  for (const path of [ROWS, `${ROWS}&format=json`]) {
    expect((await service.get(path)).headers).not.toHaveProperty(HEADER);
    expect(service.log.lines.at(-1)?.fields).not.toHaveProperty('unknownParameters');
  }
});

it.each(cases<[string, string, string]>('named'))(
  'the header names %s',
  async (_name, query, expected) => {
    for (const _round of [1, 2]) {
      const answer = await service.get(`${ROWS}&${query}`);
      expect([answer.status, answer.headers[HEADER]]).toEqual([200, expected]);
      expect(answer.headers).not.toHaveProperty('set-cookie');
    }
  },
);

it('the rows, their ETag and their cache entry are those without the unknown parameters', async () => {
  const plain = await service.get(ROWS);
  const answer = await service.get(`${ROWS}&_=123`);
  expect([answer.text, answer.headers.etag]).toEqual([plain.text, plain.headers.etag]);
  expect(answer.headers['cache-status']).toMatch(/^saved-queries; hit;/);
  expect(service.queryRunner.requests).toHaveLength(1);
});

describe('the header is part of', () => {
  const named = async (path: string, headers = {}): Promise<unknown[]> => {
    const answer = await service.get(path).set(headers);
    return [answer.status, answer.headers[HEADER]];
  };

  it('CSV', async () => {
    expect(await named(`${ROWS}&x=1`, { Accept: 'text/csv' })).toEqual([200, 'x']);
  });

  it('an answer to HEAD', async () => {
    const answer = await request(service.server).head(`${ROWS}&x=1`).set('X-API-KEY', API_KEY);
    expect([answer.status, answer.headers[HEADER]]).toEqual([200, 'x']);
  });

  it('304', async () => {
    const { etag } = (await service.get(ROWS)).headers;
    expect(await named(`${ROWS}&x=1`, { 'If-None-Match': etag })).toEqual([304, 'x']);
  });

  it('errors', async () => {
    expect(await named(`${PATH}?x=1`)).toEqual([400, 'x']);
    expect(await named(`${ROWS}&x=1`, { Accept: 'image/png' })).toEqual([406, 'x']);
    service.queryRunner.answerWith(new Error('a detail'));
    expect(await named(`${ROWS}&x=1`)).toEqual([500, 'x']);
  });

  it('no error for a key that may not use the values, or the endpoint', async () => {
    const key = 'sqk_partner';
    const [endpoints, parameters] = [['web.visit-counts'], { project: ['b'] }];
    service.keyStore.add(key, { name: 'partner', endpoints, parameters });
    for (const [path, status] of [
      [ROWS, 403],
      ['/api/endpoints/query/tasks.run-stats?project=b', 404],
    ] as const) {
      const answer = await service.get(`${path}${path.includes('?') ? '&' : '?'}x=1`, key);
      expect(answer.status).toBe(status);
      expect(answer.headers).not.toHaveProperty(HEADER);
    }
  });
});

describe('a misspelt parameter', () => {
  it.each([
    ['projects=b', 'projects', 'project'],
    ['intervall=hourly', 'intervall', 'interval'],
    ['Interval=hourly', 'Interval', 'interval'],
    ['fromat=csv', 'fromat', 'format'],
    ['project[]=b', 'project[]', 'project'],
    ['amp;interval=daily', 'amp;interval', 'interval'],
  ])('%s gets 400 that names it, each time, before a query runs', async (query, field, near) => {
    const description = `is not a parameter of this endpoint; did you mean ${near}?`;
    for (const _round of [1, 2]) {
      expect(await service.violationsOf(`${ROWS}&${query}`)).toEqual([{ field, description }]);
    }
    const answer = await service.get(`${ROWS}&${query}`);
    const message = `Invalid parameters: ${field} ${description}`;
    expect(answer.body).toMatchObject({ error: { message } });
    expect(answer.headers[HEADER]).toBe(encodeURIComponent(field));
    expect(service.queryRunner.requests).toEqual([]);
  });

  it('is listed together with every other invalid parameter, at most five of them', async () => {
    const misspelt = ['projec', 'projet', 'prject', 'proect', 'poject', 'roject'];
    const violations = await service.violationsOf(`${PATH}?interval=weekly&${misspelt.join('&')}`);
    expect(violations.map(({ field }) => field)).toEqual([
      ...['project', 'interval', ...misspelt.slice(0, 5)],
    ]);
  });

  it('is not named to a key that may not use the values', async () => {
    service.keyStore.add('sqk_partner', { parameters: { project: ['b'] } });
    const { status, text } = await service.get(`${PATH}?projct=b`, 'sqk_partner');
    expect(status).toBe(403);
    expect(text).not.toContain('projct');
    expect(logged()).toBe('projct');
  });
});

describe('the log', () => {
  it.each([
    ['short names', 'utm_id=secret&_=1', 'utm_id, _'],
    ['misspelt names', 'project-s=secret&intervall', 'project-s, intervall'],
    ['no name that can be a key', `${API_KEY}=1&local-dev-key&abcdefgh=1&x`, 'x, +3'],
    ['no part of a misspelt list that can be a key', 'project[sqk_abcdefghijklmnop]=1', '+1'],
    ['no name with other characters', 'a%40b.c=1&x%0Ay', '+2'],
    ['few names', 'abcdefghijklm'.split('').join('&'), 'a, b, c, d, e, f, g, h, i, j, +3'],
  ])('has %s', async (_name, query, expected) => {
    await service.get(`${ROWS}&${query}`);
    expect(logged()).toBe(expected);
    expect(JSON.stringify(service.log.lines)).not.toMatch(/secret|sqk_|local-dev|abcdefgh/);
  });
});

it('the clients of the shipped endpoints get their rows, with what they send besides', async () => {
  service = createQueryServer({ catalogue: loadCatalogue('sql') });
  const sent =
    'project=a&interval=1hr&iso_timestamp_start=x&iso_timestamp_end=y&period=day&sql=z&ref=r&project_ref=p&projectRef=p&startDate=d&endDate=d&attribute=a&utm_source=u&utm_medium=m&fbclid=f&gclid=g&_=1&_t=2&t=3&cb=4&v=1&nocache=1';
  for (const name of ['usage.api-counts', 'functions.invocation-stats']) {
    const answer = await service.get(`/api/endpoints/query/${name}?${sent}`);
    expect(answer).toMatchObject({ status: 200 });
    const header = String(answer.headers[HEADER]);
    expect(header.split(', ').slice(0, 2)).toEqual(['iso_timestamp_start', 'iso_timestamp_end']);
  }
});
