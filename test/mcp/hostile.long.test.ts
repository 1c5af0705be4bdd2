// Sends 10,000 hostile messages to `POST /mcp`.
import { listen } from '../support/service/listen.ts';
import { sendHostileMessages } from '../support/service/hostile-messages.ts';
import { leaveBodies } from '../support/service/mcp-client.ts';
import { createQueryServer } from '../support/bigquery/query-server.ts';

leaveBodies();

it('10,000 hostile messages get no 5xx and no data of others', async () => {
  const service = createQueryServer({ mcp: 'on' });
  await listen(service.server);
  const statuses = await sendHostileMessages(service, 10_000, Math.floor(Date.now() / 86_400_000));
  expect([...statuses.keys()].sort()).toEqual([200, 202, 400, 404, 413]);
  expect(statuses.get(200)).toBeGreaterThan(1000);
  expect(statuses.get(400)).toBeGreaterThan(1000);
}, 300_000);
