// Tests that queries go on when the engine's process ends.
import { startGoogleSql } from '../../../../scripts/local-bigquery/dialect/google-sql.ts';
import type { GoogleSql } from '../../../../scripts/local-bigquery/analysis/google-sql.ts';
import { type EnginePackage, createEnginePackage } from './engine-package.ts';
import { cpuSeconds } from '../../../support/process.ts';
import { until } from '../../../support/until.ts';

/** Runs for minutes. */
const ENDLESS =
  'SELECT COUNTIF(MOD(a * b * c, 7) = 1) FROM UNNEST(GENERATE_ARRAY(1, 1000)) a, UNNEST(GENERATE_ARRAY(1, 1000)) b, UNNEST(GENERATE_ARRAY(1, 1000)) c';

let installed: EnginePackage;
let engine: GoogleSql;
beforeEach(async () => {
  installed = createEnginePackage();
  engine = await startGoogleSql(installed);
});
afterEach(() => engine.close());

function isRunning(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? NaN, 0);
  } catch {
    return false;
  }
}

/** Before, a query may not have reached the engine. */
async function untilBusy(pid: number | undefined): Promise<void> {
  const before = cpuSeconds(pid);
  await until(() => cpuSeconds(pid) >= before + 2);
}

/** Kills the engine, and waits until it has ended. */
async function killed(): Promise<void> {
  const pid = installed.starts().at(-1);
  installed.kill();
  await until(() => !isRunning(pid));
}

/** An analysis is repeated if the process ends before or during it. */
const analyze = () => engine.analyze({ sql: 'SELECT 1', tables: [] });

async function expectAnswer(): Promise<void> {
  await analyze();
  const { rows } = await engine.evaluate({ sql: 'SELECT 1' });
  expect(rows).toEqual([{ f: [{ v: '1' }] }]);
}

const twice = {
  name: 'twice',
  arguments: [{ name: 'x', type: { typeKind: 'TYPE_INT64' } }],
  body: '2 * x',
};

it('works after its process was killed, with the same tables and functions', async () => {
  const fields = [{ name: 'n', type: 'INTEGER' }];
  const encodedRows = [engine.encodeRows([[{ int64Value: '7' }]])];
  const tables = [{ name: 'numbers', fields, encodedRows }];
  const query = { sql: 'SELECT twice(n) AS n FROM numbers', tables, functions: [twice] };
  for (let kill = 0; kill < 2; kill++) {
    await killed();
    await analyze();
    expect((await engine.evaluate(query)).rows).toEqual([{ f: [{ v: '14' }] }]);
  }
});

it('answers 300 queries at once with one process', async () => {
  const sql = 'SELECT COUNT(*) AS n FROM UNNEST(GENERATE_ARRAY(1, 10000))';
  const all = Array.from({ length: 300 }, () => engine.evaluate({ sql }));
  for (const { rows } of await Promise.all(all)) expect(rows).toEqual([{ f: [{ v: '10000' }] }]);
  expect(installed.starts()).toHaveLength(1);
});

it('fails a running query with a retryable error, and answers the next', async () => {
  const running = engine.evaluate({ sql: ENDLESS });
  const failure = running.catch((err: unknown) => err);
  await untilBusy(installed.starts().at(-1));
  installed.kill();
  expect(await failure).toMatchObject({
    kind: 'engine',
    message: 'the GoogleSQL engine ended, and is started again',
  });
  await expectAnswer();
});

it('kills an engine that continues a cancelled query, and answers the next', async () => {
  const abort = new AbortController();
  const [pid] = installed.starts();
  const stopped = engine.evaluate({ sql: ENDLESS, signal: abort.signal });
  const failure = stopped.catch((err: unknown) => err);
  await untilBusy(pid);
  abort.abort();
  expect(await failure).toBeInstanceOf(Error);
  await until(() => !isRunning(pid));
  await expectAnswer();
});

it('repeats an analysis during which the process was killed', async () => {
  const analyses = Promise.all(
    Array.from({ length: 50 }, (_, n) => engine.analyze({ sql: `SELECT ${n} AS n`, tables: [] })),
  );
  installed.kill();
  expect(await analyses).toHaveLength(50);
});

it('reports why a process does not start, and starts another for the next call', async () => {
  installed.before(
    `[ $(wc -l < '${installed.packageDirectory}/starts') = 2 ] && echo no memory >&2 && exit 1`,
  );
  await killed();
  await expect(analyze()).rejects.toMatchObject({
    kind: 'engine',
    message: 'the GoogleSQL engine did not start: no memory',
  });
  await expectAnswer();
});

it('reports a query that always crashes the engine, and answers the next', async () => {
  const functions = [{ ...twice, name: 'initcap' }];
  await expect(engine.evaluate({ sql: 'SELECT 1', functions })).rejects.toMatchObject({
    kind: 'unsupported',
    message: 'the GoogleSQL engine crashes on it',
  });
  await expectAnswer();
});

it('leaves no process running if it is closed during a restart', async () => {
  installed.before('sleep 60');
  await killed();
  const failure = expect(analyze()).rejects.toMatchObject({ kind: 'engine' });
  await until(() => installed.starts().length === 2);
  await engine.close();
  await failure;
  expect(isRunning(installed.starts().at(-1))).toBe(false);
});
