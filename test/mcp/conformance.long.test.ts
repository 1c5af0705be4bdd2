// Runs the conformance suite of the protocol against `npm start`; conformance.yml lists what is not there, with the reason.
import { execFile } from 'node:child_process';
import { type Server, createServer, request } from 'node:http';
import { promisify } from 'node:util';
import { type LocalService, startTestService } from '../support/service/local-service.ts';
import { listen } from '../support/service/listen.ts';

const KEY = 'a-key-of-the-tests';

let service: LocalService;
let proxy: Server;
let origin: string;

beforeAll(async () => {
  service = await startTestService(KEY);
  proxy = addKey(Number(new URL(service.url).port));
  origin = await listen(proxy);
});

afterAll(async () => {
  proxy.close();
  await service.stop();
});

/** The suite sends no key, so this adds it; everything else goes on as it is. */
function addKey(port: number): Server {
  return createServer((req, res) => {
    const headers = { ...req.headers, 'x-api-key': KEY };
    const sent = request({ port, path: req.url, method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    sent.on('error', () => res.destroy());
    req.pipe(sent);
  });
}

it.each(['2026-07-28', '2025-11-25', '2025-06-18'])(
  'passes all scenarios of %s that do not depend on the suite’s own server',
  async (version) => {
    const args = [
      'node_modules/@modelcontextprotocol/conformance/dist/index.js',
      ...['server', '--url', `${origin}/mcp`, '--suite', 'all', '--spec-version', version],
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
