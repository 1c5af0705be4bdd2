// Runs the conformance suite of the protocol, and the clients of the official SDK, against `npm start`.
import { execFile } from 'node:child_process';
import { createServer, request } from 'node:http';
import { promisify } from 'node:util';
import { startLocalService } from '../support/service/local-service.ts';
import { listen } from '../support/service/listen.ts';
import { CLIENTS, SHIPPED_CALLS, expectRowsOfTools } from './mcp-client.ts';

const KEY = 'a-key-of-the-tests';

const service = await startLocalService(KEY);

it.each(['2026-07-28', '2025-11-25', '2025-06-18'])(
  'passes all scenarios of %s that do not depend on the suite’s own server',
  async (version) => {
    // The suite sends no key, so this adds it; everything else goes on as it is.
    const proxy = createServer((req, res) => {
      const headers = { ...req.headers, 'x-api-key': KEY };
      const sent = request(
        { port: service.port, path: req.url, method: req.method, headers },
        (answer) => {
          res.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(res);
        },
      );
      sent.on('error', () => res.destroy());
      req.pipe(sent);
    });
    const url = `${await listen(proxy)}/mcp`;
    const args = [
      'node_modules/@modelcontextprotocol/conformance/dist/index.js',
      ...['server', '--url', url, '--suite', 'all', '--spec-version', version],
      // It lists what is not there, with the reason.
      ...['--expected-failures', 'test/mcp/conformance.yml'],
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args).catch(
      (error: { stdout: string }) => {
        throw new Error(error.stdout.slice(error.stdout.indexOf('=== SUMMARY')));
      },
    );
    expect(stdout).toMatch(/✓ tools-list: \d passed, 0 failed/);
    expect(stdout).toMatch(/✓ (?:http-header-validation|ping): \d+ passed, 0 failed/);
  },
);

it.each(CLIENTS)('serves agents the rows of the shipped endpoints: %s', async (kind) => {
  await expectRowsOfTools(kind, service.url, KEY, SHIPPED_CALLS, 'service_usage');
});
