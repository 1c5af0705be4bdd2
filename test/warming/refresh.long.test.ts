// Tests of `npm run warm -- refresh` and of waiting for a run: both functions with the real clients on emulators.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Timestamp } from '@google-cloud/firestore';
import request from 'supertest';
import { systemClock } from '../../functions/clock.ts';
import { COMPILED_CATALOGUE } from '../../functions/endpoints/catalogue.ts';
import { compileCatalogue, loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { main } from '../../scripts/warm.ts';
import { tablesOf } from '../support/bigquery/local-bigquery.ts';
import { type CommandResult, refusal, runCommand } from '../support/command.ts';
import { startFakeScheduler } from '../support/fakes/fake-scheduler.ts';
import { projectOf } from '../support/service/firestore-emulators.ts';
import { listen } from '../support/service/listen.ts';
import { startService } from '../support/world.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { until } from '../support/until.ts';

const ENDPOINT = 'web.visit-counts';

async function start() {
  const scheduler = await startFakeScheduler();
  const jobs = {
    count: 0,
    /** Awaited before each reads rows. */
    before: (): Promise<void> => Promise.resolve(),
  };
  const { ask, bigquery, firestore, warm } = await startService({
    ...{ clock: systemClock, memoryCacheSeconds: 0, tables: await tablesOf(TEST_SQL) },
    beforeRun: () => ((jobs.count += 1), jobs.before()),
  });
  scheduler.warmPort = Number(new URL(await listen(warm.server)).port);
  const command = (...args: string[]): Promise<CommandResult> =>
    runCommand(main, [...args, '--project', projectOf(firestore), '--database', '(default)'], {
      CLOUD_SCHEDULER_EMULATOR_HOST: scheduler.host,
    });
  return {
    ...{ jobs, firestore, warm, command },
    refresh: () => command('refresh', ENDPOINT, '--sql', TEST_SQL),
    /** A visit to each project, as it is loaded. */
    load: (...projects: string[]): Promise<void> =>
      bigquery.appendRows(
        'web_visits',
        projects.map((project) => ({
          timestamp: new Date().toISOString(),
          requests: [{ url: `https://${project}.example/` }],
        })),
      ),
    /** The visits to a project, and whether they were stored. */
    visits: async (project: string): Promise<string> => {
      const { status, text, headers } = await ask(`${ENDPOINT}?project=${project}&interval=daily`);
      const { result: rows = [] } = JSON.parse(text) as { result?: { visits: number }[] };
      const [, state = ''] = String(headers['cache-status']).split('; ');
      return `${status} ${rows.map((row) => row.visits).join()} ${state}`;
    },
  };
}

it('one run recomputes results with recent reads; others are recomputed when read', async () => {
  const { jobs, firestore, refresh, load, visits } = await start();
  await load('shop-1', 'shop-2', 'shop-3');
  expect(await visits('shop-1')).toBe('200 1 fwd=uri-miss');
  expect(await visits('shop-2')).toBe('200 1 fwd=uri-miss');
  expect(await visits('shop-3')).toBe('200 1 fwd=uri-miss');
  const unread = (await firestore.collection('results').get()).docs.find(
    (document) => (document.get('parameters') as { project: string }).project === 'shop-3',
  );
  await unread?.ref.update({ lastReadAt: Timestamp.fromMillis(Date.now() - 3_600_000) });
  await load('shop-1', 'shop-3');
  expect(await visits('shop-1')).toBe('200 1 hit');
  expect(jobs.count).toBe(3);

  expect(await refresh()).toMatchObject({
    code: 0,
    stdout: `Live results: 2, 2 refreshed. BigQuery jobs: 1.\nOther results, recomputed when next read: 1.\n`,
  });
  expect(jobs.count).toBe(4);
  expect(await visits('shop-1')).toBe('200 2 hit');
  expect(await visits('shop-2')).toBe('200 1 hit');
  expect(await visits('shop-3')).toBe('200 2 fwd=stale');
});

it('stores no rows whose computation started before it', async () => {
  const { jobs, refresh, load, visits } = await start();
  await load('shop-1');
  const held = Promise.withResolvers<void>();
  jobs.before = () => held.promise;
  const first = visits('shop-1');
  await until(() => jobs.count === 1);
  expect((await refresh()).code).toBe(0);
  held.resolve();
  expect(await first).toBe('200 1 fwd=uri-miss');
  await load('shop-1');
  expect(await visits('shop-1')).toBe('200 2 fwd=uri-miss');
  expect(await visits('shop-1')).toBe('200 2 hit');
});

it('waits for a run in progress, then starts its own', async () => {
  const { jobs, firestore, warm, refresh, load, visits } = await start();
  const ENDPOINT_ID = '71d85c0e-2a4b-4f96-b3d7-c84e6f02a95d';
  await load('shop-1');
  await visits('shop-1');
  await firestore.doc(`refreshes/${ENDPOINT_ID}`).set({ computedBefore: Timestamp.now() });
  const held = Promise.withResolvers<void>();
  jobs.before = () => held.promise;
  let postCount = 0;
  warm.server.on('request', () => (postCount += 1));
  const inProgress = request(warm.server)
    .post('/')
    .then(({ status }) => status);
  await until(() => jobs.count === 2);
  await load('shop-1');
  const refreshed = refresh();
  // Its start is answered, and does nothing.
  await until(() => postCount === 2);
  held.resolve();
  expect(await inProgress).toBe(200);
  expect(await refreshed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      'An earlier run has ended. Another one is started.\n',
    ) as string,
  });
  expect(await visits('shop-1')).toBe('200 2 hit');
});

it("run --wait waits for a run, and with --bundle for one of the bundle's functions", async () => {
  const { command, load, visits } = await start();
  await load('shop-1');
  await visits('shop-1');
  const bundle = testDirectory('bundle-');
  mkdirSync(join(bundle, 'functions'));
  const compile = (sql: string): void => {
    const compiled = compileCatalogue(loadCatalogue(sql));
    writeFileSync(join(bundle, 'functions', COMPILED_CATALOGUE), compiled);
  };
  const done = { code: 0, stdout: 'Live results: 1, 0 refreshed. BigQuery jobs: 0.\n', stderr: '' };
  expect(await command('run', '--wait')).toEqual(done);
  compile(TEST_SQL);
  expect(await command('run', '--wait', '--bundle', bundle)).toEqual(done);
  compile('sql');
  expect(await command('run', '--wait', '--bundle', bundle, '--timeout', '1')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Error: No run of warm succeeded within 1 s\..*\n$/) as string,
  });
});

it.each<[string, string[], string, number]>([
  [
    'an endpoint that does not exist',
    ['refresh', 'usage', '--sql', TEST_SQL],
    `Unknown endpoint usage. Known endpoints: tasks.run-stats, ${ENDPOINT}.`,
    1,
  ],
  ['no endpoint', ['refresh'], "missing required argument 'name'. See --help.", 2],
  [
    'a missing bundle',
    ['run', '--wait', '--bundle', 'nowhere'],
    "The compiled catalogue nowhere/functions/catalogue.json cannot be read: ENOENT: no such file or directory, open 'nowhere/functions/catalogue.json'. npm run bundle writes it.",
    1,
  ],
])('rejects %s with one line', async (_, args, fault, code) => {
  const { command } = await start();
  expect(await command(...args)).toEqual(refusal(fault, code));
});
