// Tests with hostile messages to `POST /mcp`; hostile.long.test.ts sends more of them.
import { listen } from '../support/service/listen.ts';
import { sendHostileMessages } from '../support/service/hostile-messages.ts';
import { leaveBodies } from '../support/service/mcp-client.ts';
import { createQueryServer } from '../support/bigquery/query-server.ts';

leaveBodies();

it('300 hostile messages get no 5xx and no data of others', async () => {
  const service = createQueryServer({ mcp: 'on' });
  await listen(service.server);
  const statuses = await sendHostileMessages(service, 300, 1);
  service.server.close();
  expect(statuses.get(200)).toBeGreaterThan(30);
  expect(statuses.get(400)).toBeGreaterThan(30);
});
