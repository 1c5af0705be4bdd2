// Tests of `POST /mcp` of `npm start`, with the clients of the official SDK.
import { CLIENTS, SHIPPED_CALLS, expectRowsOfTools } from '../support/service/mcp-client.ts';
import { type LocalService, startLocalService } from '../support/service/local-service.ts';

const KEY = 'a-key-of-the-tests';

let service: LocalService;

beforeAll(async () => {
  service = await startLocalService(KEY);
});

afterAll(() => service.stop());

it.each(CLIENTS)(
  '`npm start` serves agents the rows of the shipped endpoints: %s',
  async (kind) => {
    await expectRowsOfTools(kind, service.url, KEY, SHIPPED_CALLS);
  },
);
