// Runs the conformance suite of the protocol against `npm start`: what needs no tools of the suite's own must pass.
import { execFile } from 'node:child_process';
import { type Server, createServer, request } from 'node:http';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { listenLocally } from '../support/mcp-client.ts';
import { type LocalService, startTestService } from '../support/local-service.ts';

const KEY = 'a-key-of-the-tests';

/** The suite sends no key, so this adds it; everything else goes on as it is. */
function addKey(origin: string): Server {
  const { port } = new URL(origin);
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
