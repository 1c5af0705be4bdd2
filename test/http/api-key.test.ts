// Tests of where a request carries its API key, over HTTP.
import request, { type Response } from 'supertest';
import { API_KEY, createQueryServer, type QueryServer } from '../support/world.ts';

const OTHER_KEY = 'sqk_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
const STATS = '/api/endpoints/query/tasks.run-stats?project=a';

let service: QueryServer;

beforeEach(() => void (service = createQueryServer()));

async function get(headers: Record<string, string>, path = STATS): Promise<Response> {
  return request(service.server).get(path).set(headers);
}

describe('the key of a request', () => {
  it.each([
    ['X-API-KEY', { 'X-API-KEY': API_KEY }],
    ['Authorization', { Authorization: `Bearer ${API_KEY}` }],
    ['a scheme in capitals', { Authorization: `BEARER ${API_KEY}` }],
    ['several spaces after the scheme', { Authorization: `Bearer   ${API_KEY}` }],
  ])('is read from %s', async (_name, headers) => {
    expect((await get(headers)).status).toBe(200);
    expect((await get(headers, '/api/endpoints')).status).toBe(200);
    expect((await get(headers, '/api/endpoints/openapi.json')).status).toBe(200);
  });

  it('is taken from X-API-KEY if both headers are present', async () => {
    service.keyStore.add(OTHER_KEY, { name: 'other' });
    const both = { 'X-API-KEY': OTHER_KEY, Authorization: `Bearer ${API_KEY}` };
    expect((await get(both)).status).toBe(200);
    expect(service.log.lines.at(-1)?.fields.keyName).toBe('other');
    expect((await get({ ...both, 'X-API-KEY': 'sqk_unknown' })).status).toBe(401);
    expect((await get({ ...both, Authorization: 'Bearer sqk_unknown' })).status).toBe(200);
  });

  it.each([
    ['another scheme with a key', `Basic ${API_KEY}`],
    ['a key without a scheme', API_KEY],
    ['a scheme without a key', 'Bearer'],
    ['a scheme and a key without a space', `Bearer${API_KEY}`],
    ['another space', `Bearer\t${API_KEY}`],
    ['two tokens', `Bearer ${API_KEY} ${API_KEY}`],
    ['a list', `Bearer ${API_KEY}, Bearer ${API_KEY}`],
  ])('is not read from %s: 401, as without a key', async (_name, authorization) => {
    const answer = await get({ Authorization: authorization });
    expect(answer.status).toBe(401);
    expect(answer.text).toBe((await get({})).text);
  });

  it('is requested with both schemes by a 401, and by no other response', async () => {
    const challenges = 'ApiKey realm="saved-queries", Bearer realm="saved-queries"';
    expect((await get({})).headers['www-authenticate']).toBe(challenges);
    const refused = await get({ Authorization: 'Bearer sqk_unknown' });
    expect(refused.headers['www-authenticate']).toBe(challenges);
    const served = await get({ Authorization: `Bearer ${API_KEY}` });
    expect(served.headers).not.toHaveProperty('www-authenticate');
  });

  it('appears in no log line and no response', async () => {
    const answers = [
      await get({ Authorization: `Bearer ${API_KEY}` }),
      await get({ Authorization: `Basic ${OTHER_KEY}` }),
    ];
    service.keyStore.before = () => Promise.reject(new Error('down'));
    answers.push(await get({ 'X-API-KEY': OTHER_KEY }));
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 503]);
    const told = JSON.stringify([
      service.log.lines,
      ...answers.map(({ text, headers }) => [text, headers]),
    ]);
    expect(told).not.toMatch(/AAAAAA|BBBBBB/);
  });
});
