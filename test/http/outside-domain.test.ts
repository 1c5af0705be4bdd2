// Tests that requests leave the domain of the functions framework, and that errors are still answered.
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import request from 'supertest';
import { outsideDomain } from '../../functions/http/framework.ts';

function domainNow(): unknown {
  return (process as { domain?: unknown }).domain ?? undefined;
}

it('leaves the domain that the framework has entered', async () => {
  let before: unknown;
  let within: unknown;
  let later: unknown;
  const answer = outsideDomain(async (_req, res) => {
    within = domainNow();
    await Promise.resolve();
    later = domainNow();
    res.end('done');
  });
  http('outside', (req, res) => {
    before = domainNow();
    return answer(req, res) as unknown;
  });
  await request(getTestServer('outside')).get('/').expect(200, 'done');
  expect(before).toBeDefined();
  expect([within, later]).toEqual([undefined, undefined]);
});
