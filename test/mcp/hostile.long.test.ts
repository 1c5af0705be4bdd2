// Sends hostile messages to `POST /mcp`: others in each hour, and more with HOSTILE_MESSAGES.
import { listen } from '../support/service/listen.ts';
import { SEED } from '../support/random.ts';
import { sendHostileMessages } from './hostile-messages.ts';
import { leaveBodies } from './mcp-client.ts';
import { createQueryServer } from '../support/world.ts';

leaveBodies();

const MESSAGES = Number(process.env.HOSTILE_MESSAGES ?? 2000);

it('hostile messages get no 5xx and no data of others', async () => {
  const service = createQueryServer({ mcp: 'on' });
  await listen(service.server);
  const statuses = await sendHostileMessages(service, MESSAGES, SEED);
  expect([...statuses.keys()].sort()).toEqual([200, 202, 400, 404, 413]);
  expect(statuses.get(200)).toBeGreaterThan(MESSAGES / 10);
  expect(statuses.get(400)).toBeGreaterThan(MESSAGES / 10);
}, 300_000);
