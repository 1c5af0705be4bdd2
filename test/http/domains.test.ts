// Tests that requests run outside a domain, although the functions framework creates one for each.
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import request from 'supertest';
import { withoutDomains } from '../../functions/http/framework.ts';

it("runs each request outside the framework's domain", async () => {
  withoutDomains();
  let domain: unknown;
  http('outside', (_req, res) => {
    ({ domain } = process as { domain?: unknown });
    res.end('done');
  });
  await request(getTestServer('outside')).get('/').expect(200, 'done');
  expect(domain ?? undefined).toBeUndefined();
});
