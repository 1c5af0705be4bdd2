// Tests that lint refuses forbidden imports between the rooms of functions/.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Linter } from 'eslint';

/** As text, because JavaScript without declarations has no types. */
const WALLS: string = '../eslint.walls.js';

type Walls = { walls: Linter.Config[] };

let walls: Linter.Config[];

beforeAll(async () => {
  ({ walls } = (await import(WALLS)) as Walls);
});

function faultsOf(file: string, code: string): string[] {
  const linter = new Linter({ configType: 'flat' });
  return linter.verify(code, walls, file).map(({ ruleId, message }) => ruleId ?? message);
}

/** What a pure function could reach for. */
const IMPURE = [
  "import { connect } from 'node:net';",
  "import { exec } from 'node:child_process';",
  "import { setTimeout } from 'node:timers/promises';",
  "import { request } from 'https';",
  "import { readFileSync } from 'node:fs';",
  "import { env } from 'node:process';",
  "import { randomUUID } from 'node:crypto';",
  "import * as crypto from 'node:crypto';",
  "import { lookup } from 'node:dns';",
  "import { Worker } from 'node:worker_threads';",
  "import { Firestore } from '@google-cloud/firestore';",
  "import { createLog } from '../log.ts';",
  "import { readRequested } from '../endpoints/parameters.ts';",
  "import type { Endpoint } from '../endpoints/endpoint.ts';",
  "export { createFirestore } from '../google/firestore-client.ts';",
  "await import('node:fs');",
  'const name = "node:fs"; await import(name);',
  "require('node:fs');",
  'new Date();',
  'Date();',
  'Date.now();',
  'performance.now();',
  "fetch('https://example.com');",
  'globalThis.process;',
  'process.env.HOME;',
  'Math.random();',
  'setTimeout(() => undefined, 1);',
  'queueMicrotask(() => undefined);',
  'crypto.randomUUID();',
  'AbortSignal.timeout(1);',
  "console.log('x');",
  'eval("1");',
  'new Function("return process")();',
];

it.each(IMPURE)('core/ refuses %s', (code) => {
  expect(faultsOf('functions/core/errors.ts', code)).not.toEqual([]);
});

it.each([
  "import { hash } from 'node:crypto'; hash('sha256', 'x');",
  "import { ServiceError } from './errors.ts'; export const e = ServiceError;",
  'export const date = new Date(0).toISOString();',
  'export const bytes = Buffer.from("x");',
  'export const stop = new AbortController();',
])('core/ takes %s', (code) => {
  expect(faultsOf('functions/core/errors.ts', code)).toEqual([]);
});

it.each([
  ['http/cors.ts', "import '../google/result-store.ts';"],
  ['http/cors.ts', "import type { Firestore } from '@google-cloud/firestore';"],
  ['http/cors.ts', "import '../query.ts';"],
  ['warming/plan.ts', "import '../http/cors.ts';"],
  ['warming/plan.ts', "import 'node:fs';"],
  ['results/read-through.ts', "import '../warming/run.ts';"],
  ['results/read-through.ts', "import '../google/result-store.ts';"],
  ['keys/access.ts', "import '../results/read-through.ts';"],
  ['endpoints/parameters.ts', "import '../keys/access.ts';"],
  ['endpoints/parameters.ts', "import '../results/cache-key.ts';"],
  ['google/key-store.ts', "import '../keys/access.ts';"],
  ['google/key-store.ts', "import '../log.ts';"],
  ['google/key-store.ts', 'export const now = Date.now();'],
  ['results/read-through.ts', 'export const home = process.env.HOME;'],
  ['results/read-through.ts', 'export const now = new Date();'],
  ['query.ts', "import './google/result-store.ts';"],
  ['query.ts', "import './log.ts';"],
  ['query.ts', "import './console/main.ts';"],
  ['warm.ts', "await import('./google/result-store.ts');"],
  ['config.ts', "import './core/errors.ts';"],
  ['config.ts', 'export const home = process.env.HOME;'],
  ['new-file.ts', "import './core/errors.ts';"],
  ['index.ts', "import './console/main.ts';"],
  ['index.ts', "import 'node:child_process';"],
  ['console/main.ts', "import { ServiceError } from '../core/errors.ts';"],
  ['console/main.ts', "import type { Document } from '../http/document.ts';"],
  ['console/main.ts', "import 'node:fs';"],
])('%s refuses %s', (file, code) => {
  expect(faultsOf(`functions/${file}`, code)).not.toEqual([]);
});

it('let the console quote for a shell, and use types', () => {
  const code = "import { shellQuote } from '../core/shell-quote.ts'; shellQuote('a');";
  expect(faultsOf('functions/console/curl.ts', code)).toEqual([]);
});

it('are those of the folders that there are', () => {
  const rooms = readdirSync('functions', { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map(({ name }) => name);
  // A file of a room that no wall knows could import anything.
  for (const room of rooms) {
    const [file = ''] = readdirSync(join('functions', room));
    expect([room, faultsOf(`functions/${room}/${file}`, "import 'no-such-package';")]).not.toEqual([
      room,
      [],
    ]);
  }
});

it('hold for every file that there is', () => {
  const files = readdirSync('functions', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.includes('dist'),
  );
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    const path = join('functions', file);
    expect([file, faultsOf(path, readFileSync(path, 'utf8'))]).toEqual([file, []]);
  }
});
