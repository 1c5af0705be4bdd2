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
  ['console/result/to-csv.ts', "import type { Document } from '../../http/document.ts';"],
  ['console/result/table/grid.ts', "import '../show-result.ts';"],
  ['console/finding/palette.ts', "import '../result/to-csv.ts';"],
  ['console/form/form.ts', "import '../result/to-csv.ts';"],
  ['console/tabs/tabs.ts', "import '../result/to-csv.ts';"],
  ['console/call/snippets/curl.ts', "import '../link.ts';"],
  ['console/chart/mount-chart.ts', "import '../service.ts';"],
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
  ['keys/api-keys.ts', "import '../new/write-folder.ts';"],
  ['start/local-service.ts', "import '../new/first-case.ts';"],
  ['start/live/follow-sql.ts', "import '../../bundle/bundle-files.ts';"],
  ['check/check-endpoint.ts', "import type { Example } from '../start/examples/find-example.ts';"],
  ['check/cases/run-case.ts', "import '../../start/scheduler.ts';"],
  ['check/cases/run-case.ts', "import '../../local-bigquery/rest/jobs.ts';"],
  ['check/dry-run.ts', "import '../local-bigquery/analysis/fixed-clock.ts';"],
  ['check/dry-run.ts', "import '../../functions/index.ts';"],
  ['check/dry-run.ts', "import '../../functions/http/cors.ts';"],
  ['check/dry-run.ts', "await import('../start/scheduler.ts');"],
  ['check/dry-run.ts', "import '../check.ts';"],
  ['compile/console-page.ts', "import '../sources/read-sources.ts';"],
  ['sources/read-sources.ts', "import '../check/statements.ts';"],
  ['local-bigquery/rest/jobs.ts', "import '../../sources/read-sources.ts';"],
  ['local-bigquery/rest/jobs.ts', "import '../../../functions/endpoints/endpoint.ts';"],
  ['local-bigquery/rest/jobs.ts', "import '../../cli/command.ts';"],
  ['local-bigquery/rest/jobs.ts', "import '../index.ts';"],
  ['local-bigquery/dialect/google-sql.ts', "import '../rest/jobs.ts';"],
  ['local-bigquery/dialect/syntax/pipe-syntax.ts', "import '../../rest/jobs.ts';"],
  ['local-bigquery/analysis/sql-script.ts', "import '../dialect/google-sql.ts';"],
  ['local-bigquery/analysis/reads/constants.ts', "import '../../dialect/google-sql.ts';"],
  ['local-bigquery/values/engine-values.ts', "import '../analysis/sql-script.ts';"],
  ['local-bigquery/values/engine-values.ts', "import 'node:fs';"],
  ['local-bigquery/engine/error.ts', "import '../values/engine-values.ts';"],
  ['local-bigquery/index.ts', "import '../sources/read-sources.ts';"],
  ['faults/text-place.ts', "import '../local-bigquery/index.ts';"],
  ['cli/command.ts', "import '../faults/text-place.ts';"],
  ['new-layer/new-file.ts', "import 'node:fs';"],
  ['check/cases/deeper/new-file.ts', "import 'node:fs';"],
  ['check.ts', "import './local-bigquery/rest/jobs.ts';"],
  ['check.ts', "import './start.ts';"],
])('scripts/%s rejects %s', (file, code) => {
  expect(faultsOf(`scripts/${file}`, code)).not.toEqual([]);
});

it.each(['functions', 'scripts'])(
  'the lint rules cover exactly the existing folders of %s/',
  (tree) => {
    const layers = readdirSync(tree, { withFileTypes: true })
      .filter((item) => item.isDirectory())
      .map(({ name }) => name);
    // A file of a layer that no rule names could import anything.
    for (const layer of layers) {
      const file = readdirSync(join(tree, layer)).find((name) => name.endsWith('.ts')) ?? 'any.ts';
      expect([
        layer,
        faultsOf(`${tree}/${layer}/${file}`, "import 'no-such-package';"),
      ]).not.toEqual([layer, []]);
    }
  },
);
