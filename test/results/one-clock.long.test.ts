// Tests that instances with different clocks agree on the age of rows, by Firestore's time.
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import { testFirestore } from '../support/service/firestore-emulators.ts';
import { type RunningFunction, runFunction } from '../support/service/running-function.ts';
import { API_KEY, firestoreWithKey, storeKey } from '../support/service/service.ts';

const SLOW_CLOCK = pathToFileURL('test/support/processes/two-minutes-slow.ts').href;

it('rows of an instance with a clock two minutes slow are new to one with a correct clock', async () => {
  const { url: bigQueryUrl } = await startBigQueryStub();
  const firestore = await firestoreWithKey();
  const running: RunningFunction[] = [];
  for (const env of [{ NODE_OPTIONS: `--import=${SLOW_CLOCK}` }, {}]) {
    running.push(await runFunction({ target: 'query', firestore, bigQueryUrl, env }));
  }
  const ages: number[] = [];
  for (const { port } of running) {
    const url = `http://127.0.0.1:${port}/api/endpoints/query/tasks.run-stats?project=a`;
    const answer = await fetch(url, { headers: { 'X-API-KEY': API_KEY } });
    expect(answer.status).toBe(200);
    ages.push(Number(answer.headers.get('age')));
  }
  expect(Math.max(...ages)).toBeLessThan(60);
}, 60_000);

it('an instance whose clock is set back by 200 s rejects a revoked key within KEY_CACHE_SECONDS', async () => {
  const { url: bigQueryUrl } = await startBigQueryStub();
  const firestore = testFirestore();
  const key = 'sqk_of-somebody-who-leaves';
  await storeKey(firestore, key);
  const set = pathToFileURL('test/support/processes/set-back-on-signal.ts').href;
  const env = { NODE_OPTIONS: `--import=${set}`, KEY_CACHE_SECONDS: '2' };
  const { port, pid } = await runFunction({ target: 'query', firestore, bigQueryUrl, env });
  const url = `http://127.0.0.1:${port}/api/endpoints/query/tasks.run-stats?project=a`;
  const ask = (): Promise<Response> => fetch(url, { headers: { 'X-API-KEY': key } });
  expect((await ask()).status).toBe(200);
  process.kill(pid, 'SIGUSR2');
  await storeKey(firestore, key, { revokedAtMs: Date.now() - 1000 });
  const revokedMs = performance.now();
  while ((await ask()).status === 200 && performance.now() - revokedMs < 10_000) {
    await delay(50);
  }
  expect((await ask()).status).toBe(401);
  expect(performance.now() - revokedMs).toBeLessThan(5000);
}, 60_000);
