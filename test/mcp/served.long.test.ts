// Tests of `POST /mcp` of `npm start`, with the clients of the official SDK.
import { CLIENTS, expectRowsOfTools } from '../support/mcp-client.ts';
import { type LocalService, startTestService } from '../support/local-service.ts';

const KEY = 'a-key-of-the-tests';

let service: LocalService;

beforeAll(async () => {
  service = await startTestService(KEY);
});

afterAll(() => service.stop());

it.each(CLIENTS)('`npm start` answers agents: %s', async (kind) => {
  await expectRowsOfTools(kind, service.url, KEY);
});
