// Tests of what a token allows, for how long, and what it costs, over HTTP.
import fc from 'fast-check';
import request from 'supertest';
import { createSigner } from '../support/service/sign-token.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { createQueryServer } from '../support/world.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z') / 1000;
const CLAIMS = { iat: NOW, exp: NOW + 3600 };
const STATS = '/api/endpoints/query/tasks.run-stats?interval=1day';

const service = createQueryServer();
const get = async (path: string, token: string) =>
  request(service.server).get(path).set('Authorization', `Bearer ${token}`);

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));

it('a token is verified once, also if it arrives thirty times at once', async () => {
  const signer = createSigner();
  service.keyStore.keys.set(signer.id, signer.stored());
  const token = signer.sign(CLAIMS);
  await Promise.all(Array.from({ length: 30 }, () => get(`${STATS}&project=a`, token)));
  await get(`${STATS}&project=a`, token);
  expect(service.verified()).toBe(1);
});

it('no token opens what its key does not', async () => {
  const VISITS = '/api/endpoints/query/web.visit-counts?interval=daily';
  const names = fc.constantFrom('*', 'tasks.*', 'web.*', 'tasks.run-stats', 'web.visit-counts');
  const values = fc.subarray(['a', 'b', 'c', ''], { minLength: 1 });
  const rights = fc.record(
    { endpoints: fc.array(names, { minLength: 1, maxLength: 3 }), project: values },
    { requiredKeys: ['endpoints'] },
  );
  const path = fc.constantFrom(
    ...['a', 'b', ''].flatMap((value) => [
      `${STATS}&project=${value}`,
      `${VISITS}&project=${value}`,
    ]),
    STATS,
  );
  const toKey = ({ endpoints, project }: { endpoints: string[]; project?: string[] }) => ({
    endpoints,
    ...(project && { parameters: { project } }),
  });
  await fc.assert(
    fc.asyncProperty(rights, rights, fc.boolean(), path, async (ofKey, ofToken, isFixed, path) => {
      service.keyStore.keys.clear();
      const keyed = createSigner();
      service.keyStore.keys.set(keyed.id, keyed.stored(toKey(ofKey)));
      const plain = `sqk_plain-key-${keyed.id}`;
      service.keyStore.add(plain, toKey(ofKey));
      const { endpoints, parameters } = toKey(ofToken);
      const [value = ''] = ofToken.project ?? [];
      const own = isFixed && value !== '' ? { project: { fixed: value } } : parameters;
      const token = keyed.sign({ ...CLAIMS, endpoints, ...(own && { parameters: own }) });
      const withToken = await get(path, token);
      const asked = isFixed && value !== '' && path === STATS ? `${STATS}&project=${value}` : path;
      const withKey = await request(service.server).get(asked).set('X-API-KEY', plain);
      if (withToken.status === 200) expect(withKey.status).toBe(200);
      expect(withToken.status).not.toBe(401);
    }),
    { numRuns: 150 },
  );
});
