// Tests that lint refuses forbidden imports between the layers of functions/ and of scripts/.
import { readdirSync } from 'node:fs';
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
  const options = { filename: file, allowInlineConfig: false };
  return linter.verify(code, walls, options).map(({ ruleId, message }) => ruleId ?? message);
}

/** What a pure function could reach for. */
const IMPURE = [
  "import { randomUUID } from 'node:crypto';",
  "import * as crypto from 'node:crypto';",
  "import { Firestore } from '@google-cloud/firestore';",
  "import type { Endpoint } from '../endpoints/endpoint.ts';",
  "export { createFirestore } from '../google/firestore-client.ts';",
  "await import('node:fs');",
  'const name = "node:fs"; await import(name);',
  "require('node:fs');",
  'new Date();',
  'Date();',
  'Date.now();',
  "fetch('https://example.com');",
  'globalThis.process;',
  'process.env.HOME;',
  'Math.random();',
  'setTimeout(() => undefined, 1);',
  'AbortSignal.timeout(1);',
  'eval("1");',
  'new Function("return process")();',
];

it.each(IMPURE)('core/ rejects %s', (code) => {
  expect(faultsOf('functions/core/errors.ts', code)).not.toEqual([]);
});

it.each([
  "import { hash } from 'node:crypto'; hash('sha256', 'x');",
  "import { ServiceError } from './errors.ts'; export const e = ServiceError;",
  'export const date = new Date(0).toISOString();',
  'export const bytes = Buffer.from("x");',
  'export const stop = new AbortController();',
])('core/ accepts %s', (code) => {
  expect(faultsOf('functions/core/errors.ts', code)).toEqual([]);
});

it.each([
  ['http/cors.ts', "import '../google/result-store.ts';"],
  ['google/key-store.ts', "import '../log.ts';"],
  ['google/key-store.ts', 'export const now = Date.now();'],
  ['query.ts', "import './google/result-store.ts';"],
  ['warm.ts', "await import('./google/result-store.ts');"],
  ['config.ts', "import './core/errors.ts';"],
  ['new-file.ts', "import './core/errors.ts';"],
  ['index.ts', "import './console/main.ts';"],
  ['console/main.ts', "import { ServiceError } from '../core/errors.ts';"],
  ['console/main.ts', "import type { Document } from '../http/document.ts';"],
  ['console/result/table/grid.ts', "import '../show-result.ts';"],
  ['console/call/snippets/curl.ts', "import '../link.ts';"],
  ['console/chart/mount-chart.ts', "import type { Endpoint } from '../../endpoints/endpoint.ts';"],
  ['console/chart/drawing/paint.ts', "import '../mount-chart.ts';"],
  ['console/chart/plan/plan-chart.ts', "import '../drawing/lay-out.ts';"],
])('%s rejects %s', (file, code) => {
  expect(faultsOf(`functions/${file}`, code)).not.toEqual([]);
});

it('the console may use its own files, and types', () => {
  const code =
    "import { shellQuote } from './shell-quote.ts'; import type { Reason } from '../core/errors.ts'; shellQuote('a' satisfies Reason);";
  expect(faultsOf('functions/console/theme.ts', code)).toEqual([]);
});

it.each([
  ['keys/api-keys.ts', "import '../deploy/defaults.ts';"],
  ['check/check-endpoint.ts', "import type { Example } from '../start/examples/find-example.ts';"],
  ['check/dry-run.ts', "import '../../functions/http/cors.ts';"],
  ['local-bigquery/rest/jobs.ts', "import '../index.ts';"],
  ['local-bigquery/dialect/syntax/pipe-syntax.ts', "import '../../rest/jobs.ts';"],
  ['local-bigquery/values/engine-values.ts', "import 'node:fs';"],
  ['new-layer/new-file.ts', "import 'node:fs';"],
  ['check/cases/deeper/new-file.ts', "import 'node:fs';"],
  ['check.ts', "import './local-bigquery/rest/jobs.ts';"],
])('scripts/%s rejects %s', (file, code) => {
  expect(faultsOf(`scripts/${file}`, code)).not.toEqual([]);
});

it.each(['functions', 'scripts'])('the lint rules cover exactly the folders of %s/', (tree) => {
  const layers = readdirSync(tree, { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map(({ name }) => name);
  // A file of a layer that no rule names could import anything.
  for (const layer of layers) {
    const file = readdirSync(join(tree, layer)).find((name) => name.endsWith('.ts')) ?? 'any.ts';
    expect([layer, faultsOf(`${tree}/${layer}/${file}`, "import 'no-such-package';")]).not.toEqual([
      layer,
      [],
    ]);
  }
});
